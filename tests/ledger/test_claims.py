"""Several drivers share a ledger: each paper is one's, or another's, or done; nobody waits for the dead."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from methodlens.ledger.backends import file_engine
from methodlens.ledger.claims import Claim, Claims, content_key
from methodlens.ledger.store import Ledger
from methodlens.papers import PaperFile

LONG, PAST = 60.0, -1.0  # a lease that has run out the moment it is taken


class File(NamedTuple):
    name: str
    content: str


BARGE, GULL = File("barge.pdf", "b" * 64), File("gull.pdf", "g" * 64)


class Drivers:
    def __init__(self, folder: Path) -> None:
        Ledger.at(folder, create=True).close()
        self.engine = file_engine(folder / "ledger.sqlite")

    def one(self, run: str = "r", lease_s: float = LONG) -> Claims[File]:
        time.sleep(0.005)  # SQLite's clock has milliseconds
        driver: Claims[File] = Claims(self.engine, run, key_of=lambda file: file.content, lease_s=lease_s)
        time.sleep(0.005)
        return driver


@pytest.fixture
def drivers(tmp_path: Path) -> Iterator[Drivers]:
    found = Drivers(tmp_path)
    yield found
    found.engine.dispose()


def test_of_two_drivers_one_has_the_paper(drivers: Drivers) -> None:
    ann, bob = drivers.one(), drivers.one()
    assert ann.take(BARGE) is Claim.MINE
    assert bob.take(BARGE) is Claim.HELD
    assert bob.take(GULL) is Claim.MINE


def test_what_another_driver_of_the_run_has_done_is_not_done_again(drivers: Drivers) -> None:
    ann, bob = drivers.one(), drivers.one()
    ann.take(BARGE)
    ann.finish(BARGE)
    assert bob.take(BARGE) is Claim.DONE
    assert list(bob.papers([BARGE, GULL])) == [GULL]
    assert bob.elsewhere == 1


def test_a_run_started_later_looks_at_every_paper_again(drivers: Drivers) -> None:
    ann = drivers.one()
    ann.take(BARGE)
    ann.finish(BARGE)
    assert drivers.one().take(BARGE) is Claim.MINE
    assert drivers.one(run="another").take(GULL) is Claim.MINE


def test_another_run_on_the_same_paper_waits_for_it_since_they_may_share_cells(drivers: Drivers) -> None:
    ann, other = drivers.one(), drivers.one(run="another")
    ann.take(BARGE)
    assert other.take(BARGE) is Claim.HELD
    ann.finish(BARGE)
    assert other.take(BARGE) is Claim.MINE


def test_a_copy_under_another_name_is_the_same_paper_but_has_its_own_place_in_the_run(drivers: Drivers) -> None:
    ann, copy = drivers.one(), File("copy.pdf", BARGE.content)
    assert ann.take(BARGE) is Claim.MINE
    assert ann.take(copy) is Claim.HELD
    ann.finish(BARGE)
    assert ann.take(copy) is Claim.MINE


def test_a_lease_that_ran_out_is_taken_over_and_one_that_is_renewed_is_not(drivers: Drivers) -> None:
    silent, ann, bob = drivers.one(lease_s=PAST), drivers.one(), drivers.one()
    silent.take(BARGE)
    assert ann.take(BARGE) is Claim.MINE
    silent.finish(BARGE)  # too late: it is Ann's
    silent.renew()
    assert bob.take(BARGE) is Claim.HELD
    ann.renew()
    assert bob.take(BARGE) is Claim.HELD


def test_a_paper_with_something_left_is_for_the_next_one(drivers: Drivers) -> None:
    ann, bob = drivers.one(), drivers.one()
    ann.take(BARGE)
    ann.finish(BARGE, whole=False)
    assert bob.take(BARGE) is Claim.MINE


def test_a_driver_that_ends_lets_go_of_everything(drivers: Drivers) -> None:
    ann, bob = drivers.one(), drivers.one()
    with ann.at_work():
        assert ann.take(BARGE) is Claim.MINE
        assert bob.take(BARGE) is Claim.HELD
    assert bob.take(BARGE) is Claim.MINE


def test_a_driver_waits_for_the_papers_of_others_until_it_is_told_to_stop(drivers: Drivers) -> None:
    ann, bob = drivers.one(), drivers.one()
    ann.take(BARGE)
    asked = 0

    def stopping() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    assert list(bob.papers([BARGE, GULL], stopping=stopping)) == [GULL]


def test_papers_whose_files_are_gone_are_claimed_apart() -> None:
    assert content_key(PaperFile("", "a.pdf")) != content_key(PaperFile("", "b.pdf"))
