"""Moved words: the lesson's numbers are those of the engine, it bears any input, and a missing seed is
said."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.course.curriculum import lesson
from engine.lessons.moved import head, parts
from engine.runs import store as runs
from engine.runs.store import RunStore
from engine.vectors import contextual, moved
from tests.lessons.blocks import said, tables

SHIPPED = ("vectors_novels_0", "vectors_novels_1", "vectors_wiki_0", "vectors_wiki_1")
LESSON = lesson("moved")


def pair(**chosen: str) -> Any:
    return head.HEAD.answer({**chosen, **head.HEAD.values(chosen)})[1]


def test_the_table_says_what_the_engine_says() -> None:
    blocks = parts.words.blocks(lesson=LESSON, pair=pair(), moved_words="china Water zzzz")
    rows = tables(blocks)[0]
    store = RunStore()
    first, twin, second, last = (store.load(store.find(id)).space for id in SHIPPED)
    found = moved.compare(first, second)
    assert [row["word"] for row in rows] == ["china", "Water"]
    at = [found.row(w) for w in ("china", "water")]
    np.testing.assert_allclose([row["moved"] for row in rows], found.distance[at], atol=1e-6)
    pairs = ((first, twin), (second, last))
    rare = np.maximum(*(moved.chance(moved.compare(*one), found.counts)[1] for one in pairs))
    times = [row["× rare chance"] for row in rows]
    np.testing.assert_allclose(times, (found.distance / rare)[at], rtol=1e-5)
    assert rows[0]["moved"] > 3 * rows[1]["moved"], "china stood on the table; water stayed water"
    assert rows[0]["nearest before"] == ", ".join(found.neighbours(at[0], 5)[0])
    assert "zzzz" in said(blocks)


def test_the_words_of_the_lesson_were_among_others_before() -> None:
    found, (words, _, other) = pair().moved, LESSON.tries
    before, after = (
        {
            w: found.neighbours(found.row(w), 5)[k]
            for w in (*words.text.split(), *other.text.split())
        }
        for k in (0, 1)
    )
    then = {"china": "cups", "cell": "room", "gay": "bright", "plate": "cups", "coach": "carriage"}
    for word, near in (then | {"civil": "loyal", "base": "cruel"}).items():
        assert near in before[word] and near not in after[word]


def test_a_snapshot_can_be_compared_with_the_end() -> None:
    early, late = (pair(moved_from=f"vectors_wiki_0@{step}") for step in (46, 1840))
    rows = [[one.moved.row(w) for w in LESSON.example.split()] for one in (early, late)]
    assert (early.moved.distance[rows[0]] > late.moved.distance[rows[1]]).all()


def test_places_of_a_word_are_the_states_of_the_model() -> None:
    blocks = parts.places.blocks(
        places_text="the sea and the old sea\nby the sea",
        places_word="sea",
        places_run="transformer",
    )
    store = RunStore()
    model = store.load(store.find("transformer"))
    lines = ["the sea and the old sea", "by the sea"]
    found = contextual.read(model, lines, "residual", model.config.layers - 1)
    unit = found.values - found.values.mean(0)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    seas = unit[found.of("sea")]
    off = (seas @ seas.T)[~np.eye(3, dtype=bool)].mean()
    assert f"with itself elsewhere: {off:.2f} on average" in said(blocks)


def test_without_a_second_seed_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("vectors_novels_0", "vectors_wiki_0"):
        shutil.copytree(runs.SHIPPED / name, tmp_path / "shipped" / name)
    monkeypatch.setattr(runs, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    found = pair()
    assert found.chance is None
    assert "another `--seed`" in said(parts.words.blocks(lesson=LESSON, pair=found))
