"""A new lesson is one file of at most 80 lines, and a page of two: menu, map, search and missing sentences know it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

FILE = ROOT / "tests" / "more_lessons" / "unigram_entropy.py"
PAGE = 'from pages.ui import page\n\npage.show_lesson("unigram_entropy")\n'
ASKED = """
import json
from streamlit.testing.v1 import AppTest
from engine.course.curriculum import LESSONS
from engine.course.topics import TOPICS
from engine.course.topics.search import search
from engine.language.catalogue import FOLDER, read
from engine.language.source import sentences
from pages.ui import menu

app = AppTest.from_file("app.py", default_timeout=120).switch_page(
    "pages/241_unigram_entropy.py"
).run()
german = read(FOLDER / "de.po")
print(json.dumps({
    "menu": [item["href"] for era in menu.DATA["eras"] for item in era["lessons"]],
    "found": search("unigram entropy", TOPICS)[0].lesson,
    "missing": [text for text in sentences() if text not in german],
    "said": [block.value for block in app.markdown],
    "errors": [str(error) for error in app.exception],
}))
"""


def test_a_checkout_knows_a_lesson_of_two_files(tmp_path: Path) -> None:
    """“the” comes 2 times in 6, four words once: 2/6 · log2 3 + 4/6 · log2 6 = 2.252 bits."""
    assert len(FILE.read_text().splitlines()) <= 80
    for name in ("engine", "pages"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "app.py", tmp_path)
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    shutil.copy(FILE, tmp_path / "engine" / "lessons")
    (tmp_path / "pages" / "241_unigram_entropy.py").write_text(PAGE)
    found = subprocess.check_output([sys.executable, "-c", ASKED], cwd=tmp_path, text=True)
    told: dict[str, list[str]] = json.loads(found.splitlines()[-1])
    assert "unigram_entropy" in told["menu"] and told["found"] == "unigram_entropy"
    assert not told["errors"]
    assert any("**2.252 bits** on average; 5 words are counted" in words for words in told["said"])
    assert "Entropy of single words" in told["missing"]
    assert any(words.startswith("A word costs **{mean:.3f} bits**") for words in told["missing"])
