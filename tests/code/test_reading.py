"""Repositories are read in a confined child, whatever is in them."""

import io
import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from methodlens.code.reading import read_repository
from methodlens.records.code import RepositoryStatus
from methodlens.settings import CodeLimits
from tests.code.repositories import read, values, write

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _commit(folder: Path, date: str) -> str:
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    env = {**os.environ, **identity, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "GIT_CONFIG_GLOBAL": os.devnull}
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "state"]):
        subprocess.run(["git", *command], cwd=folder, env=env, check=True, capture_output=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True)
    return head.stdout.strip()


@needs_git
def test_a_date_gives_the_state_of_that_day_and_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    first = _commit(write(clone, {"run.py": "import random\nrandom.seed(1)\n"}), "2021-03-01T12:00:00+00:00")
    _commit(write(clone, {"run.py": "import random\nrandom.seed(2)\n"}), "2023-03-01T12:00:00+00:00")
    trap = tmp_path / "trap"
    (clone / "run.py").write_text("import random\nrandom.seed(3)\n")
    config = clone / ".git" / "config"
    config.write_text(
        config.read_text()
        + f'[core]\n\tfsmonitor = "touch {trap}"\n\tpager = "touch {trap}"\n[filter "x"]\n\tsmudge = "touch {trap}"\n'
        f'[alias]\n\tcat-file = "!touch {trap}"\n'
    )
    (clone / ".git" / "info" / "attributes").write_text("* filter=x\n")
    early, late = read_repository(clone, at="2022"), read_repository(clone)
    assert (values(early, "seeds"), early.commit, early.date[:10]) == ([1], first, "2021-03-01")
    assert values(late, "seeds") == [2]
    assert not trap.exists()
    assert read_repository(clone, at="2020-01-01").reason.startswith("it has no commit at or before 2020-01-01")
    assert read_repository(clone, at="--upload-pack=x").status is RepositoryStatus.MALFORMED


def test_what_cannot_be_read_gets_a_status_and_a_reason(tmp_path: Path) -> None:
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"not an archive")
    assert read_repository(tmp_path / "absent").status is RepositoryStatus.MISSING
    assert read_repository(broken).status is RepositoryStatus.MALFORMED
    os.mkfifo(tmp_path / "pipe.zip")
    assert read_repository(tmp_path / "pipe.zip").reason == "it is neither a folder nor a file; check the path"
    without_history = read_repository(tmp_path, at="2022")
    assert without_history.status is RepositoryStatus.MALFORMED
    assert "git history" in without_history.reason


def test_links_and_archives_do_not_lead_out_of_the_repository(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("import random\nrandom.seed(666)\n")
    folder = write(tmp_path / "folder", {"a.py": "x = 1\n"})
    (folder / "link.py").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    repository = read(folder, {})
    assert not values(repository, "seeds")
    assert repository.skipped == ("symbolic link, not followed (2): link.py, up",)

    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name in ("top/a.py", "../secret.py", "/etc/b.py"):
            member = tarfile.TarInfo(name)
            member.size = len(secret.read_bytes())
            tar.addfile(member, io.BytesIO(secret.read_bytes()))
        link = tarfile.TarInfo("top/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        tar.addfile(link)
    read_archive = read_repository(archive)
    assert [finding.file for finding in read_archive.findings] == ["a.py"]
    assert any("leads out" in line and "(2)" in line for line in read_archive.skipped)


def test_a_bomb_is_skipped_or_refused(tmp_path: Path) -> None:
    archive = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("top/train.py", b"#" * (5 << 20))
        bomb.writestr("top/a.py", "import random\nrandom.seed(4)\n")
    repository = read_repository(archive)
    assert values(repository, "seeds") == [4]
    assert repository.skipped == ("larger than 1,024 kB (1): train.py",)
    tar = tmp_path / "bomb.tar.gz"
    with tarfile.open(tar, "w:gz") as packed:
        member = tarfile.TarInfo("top/data.bin")
        member.size = 30 << 20
        packed.addfile(member, io.BytesIO(bytes(30 << 20)))
    assert read_repository(tar, limits=CodeLimits(max_total_mb=1)).status is RepositoryStatus.TOO_BIG


def test_hostile_files_do_not_stop_the_others(tmp_path: Path) -> None:
    aliases = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30))
    files = {
        "nested.py": "x = " + "(" * 50_000,
        "minus.py": "x = " + "-" * 50_000 + "1\n",
        "deep.yaml": "[" * 50_000,
        "aliases.yaml": aliases + "seed: 8\n",
        "deep.json": '{"a":' * 50_000,
        "deep.ipynb": "[" * 50_000,
        "pyproject.toml": "a = " + "[" * 50_000,
        "nul.py": "\0" * 100,
        "good.py": "import random\nrandom.seed(9)\n",
    }
    repository = read_repository(write(tmp_path, files))
    assert repository.status is RepositoryStatus.OK, repository.reason
    assert sorted(values(repository, "seeds"), key=str) == [8, 9]


def test_too_many_files_are_too_big(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}.py": "" for number in range(4)})
    assert read_repository(tmp_path, limits=CodeLimits(max_files=3)).status is RepositoryStatus.TOO_BIG
