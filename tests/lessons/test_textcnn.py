"""The page on the sentence classifier: its tables are the model's own weights, and the parts below the
picture."""

from __future__ import annotations

import base64

import numpy as np

from engine.core.registry import models
from engine.frame.blocks import Rows
from engine.lessons.textcnn import live as panels
from engine.lessons.textcnn import parts
from engine.live.request import Request
from engine.models.base import train
from engine.runs.store import SHIPPED, RunStore
from engine.text.corpora.reviews import CORPUS
from tests.conftest import shipped

TEXT = "The acting is superb, but the plot is a boring mess"


def unpacked(sent: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(sent), "<f4")


def test_the_tables_are_the_weights() -> None:
    """Bank after bank, filters first."""
    model = shipped("textcnn")
    sent, w = panels.tables(model)["textcnn"], model.weights()
    filters, each, width = unpacked(sent["filters"]), sent["each"], sent["width"]
    start = 0
    for n, wide in enumerate(sent["covers"]):
        size = each * width * wide
        bank = filters[start : start + size].reshape(each, width, wide)
        np.testing.assert_array_equal(bank, w[f"banks.{n}.weight"])
        start += size
    assert start == len(filters) and len(sent["bias"]) == each * len(sent["covers"])
    np.testing.assert_array_equal(unpacked(sent["head"]).reshape(2, -1), w["head.weight"])


def test_a_model_of_three_labels_and_of_one_filter_is_shown() -> None:
    kind = models.get("textcnn")
    text = "".join(f"{label}\tit is {label} for me\n" for label in ("red", "blue", "grey") * 9)
    config = kind.config_type(steps=2, filters=1, width=4, shortest=2, longest=2)
    model = train(kind, text, config)
    found = panels.tables(model)
    assert found["labels"] == {"label": ["blue", "grey", "red"], "unit": ["0 (2 words)"]}
    assert len(unpacked(found["textcnn"]["head"])) == 3 and parts.covers(model, 0) == 2


def test_a_text_is_answered() -> None:
    store = RunStore(SHIPPED)
    stage = panels.stage(store.find("textcnn"))
    readings, _ = stage.answer(Request.read({"text": TEXT, "seq": 1}, 1000))
    (part,) = [reading.part for reading in readings]
    assert list(part["labels"][:3]) == ["The", "acting", "is"]
    label = shipped("textcnn").trace(TEXT).field("label").values[-1]
    names = dict(part["top"][-1])
    assert np.isclose(names["negative"], label[0], atol=1e-4)


def test_what_a_filter_looks_for() -> None:
    """The best phrase of a filter in the built-in reviews, by one loop over all their places."""
    model = shipped("textcnn")
    found = parts.matched(model)
    assert len(found) == len(model.filters) and all(len(some) == parts.MOST for some in found)
    for unit in (0, len(found) - 1):
        best = max(
            float(model.trace(text).field("response").values[:, unit].max())
            for _, text in CORPUS.labelled()
        )
        phrase, match, label = found[unit][0]
        assert match == best and label in ("positive", "negative")
        assert len(phrase.split()) <= parts.covers(model, unit)


def test_how_often_it_is_right_and_its_surest_mistakes() -> None:
    model, run = shipped("textcnn"), RunStore(SHIPPED).find("textcnn")
    rows, *_, worst = (b for b in parts.tested.blocks(model=model, run=run) if isinstance(b, Rows))
    assert rows.rows[0]["whole reviews"] == run.note["test"]["accuracy_of_reviews"]
    for row in worst.rows[:3]:
        last = model.trace(row["text"]).field("label").values[-1]
        assert row["sure"] == float(last.max()) and row["true"] != row["said"]
