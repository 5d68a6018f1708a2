"""The parts below the Transformer: what they say is what the model and the formulas say."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.course.curriculum import lesson
from engine.frame.part import Part
from engine.lessons.prompting.repeated import repeated
from engine.lessons.transformer import lens, live, parts
from engine.runs.store import RunStore
from tests.conftest import TEXT, shipped
from tests.lessons import blocks


def said(part: Part, **given: Any) -> str:
    run, here = RunStore().find("transformer"), lesson("transformer")
    page = {"model": shipped("transformer"), "run": run, "lesson": here, "mine": ""}
    return blocks.said(blocks.asked(part, page, **given))


def test_steps_ticks_sizes_and_laws() -> None:
    text = said(parts.paths)
    assert "'layers or steps across 16 words': '16'" in text
    assert "**6 ticks** for 5 words in 2 layers" in text and "**2 ticks** with 16" in text
    assert "**8 ticks** for 5 words in 4 layers" in said(parts.paths, layers=4)
    text = said(parts.parameters)
    assert "124,439,808" in text and "174,604,259,328" in text
    assert "Tying saves V·d = 38,597,376" in text
    text = said(parts.laws)
    assert "**0.949** times" in text and "9,139 times" in text and "16 in a row" in text


def test_only_attention_mixes_tokens(trained: Any) -> None:
    for id in ("transformer", "bert"):
        attention, forward = parts.moved(trained(id), TEXT, 1, 2)
        assert forward[2] > 0 and not np.delete(forward, 2).any()
        assert attention[3:].all() and attention[:2].any() == (id == "bert")
    assert "tokens **0** move" in said(parts.mixing)


def test_a_second_reading_and_turns_out_of_a_window() -> None:
    passage = "The Snark was a Boojum, you see."
    twice = {id: repeated(shipped(id), passage, 3) for id in ("transformer", "lstm", "ngram")}
    gain = {id: 1 - second / first for id, (first, second, _) in twice.items()}
    assert round(gain["transformer"], 1) == 0.5
    assert round(gain["lstm"], 2) == 0.05 and gain["ngram"] < 0
    text = said(parts.window)
    assert "**48 of" in text and ":red-background[~~You are a friendly assistant" in text
    text = said(parts.window, goes="first")
    assert ":red-background[~~You are" not in text and ":red-background[~~I have a" in text
    assert "fallen out: 0 of 1." in said(parts.window, turns="one", fits=256)
    assert "Type a few turns" in said(parts.window, turns="\n \n")


def test_what_a_layer_is_worth_where_the_stream_is_no_sum(trained: Any) -> None:
    model = trained("bert")
    trace = model.trace(TEXT, fields=lens.NEEDS)
    found = {
        field.spec.name: field.values
        for field in live.read_lens(model, trace, 0, len(trace.tokens))
    }
    assert lens.has_lens(model) and not lens.has_pushes(model)
    bits = np.log2(found["lens.probability"].astype(float))
    assert not found["lens.worth"][0].any()
    np.testing.assert_allclose(found["lens.worth"][1:], np.abs(bits[1:] - bits[:-1]), rtol=1e-3)


def test_what_the_lens_and_the_pushes_send(trained: Any) -> None:
    """The readings of every depth from their definition; block by block the pushes are those of all parts."""
    model = trained("transformer")
    trace = model.trace(TEXT, fields=(*lens.NEEDS, "logits", "probability"))
    found = {
        field.spec.name: field.values
        for field in live.read_lens(model, trace, 0, len(trace.tokens))
    }
    for step, x_TD in enumerate(lens.streams(trace)):
        p_TV = lens.read_out(model, x_TD).softmax(-1).numpy()
        np.testing.assert_array_equal(found["lens.word"][step], p_TV.argmax(1))
        np.testing.assert_allclose(found["lens.first"][step], p_TV.max(1), rtol=1e-5)
    logit_TV = trace.field("logits").values
    np.testing.assert_array_equal(found["answer"], logit_TV.argmax(1))
    np.testing.assert_allclose(found["logit"], logit_TV.max(1), atol=1e-4)
    above_T = logit_TV.max(1) - logit_TV.mean(1)
    np.testing.assert_allclose(found["push.total"], above_T, atol=1e-3)
    rest_T = found["push"][[0, 1, -1]].sum(0)
    np.testing.assert_allclose(found["push.block"].sum((0, 1)) + rest_T, above_T, atol=1e-3)
    by_layer = np.vstack([found["push"][:2].sum(0), found["push.block"].sum(1)])
    np.testing.assert_allclose(found["lens.worth"], np.abs(by_layer), atol=1e-6)
    for t, rank_L in enumerate(found["lens.rank"].T):
        since = max((depth for depth, rank in enumerate(rank_L, 1) if rank > 1), default=0)
        assert found["lens.since"][t] == since
    names, once = lens.parts(model), live.once(model)
    heads = model.tower.design.heads
    for n, name in enumerate(names[2:-1]):
        layer, column = divmod(n, heads + 2)
        np.testing.assert_array_equal(found["push.block"][layer, column], found["push"][n + 2])
        called = once.labels["column"][column]
        assert name.startswith(f"layer {layer + 1}, ")
        ends = {"FFN": "feed-forward", "bias": "bias of attention"}
        assert name.endswith(ends.get(called, f"head {called[1:]}"))
