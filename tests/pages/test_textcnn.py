"""The page on the sentence classifier: its tables are the model's own weights, and the parts below the
picture."""

from __future__ import annotations

import base64

import numpy as np
from streamlit.testing.v1 import AppTest

from engine.analysis.mistakes import judged
from engine.core.registry import models
from engine.lessons.textcnn import panels
from engine.live.request import Request
from engine.models.base import train
from engine.runs.store import SHIPPED, RunStore
from engine.text.corpora.reviews import CORPUS
from pages.ui.textcnn import seeks
from tests.conftest import ROOT, shipped

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
    assert len(unpacked(found["textcnn"]["head"])) == 3 and seeks.covers(model, 0) == 2


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
    model, store = shipped("textcnn"), RunStore(SHIPPED)
    found = seeks._matched(store.find("textcnn"))
    assert len(found) == len(model.filters) and all(len(some) == seeks.MOST for some in found)
    for unit in (0, len(found) - 1):
        best = max(
            float(model.trace(text).field("response").values[:, unit].max())
            for _, text in CORPUS.labelled()
        )
        match, phrase, label = found[unit][0]
        assert match == best and label in ("positive", "negative")
        assert len(phrase.split()) <= seeks.covers(model, unit)


def test_the_parts_below() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/438_textcnn.py").run()
    assert not at.exception and at.selectbox(key="seeks").value.startswith("0, ")
    at.selectbox(key="seeks").select_index(5).run()
    assert not at.exception
    at.session_state["part"] = "How often it is right"
    at.run()
    assert not at.exception and any("passages of 200 reviews" in c.value for c in at.caption)


def test_its_surest_mistakes_are_those_of_the_model() -> None:
    """Listed with what it said; the table of who is taken for whom counts all of them."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["part"] = "Its surest mistakes"
    at.switch_page("pages/438_textcnn.py").run()
    assert not at.exception, at.exception
    pairs, model = CORPUS.labelled(), shipped("textcnn")
    told = judged(model, [name for name, _ in pairs], [text for _, text in pairs])
    words = " ".join(m.value for m in at.markdown)
    assert f"**{len(told.worst())} of {len(pairs)}** answers are wrong" in words
    for d in told.worst()[:3]:
        last = model.trace(pairs[d][1]).field("label").values[-1]
        assert f"| {100 * last.max():.1f}\u00a0% | " in words
