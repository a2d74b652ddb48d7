"""What a run of the embedded reader needs, measured in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_LIMIT_MB = 250
_MEASURE = """
import sys
from pathlib import Path
from benchmarks.reader_speed import show_speed
show_speed(Path(sys.argv[1]))
status = Path("/proc/self/status").read_text().splitlines()
print([int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")][0])
print([name for name in ("sklearn", "scipy.optimize", "training") if name in sys.modules])
"""


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="peak memory is read from /proc")
def test_papers_are_answered_in_250_mb_and_without_the_training_libraries(tmp_path: Path) -> None:
    (tmp_path / "pdfs").symlink_to(_ROOT / "examples" / "papers")
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(tmp_path)], cwd=_ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    *_, peak, imported = done.stdout.splitlines()
    assert int(peak) < _LIMIT_MB
    assert imported == "[]"
