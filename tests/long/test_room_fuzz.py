"""Requests generated from the OpenAPI description: no 5xx, and every response matches the description."""

import subprocess
import sys
from pathlib import Path
from shutil import copytree

import httpx
import pytest

from tests.web.conftest import finished_run, open_room

__all__ = ["finished_run"]

pytestmark = pytest.mark.long
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_generated_requests_to_every_endpoint_give_no_server_error(finished_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis", reason="the extra 'fuzz' is not installed")
    with open_room(Path(copytree(finished_run, tmp_path / "out"))) as url:
        address, _, token = url.partition("/?token=")
        described = httpx.get(f"{address}/api/openapi.json", headers={"Authorization": f"Bearer {token}"}).json()
        call = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/api/openapi.json", "--checks", CHECKS]
        call += ["--header", f"Authorization: Bearer {token}", "--exclude-path", "/api/events"]  # events never end
        call += ["--max-examples", "60", "--seed", "8", "--request-timeout", "300", "--warnings", "off", "--no-color"]
        done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)  # where schemathesis writes its cache
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    operations = sum(len(methods) for path, methods in described["paths"].items() if path != "/api/events")
    assert f"Tested: {operations}" in done.stdout
