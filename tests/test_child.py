"""A process of its own: its errors are kept where they are asked for, and it stands in no session but its own."""

from __future__ import annotations

import os
from pathlib import Path

from engine import child


def test_a_child(tmp_path: Path) -> None:
    with (tmp_path / "errors").open("wb") as errors:
        one = child.start("no_such_module", errors=errors)
        assert os.getsid(one.pid) == one.pid != os.getsid(0)
        assert one.wait(60) == 1
    assert "No module named no_such_module" in (tmp_path / "errors").read_text()
    told = "import os; from pathlib import Path; assert os.environ['X'] == 'y' and os.environ['PATH'] and Path('engine', 'child.py').is_file()"
    assert child.start("timeit", "-n1", "-r1", told, env={"X": "y"}).wait(60) == 0
