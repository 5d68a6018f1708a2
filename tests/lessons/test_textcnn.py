"""The page on the sentence classifier: its tables are the model's own weights, and the parts below the picture."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.registry import models
from engine.core.tap import Edit
from engine.core.trace import Trace
from engine.frame.blocks import Problem, Rows
from engine.lessons.textcnn import live as panels
from engine.lessons.textcnn import parts
from engine.models.abilities import able
from engine.models.base import train
from engine.models.textcnn import TextCNN
from engine.runs.store import SHIPPED, RunStore
from engine.text.corpora.reviews import CORPUS
from tests.conftest import shipped

TEXT = "The acting is superb, but the plot is a boring mess"


def derived(model: TextCNN, text: str) -> tuple[Trace, dict[str, np.ndarray]]:
    trace = model.trace(text, fields=("response", "largest", "label"))
    found = panels.derive(model, trace, {})
    return trace, {name: np.asarray(values) for name, (_, values) in found.items()}


def test_the_strongest_filters_and_the_answer_without_each() -> None:
    model = able(shipped("textcnn"), TextCNN)
    trace, found = derived(model, TEXT)
    label_K = trace.field("label").values[-1]
    said = int(found["said"])
    assert said == label_K.argmax() and found["p"] == pytest.approx(label_K.max(), abs=1e-5)
    w = model.weights()
    adds_U = trace.field("largest").values[-1] * (w["head.weight"][1] - w["head.weight"][0])
    assert int(found["filter"][0]) == np.abs(adds_U).argmax()
    assert len(found["filter"]) == panels.ROWS
    assert (found["adds"] < 0).sum() == (found["adds"] > 0).sum() == panels.ROWS // 2
    for row, unit in enumerate(found["filter"].astype(int)):
        assert found["adds"][row] == pytest.approx(adds_U[unit], abs=1e-5)
        off = model.trace(TEXT, (Edit("largest", {"unit": int(unit)}),)).field("label").values[-1]
        assert found["without"][row] == pytest.approx(off[said], abs=1e-4)
        words = found["word"][row][np.isfinite(found["word"][row])].astype(int)
        c_T = trace.field("response").values[:, unit]
        assert words[-1] == c_T.argmax() and len(words) == min(found["covers"][row], words[-1] + 1)


def test_one_match_opened_sums_to_the_response() -> None:
    model = able(shipped("textcnn"), TextCNN)
    trace = model.trace(TEXT, fields=("response", "vector"))
    vector_TD, response_TU = (trace.field(name).values for name in ("vector", "response"))
    for unit in (0, 70, len(model.filters) - 1):
        for last in (0, 2, len(trace.tokens) - 1):
            product_WD, total = parts.opened(model, unit, vector_TD, last)
            assert len(product_WD) == parts.covers(model, unit)
            assert max(0, total) == pytest.approx(response_TU[last, unit], abs=1e-3)
    blocks = parts.filters.blocks(model=model, above=TEXT, seeks=70)
    assert any(getattr(block, "name", "") == "products" for block in blocks)
    assert isinstance(parts.filters.blocks(model=model, above=" ", seeks=70)[-1], Problem)


def test_a_model_of_three_labels_and_of_one_filter_is_shown() -> None:
    kind = models.get("textcnn")
    text = "".join(f"{label}\tit is {label} for me\n" for label in ("red", "blue", "grey") * 9)
    config = kind.config_type(steps=2, filters=1, width=4, shortest=2, longest=2)
    model = able(train(kind, text, config), TextCNN)
    assert panels.name_labels(model).labels == {"label": ["blue", "grey", "red"]}
    _, found = derived(model, "it is red")
    assert len(found["filter"]) <= 1 and parts.covers(model, 0) == 2


def test_what_a_filter_looks_for() -> None:
    """The best phrase of a filter in the built-in reviews, by one loop over all their places."""
    model = shipped("textcnn")
    found = parts.matched(model)
    assert len(found) == len(model.filters) and all(len(some) == parts.MOST for some in found)
    for unit in (0, len(found) - 1):
        every = (model.trace(text).field("response").values for _, text in CORPUS.labelled())
        best = max(float(c_TU[:, unit].max()) for c_TU in every)
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
