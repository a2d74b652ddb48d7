"""Passwords in URLs of papers: used to fetch them, and found nowhere else."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from methodlens.papers.files import printable_name
from methodlens.text.url_secrets import redact_message, redact_url
from tests.cli.conftest import Call, methodlens, one_line  # noqa: F401 - a fixture
from tests.conftest import EXAMPLES

CANARY = "canary-7c1f"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.org/a@b/c.pdf", "https://example.org/a@b/c.pdf"),
        ("https://example.org:8080/a@b.pdf", "https://example.org:8080/a@b.pdf"),
        (f"s3://ann:{CANARY}@bucket/papers", "s3://ann@bucket/papers"),
        (f"s3://ann:tulip@{CANARY}@bucket/papers", "s3://ann@bucket/papers"),
        (f"https://ann:tulip/{CANARY}@example.org/papers", "https://ann@example.org/papers"),
        (f"https://ann:tulip?{CANARY}#x@example.org/papers", "https://ann@example.org/papers"),
        (f"https://{CANARY}@example.org/papers", "https://***@example.org/papers"),
        (f"https://:{CANARY}@example.org/papers", "https://@example.org/papers"),
        (f"https:/ann:{CANARY}@example.org/papers", "https:/ann@example.org/papers"),
        ("abfs://papers@account.example.org/x", "abfs://papers@account.example.org/x"),
        (f"zip://a.pdf::https://ann:{CANARY}@example.org/a.zip", "zip://a.pdf::https://ann@example.org/a.zip"),
        (f"https://example.org/a.pdf?X-Amz-Signature={CANARY}&part=2", "https://example.org/a.pdf?X-Amz-Signature=***&part=2"),
        ("C:/ann:moss@home/a.pdf", "C:/ann:moss@home/a.pdf"),
        ("papers/a.pdf", "papers/a.pdf"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert redact_url(url) == printable_name(url) == shown
    assert CANARY not in shown


@pytest.mark.parametrize("message", ["no host tulip@bucket", "Invalid bucket ann:p%40tulip", "p@tulip is wrong"])
def test_a_message_that_repeats_a_part_of_the_password_is_not_shown(message: str) -> None:
    assert redact_message(message, "s3://ann:p@tulip@bucket/papers") == "its message contained the password"
    assert redact_message("no such bucket", "s3://ann:p@tulip@bucket/papers") == "no such bucket"


@pytest.fixture
def vault() -> str:
    """A store that is opened by the password in its URL, and repeats it in errors."""
    fsspec = pytest.importorskip("fsspec", reason="papers by URL need the extra 'cloud'")
    from fsspec.implementations.memory import MemoryFileSystem

    class Vault(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no types
        protocol = "vault"
        cachable = False

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return path.removeprefix("vault://").rstrip("/")

        def unstrip_protocol(self, name: str) -> str:
            return f"vault://{name}"

        def isfile(self, path: str) -> bool:
            self._check(path)
            return path.endswith(".pdf")

        def find(self, path: str, **_options: object) -> list[str]:
            self._check(path)
            return [f"{path}/rented-cpu.pdf", f"{path}/gone.pdf"]

        def open(self, path: str, mode: str = "rb", **_options: object) -> Any:
            self._check(path)
            return (EXAMPLES / "papers" / path.rpartition("/")[2]).open(mode)

        def _check(self, path: str) -> None:
            if not path.startswith(f"ann:{CANARY}@safe/"):
                raise PermissionError(f"{path}: wrong password")

    fsspec.register_implementation("vault", Vault, clobber=True)
    return f"vault://ann:{CANARY}@safe"


def test_the_password_in_a_url_fetches_the_papers_and_is_kept_nowhere(
    methodlens: Call,  # noqa: F811
    vault: str,
    tmp_path: Path,
) -> None:
    questions, out = tmp_path / "questions.txt", tmp_path / "out"
    questions.write_text("Which GPUs were used for training?\n")
    options = ["--questions", questions, "--out", out, "--no-pages"]
    sources = [f"{vault}/papers", f"{vault}/more/papers"]  # the same names twice, so that their whole URLs are used
    run = methodlens("run", *sources, *options)
    assert "papers: 2 crashed, 2 ok" in run.out
    results = [run, methodlens("run", *sources, *options, "--dry-run")]
    results += [methodlens(command, "--out", out) for command in ("export", "report")]
    assert all(CANARY not in text for result in results for text in (result.out, result.err))
    assert "ann@safe/more/papers/rented-cpu.pdf" in run.out
    with sqlite3.connect(out / "ledger.sqlite") as database:
        assert CANARY not in "\n".join(database.iterdump())
    assert all(CANARY.encode() not in path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert "0 asked" in methodlens("run", *sources, *options).out


def test_a_wrong_password_is_refused_in_one_line_that_does_not_show_it(methodlens: Call, vault: str, tmp_path: Path) -> None:  # noqa: F811
    line = one_line(methodlens("run", f"{vault.replace(CANARY, 'tulip@moss')}/papers", "--out", tmp_path))
    assert "vault://ann@safe/papers cannot be listed" in line
    assert "tulip" not in line
    assert "moss" not in line


@pytest.mark.parametrize(
    "url",
    ["reference://papers", "reference://", "zip://a.pdf", "zip://", "simplecache://x", "dir://x", "://x", "tar://x", "git://x",
     "filecache://x", "blockcache::memory://x", "zip://*.pdf::file:///nothing.zip", "github://x", "data:,x://y", "ftp://[::1", "asyncwrapper://x"],
)  # fmt: skip
def test_an_odd_url_is_refused_in_one_line(methodlens: Call, tmp_path: Path, url: str) -> None:  # noqa: F811
    pytest.importorskip("fsspec", reason="papers by URL need the extra 'cloud'")
    assert url.partition("::")[0][:5] in one_line(methodlens("run", url, "--out", tmp_path / "out"))
