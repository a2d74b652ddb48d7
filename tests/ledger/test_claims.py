"""Several drivers share a ledger: each paper is claimed by one driver or done, and leases of dead drivers expire."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from methodlens.ledger.backends import file_engine
from methodlens.ledger.claims import Claim, Claims, content_key
from methodlens.ledger.store import Ledger
from methodlens.papers import PaperFile

LONG, EXPIRED = 60.0, -1.0  # seconds; the second expires at once


class File(NamedTuple):
    name: str
    content: str


BARGE, GULL = File("barge.pdf", "b" * 64), File("gull.pdf", "g" * 64)


class Drivers:
    def __init__(self, folder: Path) -> None:
        Ledger.at(folder, create=True).close()
        self.engine = file_engine(folder / "ledger.sqlite")

    def new(self, run: str = "r", lease_s: float = LONG) -> Claims[File]:
        time.sleep(0.005)  # the clock of SQLite has millisecond resolution
        driver: Claims[File] = Claims(self.engine, run, key_of=lambda file: file.content, lease_s=lease_s)
        time.sleep(0.005)
        return driver


@pytest.fixture
def drivers(tmp_path: Path) -> Iterator[Drivers]:
    drivers = Drivers(tmp_path)
    yield drivers
    drivers.engine.dispose()


def test_only_one_of_two_drivers_gets_a_paper(drivers: Drivers) -> None:
    ann, bob = drivers.new(), drivers.new()
    assert ann.take(BARGE) is Claim.MINE
    assert bob.take(BARGE) is Claim.HELD
    assert bob.take(GULL) is Claim.MINE


def test_a_paper_done_by_another_driver_of_the_run_is_not_repeated(drivers: Drivers) -> None:
    ann, bob = drivers.new(), drivers.new()
    ann.take(BARGE)
    ann.finish(BARGE)
    assert bob.take(BARGE) is Claim.DONE
    assert list(bob.papers([BARGE, GULL])) == [GULL]
    assert bob.elsewhere == 1


def test_a_later_run_claims_every_paper_again(drivers: Drivers) -> None:
    ann = drivers.new()
    ann.take(BARGE)
    ann.finish(BARGE)
    assert drivers.new().take(BARGE) is Claim.MINE
    assert drivers.new(run="another").take(GULL) is Claim.MINE


def test_another_run_waits_for_a_paper_because_they_may_share_cells(drivers: Drivers) -> None:
    ann, other = drivers.new(), drivers.new(run="another")
    ann.take(BARGE)
    assert other.take(BARGE) is Claim.HELD
    ann.finish(BARGE)
    assert other.take(BARGE) is Claim.MINE


def test_a_copy_under_another_name_is_claimed_after_the_first_is_done(drivers: Drivers) -> None:
    ann, copy = drivers.new(), File("copy.pdf", BARGE.content)
    assert ann.take(BARGE) is Claim.MINE
    assert ann.take(copy) is Claim.HELD
    ann.finish(BARGE)
    assert ann.take(copy) is Claim.MINE


def test_an_expired_lease_is_taken_over_and_a_renewed_one_is_not(drivers: Drivers) -> None:
    dead, ann, bob = drivers.new(lease_s=EXPIRED), drivers.new(), drivers.new()
    dead.take(BARGE)
    assert ann.take(BARGE) is Claim.MINE
    dead.finish(BARGE)  # too late: Ann has it
    dead.renew()
    assert bob.take(BARGE) is Claim.HELD
    ann.renew()
    assert bob.take(BARGE) is Claim.HELD


def test_an_incomplete_paper_can_be_claimed_by_another_driver(drivers: Drivers) -> None:
    ann, bob = drivers.new(), drivers.new()
    ann.take(BARGE)
    ann.finish(BARGE, whole=False)
    assert bob.take(BARGE) is Claim.MINE


def test_a_driver_that_ends_releases_its_papers(drivers: Drivers) -> None:
    ann, bob = drivers.new(), drivers.new()
    with ann.at_work():
        assert ann.take(BARGE) is Claim.MINE
        assert bob.take(BARGE) is Claim.HELD
    assert bob.take(BARGE) is Claim.MINE


def test_a_driver_waits_for_papers_of_others_until_it_is_stopped(drivers: Drivers) -> None:
    ann, bob = drivers.new(), drivers.new()
    ann.take(BARGE)
    asked = 0

    def stopping() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    assert list(bob.papers([BARGE, GULL], stopping=stopping)) == [GULL]


def test_papers_whose_files_are_gone_have_separate_claims() -> None:
    assert content_key(PaperFile("", "a.pdf")) != content_key(PaperFile("", "b.pdf"))
