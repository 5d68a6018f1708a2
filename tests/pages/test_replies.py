"""What a reply holds, without JavaScript: masks, source words, logits of all tokens, guesses of masked words."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis import decode
from engine.analysis.decode import Rules
from engine.lessons.bert import live as bert_live
from engine.lessons.decoding import live as decoding_live
from engine.lessons.decoding import rules as decoding_rules
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.live import read_mask
from engine.live.request import Asks
from engine.models.bert import Bert
from engine.runs import store
from engine.runs.store import RunStore
from engine.storage.arrays import write_arrays
from pages.ui import saving
from tests.conftest import small
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered, check, fields

small_runs = seeing("transformer", "lstm", "ngram", "encoder_decoder", "seq2seq", "bert")


def test_masks_and_rules_are_read_as_the_browser_writes_them() -> None:
    assert read_mask(Asks({"pattern": -1, "size": None, "with": 3})) == Mask()
    assert read_mask(Asks({"pattern": 10, "size": 99})) == Mask("top", 16)
    assert decoding_rules.read("off") == decoding_rules.read(None) == Rules()
    found = decoding_rules.read("t0.7_k40_p0.9_m0.05_y0.95_r1.1")
    assert found == Rules(0.7, 40, 0.9, 0.05, 0.95, 1.1)
    assert decoding_rules.read("t9_p-1_r99") == Rules(2.0, top_p=0.01, repetition_penalty=2.0)


PAIR = "the old dog sat\nle vieux"


def test_the_reply_holds_the_model_s_numbers(trained: Any) -> None:
    model = trained("encoder_decoder")
    header, numbers = answered(opened("translation"), "translation", PAIR)
    check(header, numbers, PAIR)
    (part,) = header["readings"]
    source = {"labels": ["the", "old", "dog", "sat", "</s>"], "unknown": []}
    source["spans"] = [[0, 3], [4, 7], [8, 11], [12, 15], [0, 0]]
    assert part["labels"] == ["<s>", "le", "vieux"] and part["source"] == source
    trace = model.trace(PAIR)
    found = fields(part, numbers)
    for name in ("cross.attention", "attention", "encoder.attention"):
        np.testing.assert_allclose(found[name], trace.field(name).values, atol=1e-6)
    assert found["cross.attention"].shape[-2:] == (3, 5)


def test_the_recurrent_translator(trained: Any) -> None:
    model, at = trained("seq2seq"), opened("translation")
    at.selectbox(key="translation.run").set_value("seq2seq")
    header, _ = answered(at, "translation", "the zebra sat")
    (part,) = header["readings"]
    assert part["source"]["unknown"] == [1] and part["labels"] == ["<s>"]
    header, numbers = answered(at, "translation", PAIR)
    check(header, numbers, PAIR)
    (part,) = header["readings"]
    found = fields(part, numbers)
    assert "cross.attention" in found and "attention" not in found
    want = model.trace(PAIR).field("cross.attention").values
    np.testing.assert_allclose(found["cross.attention"], want, atol=1e-6)


TEXT = "the cat sat on the"
KINDS = ("transformer", "lstm", "ngram")


def test_a_key_brings_the_logits_of_the_whole_vocabulary(trained: Any) -> None:
    for id in KINDS:
        at, model = opened("decoding", run=id), trained(id)
        header, numbers = answered(at, "decoding", TEXT)
        (part,) = header["readings"]
        vocab = header["layout"]["readers"][0]["labels"]["next"]
        assert tuple(vocab) == model.tokenizer.vocab
        assert fields(part, numbers)["id"].tolist() == model.tokens(TEXT).ids.tolist()
        shown = decode.choose(fields(part, numbers)["logits"], Rules()).p_V
        np.testing.assert_allclose(shown, decode.expects(model, model.tokens(TEXT)), atol=2e-6)
        header, numbers = answered(at, "decoding", TEXT, after=2)  # a token of the text is clicked
        (part,) = header["readings"]
        assert part["said"]["after"] == 2
        shown = decode.choose(fields(part, numbers)["logits"], Rules()).p_V
        p_TV = model.trace(TEXT).field("probability").values
        np.testing.assert_allclose(shown, p_TV[2], atol=2e-6)


def test_the_pictures_can_be_saved(trained: Any, run_folder: Any) -> None:
    run = store.RunStore().find(str(run_folder("transformer")))
    model = trained("transformer")
    stage = decoding_live.stage(run)
    traces, _ = stage.traces(TEXT, None)
    (panel,) = stage.panels
    assert panel.figure
    drawing = panel.figure(traces, {"rules": "p0.9", "token": 4})
    own_V, drawn_V = (entry.values for entry in drawing.inputs())
    np.testing.assert_allclose(own_V, decode.expects(model, model.tokens(TEXT)[:5]), atol=2e-6)
    np.testing.assert_allclose(drawn_V, decode.top_p(own_V.astype(float), 0.9).p_V, atol=2e-6)


def test_masks_are_guessed_and_odd_ones_are_left_out() -> None:
    at, model = opened("bert"), RunStore().load(RunStore().find("bert"))
    header, _ = answered(at, "bert", "the cat sat\non the [MASK]", masks="2_0_999_x")
    found = header["readings"][0]["said"]
    assert found["masks"] == [2] and found["second"] and found["segments"] == [0] * 5 + [1] * 4
    fill = model.trace("the [MASK] sat\non the [MASK]").field("fill").values
    assert [g["t"] for g in found["guesses"]] == [2, 7]
    for guess in found["guesses"]:
        want = np.sort(fill[guess["t"]])[::-1][: len(guess["top"])]
        np.testing.assert_allclose([p for _, p in guess["top"]], want, rtol=1e-4)
    assert found["guesses"][0]["true"][0] == "cat" and found["guesses"][1]["true"] is None
    pair = model.trace("the [MASK] sat\non the [MASK]").field("sentence").values
    np.testing.assert_allclose(found["pair"], pair, atol=1e-5)
    long, _ = answered(at, "bert", "the cat sat " * 400)
    assert long["readings"][0]["said"]["left"] > 4000
    assert len(long["readings"][0]["labels"]) == model.context


def test_figures_hold_what_is_on_the_screen(run_folder: Any) -> None:
    run = RunStore().find(str(run_folder("bert")))
    model = RunStore().load(run)
    stage = bert_live.stage(run, model)
    traces, _ = stage.traces("the cat sat\nthe dog sat", None)
    look = {"masks": "2", "token": 2}
    fill = model.trace("the [MASK] sat\nthe dog sat").field("fill").values[2]
    (blanks,) = stage.panels
    drawing = blanks.figure(traces, look)
    assert len(drawing.frame()) and saving.describe_source(drawing, run)
    assert ast.parse(saving.write_file(drawing, run, blanks.id, "py", False).decode())
    assert drawing.names == ("fill.2", "both", "left", "sentence")
    np.testing.assert_allclose(drawing.inputs()[0].values, fill, atol=1e-6)
    with pytest.raises(ValueError, match="mask a word"):
        blanks.figure(traces, {"masks": ""})


def test_a_model_without_heads_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that only makes vectors of sentences: the rest of the page works."""
    whole = RunStore().load(RunStore().find("bert"))
    config = small(Bert, masked=False, pairs=False)
    bare = ("guess", "pool", "pair")
    weights = {k: v for k, v in whole.weights().items() if not k.startswith(bare)}
    (tmp_path / "bare").mkdir()
    write_arrays(tmp_path / "bare" / store.WEIGHTS, weights)
    note = {"version": 1, "model": "bert", "recipe": "bare", "corpus": {}}
    note["config"] = store.asdict(config)
    (tmp_path / "bare" / store.NOTE).write_text(json.dumps(note))
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    at = opened("bert")
    header, _ = answered(at, "bert", "the cat\nthe dog", masks="1")
    found = header["readings"][0]["said"]
    assert found["fills"] is False
    assert found["masks"] == found["guesses"] == []
    assert found["sides"] is None
    assert found["pair"] is None
    assert not at.exception
