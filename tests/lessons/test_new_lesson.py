"""A new lesson is one file of at most 80 lines, and a page of two: menu, course map, search and the list
of sentences without a translation know it, and its page shows its numbers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT

FILE = ROOT / "tests" / "more_lessons" / "unigram_entropy.py"
PAGE = 'from pages.ui import page\n\npage.show("unigram_entropy")\n'
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


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What a checkout says that has the two files besides."""
    here = tmp_path_factory.mktemp("checkout")
    for name in ("engine", "pages"):
        shutil.copytree(ROOT / name, here / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "app.py", here)
    (here / "assets").symlink_to(ROOT / "assets")
    shutil.copy(FILE, here / "engine" / "lessons")
    (here / "pages" / "241_unigram_entropy.py").write_text(PAGE)
    said = subprocess.check_output([sys.executable, "-c", ASKED], cwd=here, text=True)
    found: dict[str, list[str]] = json.loads(said.splitlines()[-1])
    return found


def test_it_is_short() -> None:
    assert len(FILE.read_text().splitlines()) <= 80


def test_menu_map_and_search_know_it(told: dict[str, list[str]]) -> None:
    assert "unigram_entropy" in told["menu"]
    assert told["found"] == "unigram_entropy"


def test_its_page_shows_the_entropy(told: dict[str, list[str]]) -> None:
    """“the” comes 2 times in 6, four words once: 2/6 · log2 3 + 4/6 · log2 6 = 2.252 bits."""
    assert not told["errors"]
    assert any("**2.252 bits** on average; 5 words are counted" in words for words in told["said"])


def test_its_sentences_are_missing_in_german(told: dict[str, list[str]]) -> None:
    assert "Entropy of single words" in told["missing"]
    assert any(words.startswith("A word costs **{mean:.3f} bits**") for words in told["missing"])
