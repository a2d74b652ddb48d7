"""W2, by a machine that reads our own description of the API: no request gets a 5xx, and every answer is as described."""

import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from tests.web.conftest import finished, opened

__all__ = ["finished"]

pytestmark = pytest.mark.long
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_generated_requests_to_every_endpoint_give_no_server_error(finished: Path, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis", reason="pip install -e '.[fuzz]' has the machine that makes the requests")
    with opened(Path(copytree(finished, tmp_path / "out"))) as url:
        address, _, token = url.partition("/?token=")
        call = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/api/openapi.json", "--checks", CHECKS]
        call += ["--header", f"Authorization: Bearer {token}", "--exclude-path", "/api/events"]  # events never end
        call += ["--max-examples", "60", "--seed", "8", "--request-timeout", "30", "--warnings", "off", "--no-color"]
        done = subprocess.run(call, capture_output=True, text=True, timeout=900, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert "Tested: 17" in done.stdout
