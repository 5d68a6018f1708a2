"""One's own texts are read, shown, stored, counted, renamed, taken away and deleted, whatever they are called."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.core.registry import corpora as built_in
from engine.lessons import counting_texts
from engine.lessons.bag import head as bag
from engine.lessons.bag.evaluate import split
from engine.lessons.corpora import statistics
from engine.text import collection
from engine.text.collection import Library, Stored, counting, reading
from engine.text.collection.scan import Lengths
from pages.ui import corpora, corpora_add, texts
from tests.pages import opening
from tests.pages.opening import said, sound
from tests.pages.tables import tables
from tests.pages.test_every_page import answered

DAYS = [f"On day {i} the captain said that the sea was grey." for i in range(40)]
NOVEL = "\n\n".join(["It was a dark night; the café was shut.", *DAYS])
HOSTILE = "<script>alert(1)</script> **b** [l](javascript:x) $x^2$ :red[y] \u202eabc"
BEGIN, POPEN = counting.start_counting, subprocess.Popen
MARKUP = re.compile(r"(?<!\\)<script|(?<!\\)\*\*b\*\*|(?<!\\)\[l\]|(?<!\\):red|(?<!\\)\$x")


def counted_here(some: Any) -> None:
    """In place of the process: the small texts at once, the large built-in ones not at all."""
    for corpus in some:
        if isinstance(corpus, Stored) or corpus.id == "reviews":
            counting.count(corpus)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    monkeypatch.setattr(corpora, "FIRST", "reviews")
    monkeypatch.setattr(counting, "start_counting", counted_here)
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


opened = partial(opening.opened, "corpora")


def find(at: AppTest, kind: str, label: str) -> Any:
    return next(w for w in at.get(kind) if w.label.startswith(label))


def click(at: AppTest, label: str) -> AppTest:
    return sound(find(at, "button", label).click().run())


def shown(at: AppTest) -> str:
    """What a reader sees of it: the signs before escaped signs are gone."""
    return re.sub(r"\\(.)", r"\1", said(at))


def given(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    at.file_uploader[0].set_value([(name, raw, "application/octet-stream") for name, raw in files])
    return sound(at.run())


def names(at: AppTest) -> list[str]:
    frame = next(found for found in tables(at) if "name" in found)
    return [str(name) for name in frame["name"]]


def test_the_first_view_is_right_with_no_click() -> None:
    at = opened()
    lines = [text.lower() for _, text in built_in.get("reviews").labelled()]
    the = sum(len(re.findall(r"\bthe\b", line)) for line in lines)
    words = Counter(word for line in lines for word in re.findall(r"[a-z]+(?:'[a-z]+)?", line))
    assert f"“the” {the:,}" in said(at)
    assert f"**{len(words):,} different words** in {words.total():,}" in said(at)
    assert "on this computer" in said(at) and names(at) == [c.title for c in collection.list_all()]
    row = next(found for found in tables(at) if "name" in found).set_index("name")
    found = row.loc["Short reviews"][["characters", "words", "language"]]
    characters = sum(len(line) + 1 for line in lines)
    assert [*found] == [f"{characters:,}", f"{words.total():,}", "English"]


def test_files_are_read_one_by_one_shown_stored_renamed_and_deleted() -> None:
    raw = NOVEL.encode("cp1252") + b"\0\0\0"
    files = ("novel.txt", raw), ("broken.docx", b"PK\x03\x04 torn"), ("empty.txt", b"")
    at = given(opened(text_part="Lengths"), *files)
    assert "novel.txt: decoded as cp1252; 3 NUL characters removed." in shown(at)
    assert [e.value.partition(r"\:")[0] for e in at.error] == [r"broken\.docx", r"empty\.txt"]
    assert not Library().all(), "nothing is stored before it is added"
    assert "41 passages" in said(at)
    assert at.code[0].value.startswith("It was a dark night; the café")
    find(at, "text_input", "Name").set_value(HOSTILE)
    at = click(at, "Add this text")
    (stored,) = Library().all()
    assert stored.whole().rstrip("\n") == NOVEL
    assert stored.about["notes"] == ["novel.txt: decoded as cp1252; 3 NUL characters removed."]
    assert names(at)[0] == stored.title == " ".join(HOSTILE.replace("\u202e", " ").split())
    assert find(at, "selectbox", "Text to look at").value == stored.title
    assert not MARKUP.search(said(at)) and "".join(at.query_params["corpus"]) == stored.id
    assert not at.file_uploader[0].value
    assert "Before it is added" not in [s.value for s in at.subheader]

    find(at, "text_input", "New name").set_value("A *better* name")
    at = click(at, "Rename it")
    shown_ = find(at, "selectbox", "Text to look at").value
    assert Library().find(stored.id).title == shown_ == names(at)[0] == "A *better* name"
    assert "Delete “A *better* name” for good?" in shown(at) and Library().all()
    at = click(at, "Yes, delete it")
    assert not Library().all()
    assert names(at)[-1] == "Short reviews" == find(at, "selectbox", "Text to look at").value
    assert "“A *better* name” is deleted" in shown(at)
    assert "*better*" not in said(at).replace("\\*", "")


def test_tables_pairs_archives_and_what_is_pasted() -> None:
    table = 'mood,line\ngood,what a day\nbad,"rain, rain"\ngood,\n'
    at = given(opened(), ("moods.csv", table.encode()))
    assert find(at, "selectbox", "Column with the text").options == ["mood", "line"]
    at.session_state["corpora.kind"] = "labelled"
    sound(at.run())
    find(at, "selectbox", "Column with labels").set_value("mood")
    find(at, "selectbox", "Column with texts").set_value("line")
    at = click(sound(at.run()), "Add this text")
    (stored,) = Library().all("labelled")
    assert stored.pairs() == [("good", "what a day"), ("bad", "rain, rain")]
    assert stored.title == "moods"
    assert "1 row with an empty side left out" in said(at)

    at = given(at, ("en.txt", b"a cat\na dog\n"), ("fr.txt", b"un chat\n"))
    at.session_state["corpora.kind"] = "parallel"
    assert "go together line by line" in said(sound(at.run()))
    given(at, ("en.txt", b"a cat\na dog\n"), ("fr.txt", b"un chat\nun chien\n"))
    click(at, "Add this text")
    assert Library().all("parallel")[0].pairs() == [("a cat", "un chat"), ("a dog", "un chien")]

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("../../up.txt", "the first file\n")
        file.writestr("b.bin", bytes(range(256)) * 20)
    at = opened()
    given(at, ("both.zip", packed.getvalue()))
    find(at, "text_area", "Or paste").set_value("and a pasted line")
    sound(at.run())
    assert "1 file of both.zip left out" in shown(at)
    click(at, "Add this text")
    (text,) = Library().all("text")
    assert text.whole() == "the first file\nand a pasted line\n"
    assert not (Library().root.parent.parent / "up.txt").exists()
    find(at, "text_area", "Or paste").set_value("the first file\nand a pasted line")
    at = click(sound(at.run()), "Add this text")
    assert "is here already" in said(at) and len(Library().all("text")) == 1


def until(at: AppTest, there: Any) -> AppTest:
    """The page as its bar goes on, which asks for it twice a second."""
    end = time.monotonic() + 60
    while not there(at) and time.monotonic() < end:
        time.sleep(0.05)
        sound(at.run())
    assert there(at)
    return at


def test_what_is_large_is_read_by_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(*_: Any, **__: Any) -> None:
        raise AssertionError("this would hold up everybody else")

    def buttons(at: AppTest) -> list[str]:
        return [b.label for b in at.button]

    def large(name: str, size: int, begins: bytes = b"") -> bool:
        upload = corpora_add.Upload(name, name, size, lambda: begins + b"x" * 2000)
        return corpora_add.are_large([upload])

    assert [large("a.txt", size) for size in (1_900_000, 2_100_000)] == [False, True]
    assert [large("a.pdf", size) for size in (15_000, 25_000)] == [False, True]
    assert large("a.txt", 25_000, b"PK\x03\x04")
    assert large("a.txt", 25_000, b"%PDF-1.7")
    assert not large("a.csv", 25_000)
    monkeypatch.setattr(corpora_add, "PLAIN", 100)
    for of, name in ((reading, "read"), (reading, "tables"), (Library, "add")):
        monkeypatch.setattr(of, name, held)
    table = "mood,line\n" + "".join(f"good,day {n} was <b>fine</b>\n" for n in range(40))
    at = given(opened(), ("moods.csv", table.encode()))
    at = until(at, lambda at: any(s.label.startswith("Column") for s in at.selectbox))
    assert find(at, "selectbox", "Column with the text").value == "mood" and not Library().all()
    find(at, "selectbox", "Column with the text").set_value("line")
    at = until(sound(at.run()), lambda at: "Add this text" in buttons(at))
    assert "**40" not in said(at)
    assert "in 40 passages" in said(at)
    assert at.code[0].value.startswith("day 0 was <b>fine</b>")
    monkeypatch.setenv("UNROLLED_QUOTA_MB", "0.0005")
    at = until(click(at, "Add this text"), lambda at: at.error)
    assert "delete one, or set UNROLLED" in shown(at) and not Library().all()
    monkeypatch.delenv("UNROLLED_QUOTA_MB")
    at = until(click(at, "Add this text"), lambda at: "is added, and shown below" in said(at))
    (stored,) = Library().all()
    assert stored.whole().splitlines() == [f"day {n} was <b>fine</b>" for n in range(40)]
    assert stored.title == "moods" == names(at)[0]
    assert [p.name for p in Library().root.iterdir()] == [stored.id], "of the upload nothing stays"

    asleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    with monkeypatch.context() as m:
        m.setattr(subprocess, "Popen", lambda command, **more: POPEN(asleep, **more))
        at = given(at, ("again.txt", NOVEL.encode()))
    at = until(click(at, "Stop"), lambda at: "It was stopped." in shown(at))
    at = until(click(at, "Read again"), lambda at: "Add this text" in buttons(at))
    at.file_uploader[0].set_value([])
    sound(at.run())
    assert [p.name for p in Library().root.iterdir()] == [stored.id]
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    find(at, "text_input", "Data set").set_value("engine/text/collection")
    at = until(click(at, "Fetch it"), lambda at: at.error)
    assert "is not the name of a data set" in shown(at) and "Add this text" not in buttons(at)


def test_any_text_is_shown_as_text() -> None:
    text = f"{HOSTILE}\n👩‍🚀🏳️‍🌈 שלום 日本語。\n!!! ... ???\n" + "the same line\n" * 3
    stored = Library().add(text, "hostile")
    at = opened(corpus=stored.id)
    for part in (*(part.title for part in statistics.COUNTED), "Read and search"):
        at.session_state["text_part"] = part
        assert not MARKUP.search(said(sound(at.run()))) and not at.error
    assert at.code[-1].value.strip() == stored.whole().strip()
    find(at, "text_input", "Search").set_value(text[:20])
    assert not at.error and not MARKUP.search(said(sound(at.run())))
    at = opened(corpus=Library().add("!!! ...", "no word").id)
    assert not at.error


def test_the_reader_sends_a_page_and_finds_every_place(monkeypatch: pytest.MonkeyPatch) -> None:
    foxes = (f"line {n}: the {'fox' if n % 3 else 'Fox'} met a foxglove" for n in range(2000))
    text = "\n".join(foxes)
    stored = Library().add(text, "foxes")
    at = opened(corpus=stored.id, text_part="Read and search")
    assert len(at.code[-1].value) < 2 * corpora.PAGE and "Only this part" in said(at)
    find(at, "text_input", "Search").set_value("fox")
    assert f"**{len(re.findall('fox', text, re.IGNORECASE)):,} matches.**" in said(sound(at.run()))
    next(t for t in at.toggle if t.label.startswith("Match")).set_value(True)
    next(t for t in at.toggle if t.label.startswith("Whole")).set_value(True)
    sound(at.run())
    rows = next(frame.value for frame in at.dataframe if "found" in frame.value)
    whole = len(re.findall(r"\bfox\b", text))
    assert f"**{whole:,} matches.**" in said(at)
    assert list(rows["found"]) == ["fox"] * corpora.PER_PAGE
    assert list(rows["line"][:2]) == [2, 3] and rows["before"][0] == "line 1: the "


def test_links_to_texts_that_are_gone_or_alike() -> None:
    at, gone = opened(corpus="gone-12345678"), "There is no text “gone-12345678”"
    assert gone in shown(at)
    assert gone in shown(sound(at.run()))  # the table asks for another run once all is counted
    box = next(box for box in at.selectbox if box.key == corpora.KEY)
    box.select(next(label for label in box.options if label != box.value))
    assert gone not in shown(sound(at.run()))
    stored = Library().add(NOVEL, "novel")
    (stored.folder / "text.txt").write_text("cut")
    at = opened(corpus=stored.id, text_part="Read and search")
    assert any("damaged" in e.value for e in at.error)
    first, second = (Library().add(text, "Little stories") for text in ("one", "two"))
    listed = texts.listed()
    assert len(set(listed.values())) == len(listed)
    assert {first.id, second.id} <= set(listed)
    assert not texts.listed("tagged")
    assert listed["stories"] == "Little stories" and first.id[-8:] in listed[first.id]


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    lines = [f"passage {n} of the text" for n in range(500)]
    stored = Library().add("\n".join(lines), "long")
    beginning = texts.beginning(stored.id, 2_000)
    assert stored.text().startswith(beginning) and 1_500 < len(beginning) <= 2_000
    assert "first 2,000 of" in texts.left_out(stored.id, 2_000, "counted")
    assert not texts.left_out(stored.id, 10**6)
    assert texts.beginning(stored.id, 10**6) == stored.text() != stored.whole(), "the test part"
    pieces = texts.stretches(stored.id, 5, 100)
    assert len(pieces) == 5 and all(p.startswith("passage") and p in stored.text() for p in pieces)
    tagged = Library().add([("the cat", "DET NOUN")], "tags", kind="tagged")
    assert texts.beginning(tagged.id, 100) == "the cat\n"
    assert texts.read(tagged.id, 100) == [("the cat", "DET NOUN")]


def test_lessons_count_a_text_of_ones_own_by_its_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting_texts, "MOST_CHARACTERS", 1_000)
    stored = Library().add("\n".join(f"the cat saw {n} mats" for n in range(200)), HOSTILE)
    at = opening.opened("smoothing", corpus=stored.id)
    assert at.selectbox(key="study.corpus").value == stored.id and not MARKUP.search(said(at))
    assert f"first 1,000 of its {stored.about['characters']:,} characters" in said(at)
    (lines,) = re.findall(r"(\d+) lines counted, (\d+) more held out", said(at))
    read = texts.beginning(stored.id, 1_000).splitlines()
    assert sum(map(int, lines)) == len(read) < 50

    rows = [(label, f"{label} thing {n}") for n in range(30) for label in ("red", "blue")]
    pairs = Library().add(rows, "colours", kind="labelled")
    at = opening.opened("bag", corpus=pairs.id)
    header, _ = answered(at, "bag", "a red thing")
    assert header["layout"]["readers"][0]["labels"]["label"] == ["blue", "red"]
    given = [label for label, _ in bag.stored_rows(pairs.id, 10**6)]
    assert len(given) == sum(pairs.about["passages"][p] for p in ("train", "validation"))
    assert f"the {len(split(given, 0.3, 0)[1])} held-out texts are resampled" in said(at)


def test_bars_hold_every_length_that_is_drawn() -> None:
    drawn = np.random.default_rng(0).geometric(0.02, 5000)
    counts = np.bincount(drawn, minlength=4096)
    made, left_out = statistics.histogram(Lengths(counts, int(drawn.sum()), int(drawn.max())))
    bars = list(zip(made["start"], made["stop"], made["value"], strict=True))
    assert len(bars) <= statistics.BARS
    for a, b, count in bars:
        assert ((drawn >= a) & (drawn < b)).sum() == count
    assert sum(v for _, _, v in bars) + left_out == 5000 and left_out < 0.005 * 5000


def test_a_process_counts_and_what_it_counted_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "start_counting", BEGIN)
    stored = Library().add(NOVEL, "counted by a process")
    counting.start_counting([stored])
    assert counting.state(stored).alive
    until = time.monotonic() + 60
    while (found := counting.read_counted(stored)) is None and time.monotonic() < until:
        time.sleep(0.05)
    assert found.words == len(re.findall(r"\w+", NOVEL)) == stored.about["words"]
    assert found.language[0] == "English"
    again = counting.count(stored)
    assert found.statistics.frequencies.ngrams == again.statistics.frequencies.ngrams
    assert found.statistics.duplicates == again.statistics.duplicates
    lengths = [one.statistics.lengths["sentence"].counts for one in (found, again)]
    np.testing.assert_array_equal(*lengths)
    Library().delete(stored.id)
    gone = Library().add("another text", "gone")
    (gone.folder / "text.txt").write_text("x")
    counting.run([gone.id])
    assert "damaged" in counting.state(gone).error and not counting.state(gone).alive


def test_a_language_that_is_hardly_more_than_a_guess_has_a_question_mark() -> None:
    assert corpora.tongue("English", "sure") == "English"
    assert corpora.tongue("German", "likely") == "German"
    assert corpora.tongue("Romanian", "unsure") == "Romanian?"
    assert corpora.tongue("unknown", "unsure") == "unknown" and corpora.tongue("", "") == ""
