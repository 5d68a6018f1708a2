"""The word-vector page: what it says is what the vectors say, and it survives what people type and
bring."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.core.registry import models
from engine.core.trace import Field
from engine.lessons.vectors import typed
from engine.models.wordspace import WordSpace
from engine.runs.store import RunStore
from pages.ui import readers
from pages.ui.vectors import files, panels, relations, tests, unknown
from tests.conftest import ROOT

RUN = RunStore().find("skipgram")
MODEL = RunStore().load(RUN)


def opened(part: str = "Analogies") -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180).switch_page(
        "pages/320_vectors.py"
    )
    at.session_state["vec_part"] = part
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info))


def test_it_answers_analogies_in_two_ways() -> None:
    at = opened()
    assert not at.exception and not at.error
    assert "king − man + woman ≈ **queen**" in said(at) and "the nearest word is **king**" in said(
        at
    )
    at.text_input(key="an_a").set_value("big")
    at.text_input(key="an_b").set_value("bigger")
    at.text_input(key="an_c").set_value("</b>|*_").run()
    assert not at.exception and "No vector for" in said(at)
    at.text_input(key="an_c").set_value("").run()
    assert not at.exception and "each of the three boxes" in said(at)


def test_it_compares_relations_and_shows_the_kept_tests() -> None:
    at = opened("What a cosine does not say")
    unit = MODEL.space.unit
    row = MODEL.space.row
    cosine = float(unit[row("north")] @ unit[row("south")])
    assert f"to {cosine:.2f} (north, south)" in said(at)
    at = opened("How good are they?")
    kept = json.loads((RUN.folder / "evaluation.json").read_text())["analogies"]
    assert (
        f"**Analogies: {100 * kept['right'] / kept['known']:.1f} %**" in said(at)
        and kept["right"] > 3 * kept["honest"]
    )
    found = relations.measured(MODEL)
    assert (
        all(pairs == sorted(pairs, key=lambda p: p[1]) for pairs in found.values())
        and len(found) == 4
    )


@pytest.mark.parametrize(
    "part",
    [
        "Analogies",
        "What a cosine does not say",
        "How good are they?",
        "What are they used for?",
        "Files",
    ],
)
def test_every_part_opens(part: str) -> None:
    at = opened(part)
    assert not at.exception and not at.error and len(at.subheader) + len(at.markdown) > 2


def test_typed_words_are_compared_once_each() -> None:
    trace = MODEL.trace("king Queen king applw banana", fields=("vector", "neighbours"))
    words, unit_ND = typed.words_of(trace)
    assert words == ["king", "Queen", "banana"]
    np.testing.assert_allclose(np.linalg.norm(unit_ND, axis=1), 1, atol=1e-5)
    stage = panels.stage(RUN, MODEL)
    drawn = {p.id: p.figure({"space": trace}, {}) for p in stage.panels if p.figure}
    similarity = drawn["similarity"].inputs()[0]
    assert isinstance(similarity, Field) and similarity.values[0, 1] == pytest.approx(
        MODEL.trace("king queen").field("cosine").values[1, 2], abs=1e-5
    )
    assert len(drawn["neighbours"].frame()) == 12 and len(drawn["oddone"].frame()) == 3
    empty = MODEL.trace("", fields=("vector", "neighbours"))
    assert typed.words_of(empty)[0] == []


def test_words_without_a_vector_get_their_spelling() -> None:
    assert unknown.spelled_alike(MODEL.space.words, "Applw") == ["apple", "apply"]
    assert unknown.spelled_alike(MODEL.space.words, "x" * 10_000) == []


SETTLED = """
from engine.runs.store import RunStore
from pages.ui.vectors import idle
run = RunStore().find("skipgram")
model = RunStore().load(run)
idle.show(run, model, model.trace({text!r}, fields=("vector", "neighbours")))
"""


@pytest.mark.parametrize(
    "text", ["", "the", "applw 👩‍👧 hyperhappiness <b>", "king queen banana " * 60]
)
def test_the_settled_part_survives_any_text(text: str) -> None:
    at = AppTest.from_string(SETTLED.format(text=text), default_timeout=180).run()
    assert not at.exception
    if "applw" in text:
        assert (
            "**applw** has no vector of its own. This model builds none. One slip away in spelling:"
            " apple, apply." in said(at)
        )
    at.text_input(key="ax_left").set_value("woman").run()
    assert not at.exception and "two different words" in said(at)
    at.text_input(key="ax_left").set_value("qqqq").run()
    assert not at.exception and "No vector for “qqqq”" in said(at)


COMPOSED = """
from pages.ui.vectors import unknown
from tests.conftest import _trained
model = _trained("fasttext")
unknown.show(model, model.trace("the catt zzqx", fields=("vector", "neighbours")))
"""


def test_a_model_with_n_grams_composes_and_says_from_what(trained: Callable[[str], Any]) -> None:
    model = trained("fasttext")
    at = AppTest.from_string(COMPOSED, default_timeout=180).run()
    assert not at.exception
    word, cosine = model.space.nearest(model.compose("catt"), 1)[0]
    assert (
        "**catt** has no vector of its own. Nearest words to the vector composed from its n-grams:"
        f" {word} ({cosine:.2f})" in said(at)
    )
    apart = float(model.space.cosines(model.compose("catt"))[0][model.space.row("cat")])
    assert f"One slip away in spelling: cat ({apart:.2f})" in said(
        at
    ) and "builds one for any other" in said(at)


def test_a_reader_s_own_tests_are_told_apart() -> None:
    found = tests.measured(MODEL, "mine.txt", b": family\nman woman king queen\n")
    assert (
        found["analogies"]["known"] == 1
        and found["analogies"]["right"] == 1
        and found["analogies"]["honest"] == 0
    )
    pairs = tests.measured(
        MODEL, "pairs.csv", b"a,b,score\nking,queen,9\nking,banana,1\nthe,xyzzy,3\n"
    )
    assert pairs["similarity"] == [
        {"name": "pairs", "pairs": 3, "known": 2, "spearman": pytest.approx(1)}
    ]
    for bad in (b"", b"\0\0", b"only words here and no score\n" * 3):
        with pytest.raises(ValueError, match=r"no pair|not a text"):
            tests.measured(MODEL, "bad", bad)


def test_a_child_process_answers_or_says_why_not() -> None:
    listed = files.engine("list", "lessons")["lessons"]  # type: ignore[attr-defined]
    assert "vectors" in [lesson["id"] for lesson in listed]
    with pytest.raises(ValueError, match="'0' is not a whole number"):
        files.engine("import", "file", "--words", "0")


def test_files_of_vectors_are_brought_and_what_was_done_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    at = opened("Files")
    tensors, metadata = b"0.5\t1\t2\n3\t4\t5\n6\t7\t8\n", b"rain\nsun\nrain\n"
    brought = [
        ("metadata.tsv", metadata, "text/plain"),
        ("tensors.tsv", tensors, "text/plain"),
    ]
    at.file_uploader(key="vec_file").set_value(brought).run()
    at.button(key="vec_read").click().run()
    assert not at.exception and not at.error
    run = RunStore().find(str(next((tmp_path / "runs").iterdir())))
    assert RunStore().load(run).space.words == ("rain", "sun")
    notes = ["the words are those of metadata.tsv", "1 left out: words that stand there twice"]
    assert run.title == "tensors.tsv" and run.note["vectors"]["notes"] == notes
    assert all(note in said(at).replace("\\", "") for note in notes)


def test_several_tables_at_once_are_too_many() -> None:
    at = opened("Files")
    brought = [(f"{n}.txt", b"a 1 2\n", "text/plain") for n in range(2)]
    at.file_uploader(key="vec_file").set_value(brought).run()
    at.button(key="vec_read").click().run()
    assert "Choose one file of word vectors" in at.error[0].value


def test_every_table_of_word_vectors_is_offered() -> None:
    spaces = {id for id in models.ids() if issubclass(models.get(id), WordSpace)}
    assert set(readers.word_spaces()) == spaces | {"vectors"}
