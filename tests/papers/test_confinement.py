"""The process that parses PDFs can neither write files, nor reach the network, nor read other processes' environments."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from methodlens.confined.child import only_needed
from methodlens.confined.confinement import NO_NETWORK, ONLY_READING
from methodlens.papers import WorkerPool
from methodlens.records import PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings
from tests.papers.raw_pdf import deflated, one_page, shown

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux confines a process this way")
_TRY = """
import json, os, socket, sys
from methodlens.confined.confinement import confine
holds = confine()
tried = {}
def attempt(name, act):
    try:
        act()
        tried[name] = "done"
    except OSError as err:
        tried[name] = type(err).__name__
attempt("read", lambda: open(sys.argv[1]).read())
attempt("write", lambda: open(sys.argv[1] + ".new", "w").write("x"))
attempt("truncate", lambda: os.truncate(sys.argv[1], 0))
attempt("remove", lambda: os.remove(sys.argv[1]))
attempt("environ", lambda: open(f"/proc/{os.getppid()}/environ").read())
attempt("connect", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=60))
print(json.dumps([holds, tried]))
"""


def test_a_confined_process_can_only_read(tmp_path: Path) -> None:
    import socket

    paper = tmp_path / "paper.pdf"
    paper.write_text("text")
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = [sys.executable, "-c", _TRY, str(paper), str(server.getsockname()[1])]
        result = subprocess.run(command, check=True, capture_output=True, text=True)
    holds, tried = json.loads(result.stdout)
    assert tried["read"] == "done"
    if ONLY_READING not in holds:
        pytest.skip("this kernel has no Landlock")
    assert "done" not in {tried[name] for name in ("write", "truncate", "remove", "environ")}
    assert paper.read_text() == "text"
    if NO_NETWORK in holds:
        assert tried["connect"] != "done"


def test_a_paper_is_parsed_by_a_confined_process(tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(one_page(deflated(shown(["We trained the newt network on newts and looked at the results."]))))
    with WorkerPool(1, PaperLimits(), ReadingSettings(ocr="off")) as pool:
        assert pool.parse(paper).status is PaperStatus.OK
        assert pool.render(paper, 1).png.startswith(b"\x89PNG")


def test_the_environment_of_the_parser_has_only_what_it_needs() -> None:
    environ = {"PATH": "/bin", "LANG": "C.UTF-8", "MY_PIN": "1234", "OPENAI_API_KEY": "sk", "HOME": "/home/ann", "DSN": "u:p@h"}
    assert only_needed(environ) == {"PATH": "/bin", "LANG": "C.UTF-8"}


def test_the_limit_is_cpu_time_and_the_reason_says_so(tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(one_page(deflated(b"BT /F 11 Tf " + b"40 500 Td (gulls) Tj " * 400_000 + b"ET")))
    with WorkerPool(1, PaperLimits(timeout_s=0.3, memory_mb=3000), ReadingSettings(ocr="off")) as pool:
        parsed = pool.parse(paper)
    assert parsed.status is PaperStatus.TIMEOUT
    assert "s of CPU time; raise papers.timeout_s" in parsed.reason
