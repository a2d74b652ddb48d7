"""Who uses the room, and what they may do and see."""

from msgspec import Struct

from methodlens.errors import InputError
from methodlens.ledger.team_members import Role
from methodlens.web.review.queues import BLIND, OPEN, WALKED, Queue, WindowRequest


class NotAllowed(InputError):
    """The reviewer's role does not allow it."""


class Reviewer(Struct, frozen=True):
    """A blind reviewer sees verdicts and other people's annotations on a cell only after annotating it.

    Without a team, everybody has the role that may do everything.
    """

    name: str = ""
    blind: bool = False
    role: Role = Role.ADJUDICATOR

    @property
    def can_annotate(self) -> bool:
        return self.role.includes(Role.REVIEWER)

    @property
    def can_adjudicate(self) -> bool:
        return self.role.includes(Role.ADJUDICATOR)

    def require(self, role: Role) -> None:
        """Raises NotAllowed if the reviewer's own role does not include this one."""
        if not self.role.includes(role):
            raise NotAllowed(f"your role is {self.role}", f"ask the person who runs the room for the role {role}")

    def refuse_blind(self, reason: str) -> None:
        """Raises InputError if the reviewer is blind; `reason` says what would be revealed."""
        if self.blind:
            raise InputError(reason, "leave blind mode first, or ask the person who runs the room to end it for your account")

    @property
    def queues(self) -> tuple[Queue, ...]:
        queues = BLIND if self.blind else OPEN
        return (*queues, Queue.ADJUDICATE) if self.can_adjudicate else queues

    def window(self, queue: Queue, *, seed: int) -> WindowRequest:
        """A blind reviewer gets the unseen cells in place of a queue that reveals verdicts.

        Leaves out a seed or name on which the window does not depend, so that requests share it.
        """
        if self.blind and queue not in (*BLIND, Queue.ADJUDICATE):
            queue = Queue.UNSEEN
        return WindowRequest(
            queue,
            seed if queue in (Queue.RANDOM, Queue.UNSEEN) else 0,
            "" if queue in WALKED or queue in (Queue.RANDOM, Queue.ADJUDICATE) else self.name,
        )
