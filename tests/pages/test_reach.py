"""Gradient reach: models chosen together, and which ones are offered."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis import backpropagation
from engine.course.curriculum import lesson
from engine.lessons.reach.panels import due, stage, words
from engine.live.request import Request
from engine.runs.store import SHIPPED, RunStore
from tests.conftest import ROOT


def test_a_comparison_chooses_runs_at_their_earliest_step() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page(f"pages/{lesson('reach').page}").run()
    assert not at.exception, at.exception
    picker = next(box for box in at.multiselect if box.key == "reach.runs")
    folders = ROOT / "assets/runs"
    titles = {
        id: json.loads((folders / id / "run.json").read_text("utf-8"))["title"]
        for id in ("lstm_agreement", "seq2seq", "translator", "bert")
    }
    assert [id for id in titles if titles[id] in " ".join(picker.options)] == ["lstm_agreement"]
    next(one for one in at.button if one.label == "Early and late in training").click()
    at.run()
    assert not at.exception, at.exception
    asked = at.query_params["runs"]
    assert "".join(asked).split(",") == [
        "lstm_agreement@14",
        "lstm_agreement",
        "transformer_agreement@42",
        "transformer_agreement",
    ]


def test_only_a_plain_net_is_told_its_bound() -> None:
    """By numpy: the largest singular value of the recurrent weights of each layer."""
    found = RunStore(SHIPPED)
    runs = [found.find(id) for id in ("rnn_large", "lstm", "transformer")]
    made = stage(runs, [run.id for run in runs])
    told = [reader.describe()["bound"] for reader, _ in made.readers]
    weights = found.load(runs[0]).weights()
    largest = [
        float(np.linalg.norm(w, 2)) for name, w in weights.items() if name.endswith("weight_hh_l0")
    ]
    assert len(largest) == 2 and told == [pytest.approx(max(largest), rel=1e-5), None, None]


def cut(text: str) -> list[tuple[int, int]]:
    """A start mark and the letters, as a model of letters has them."""
    return [(0, 0), *((n, n + 1) for n in range(len(text)))]


@pytest.mark.parametrize("seed", range(40))
def test_rows_typed_in_any_way_are_those_of_the_whole_text(seed: int) -> None:
    """A browser that is sent only what may have changed holds the row of every word of the text,
    and no other, once one has paused; before that only that of a word still being typed lacks."""
    draw = random.Random(seed)
    text, rows = "", dict[int, str]()
    for _ in range(30):
        before, way = text, draw.random()
        if way < 0.7:
            text += draw.choice(["a", "b", " "])
        elif way < 0.85:
            text = text[: max(0, len(text) - draw.randint(1, 4))]
        else:
            text = text[: draw.randint(0, len(text))] + draw.choice(["aa bb c", " ", "x y"])
        same = next((n for n, (a, b) in enumerate(zip(before, text, strict=False)) if a != b), None)
        keep = 0 if not before else 1 + (min(len(before), len(text)) if same is None else same)
        every, count, pauses = words(text, cut(text)), 1 + len(text), draw.random() < 0.3
        for known, old, last in [(keep, before, False), *([(count, text, True)] if pauses else [])]:
            ended = old[max(0, known - 1) :][:1].isspace()
            first, groups = due(every, count, known, ended, last)
            assert first <= known
            rows = {at: row for at, row in rows.items() if at < first}
            rows |= {group[-1]: text[: group[-1]] for group in groups}
        wanted = {group[-1]: text[: group[-1]] for group in every}
        lacking = set(wanted) - set(rows)
        assert {at: row for at, row in wanted.items() if at not in lacking} == rows
        assert lacking <= ({every[-1][-1]} if every and every[-1][-1] == count - 1 else set())
        assert not (pauses and lacking)


def test_no_key_waits_for_a_row_and_the_second_message_brings_it() -> None:
    """Rows asked for from a word on are those of the whole text; a key brings none, and a model that is not the first
    reads nothing for it."""
    found = RunStore(SHIPPED)
    made = stage([found.find("rnn"), found.find("lstm")], ["a", "b"])

    def rows(text: str, base: str | None, row: dict[str, int] | None = None) -> list[np.ndarray]:
        said = {"seq": 1, "text": text, "base": base, "base_start": 0, "have": base and "x"}
        request = Request.read({**said, "start": None, **({"row": row} if row else {})}, 1000)
        return [
            reading.fields[-1].field.values[reading.fields[-1].skip :]
            for reading in made.answer(request)[0]
        ]

    before, text = "The old captain ", "The old captain looked "
    whole = rows(text, None)
    for one in rows(text, before):
        assert not one.any()
    asked = {"from": len(before), "last": 0}
    for got, want in zip(rows(text, text, asked), whole, strict=True):
        assert got.any() and got == pytest.approx(want[-len(got) :], rel=1e-5)
    ends = text.rstrip()
    for got in rows(ends, ends, asked):  # it may be typed on
        assert not got.any()
    for got in rows(ends, ends, {**asked, "last": 1}):
        assert got.any()
    readings = made.answer(Request.read({"seq": 1, "text": text, "have": None}, 1000))[0]
    bits = [[b for b in reading.part["bits"] if b is not None] for reading in readings]
    assert len(bits[0]) and not bits[1]


def test_distances_of_the_specified_sentences() -> None:
    """rnn B4, in words of the page; and that the gradient of the later word reaches the earlier one, and nothing behind
    it."""
    john = (
        "John, who had grown up in France but moved to Spain when he was a teenager, speaks fluent"
        " French and Spanish."
    )
    person = "The person who spoke multiple languages fluently applied for the translator position."
    model = RunStore(SHIPPED).load(RunStore(SHIPPED).find("rnn"))
    for text, count, earlier, later, steps in (
        (person, 12, "person", "applied", 6),
        ("The man who wrote the book entered the room.", 9, "man", "entered", 5),
        (john, 21, "France", "French", 12),
        (john, 21, "France", "speaks", 10),
        ("The cat, which was very old, sat on the mat.", 10, "cat", "sat", 5),
    ):
        every = words(text, cut(text))
        written = ["".join(text[t - 1] for t in word).strip(" .,") for word in every]
        first, last = written.index(earlier), written.index(later)
        assert len(every) == count and last - first == steps
    tokens = model.tokens(person)
    every = words(person, tokens.spans)
    (row_K,) = backpropagation.inputs(model, tokens, [every[7]])
    assert (row_K[every[1]] > 0).all() and not row_K[every[7][-1] :].any()
