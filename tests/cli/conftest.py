"""Calls the command line as a user does, in this process."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from methodlens.cli.app import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Outcome]


@pytest.fixture
def methodlens(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["methodlens", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return call


def one_line(outcome: Outcome) -> str:
    """The error message: exactly one line, with exit code 2 and without a traceback."""
    assert outcome.code == 2, outcome
    assert "Traceback" not in outcome.err
    (line,) = outcome.err.strip().splitlines()
    return line
