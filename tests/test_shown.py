"""What the lessons say of the shipped models, computed anew: each number in a sentence is the one that the model gives."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import numpy as np

from engine import runs, surgery
from engine.curriculum import lesson
from engine.lessons.base import Try
from engine.measure import surprisal
from engine.trace import Trace
from tests.conftest import edits_of, p_after, shipped


def edits(example: Try) -> str:
    return parse_qs(example.link)["edits"][0]


def operated(model: Any, example: Try) -> Trace:
    return surgery.operate(model, model.trace(example.text), edits_of(model, edits(example)))


def share(p: float) -> str:
    return f"{100 * p:.0f} %" if p >= 0.095 else f"{100 * p:.1f} %"


def place(example: Try) -> tuple[int, int]:
    at = parse_qs(example.link)
    return int(at["layer"][0]), int((at.get("unit") or at["head"])[0])


def test_a_unit_of_the_lstm_knows_what_is_quoted() -> None:
    example = lesson("lstm").tries[0]
    layer, unit = place(example)
    trace = shipped("lstm").trace(example.text)
    cell_T = trace.field("cell").values[layer, :, unit]
    first, last = (t for t, token in enumerate(trace.tokens) if token == '"')
    assert (cell_T[first + 1 : last] < -0.9).all() and (np.r_[cell_T[:first], cell_T[last : len(cell_T) - 1]] > 0.4).all()
    assert dict(runs.RunStore().find("lstm").note["look"]) == {"layer": layer, "unit": unit, "field": "cell"}


def test_a_unit_of_the_lstm_counts() -> None:
    example = lesson("lstm").tries[1]
    layer, unit = place(example)
    trace = shipped("lstm").trace(example.text)
    cell_T, keep_T = (trace.field(name).values[layer, :, unit] for name in ("cell", "gate.forget"))
    assert (np.abs(np.diff(cell_T) - 1) < 0.2).all() and (keep_T[1:] > 0.99).all()
    assert f"about {cell_T[-1]:.0f} after {len(example.text)} characters" in example.look


def test_the_lstm_goes_by_the_noun_that_stands_next() -> None:
    example = lesson("lstm").tries[2]
    was, were = (p_after(shipped("lstm"), example.text)[letter] for letter in "ae")
    assert f"{share(was)} for a, was, {share(were)} for e, were" in example.look and was > 3 * were
    one, many = (p_after(shipped("lstm"), "The key to the old cabinets w")[letter] for letter in "ae")
    assert many > one


def test_what_is_cut_out_of_the_lstm() -> None:
    forgets, believes, all_of_them = lesson("surgery").tries
    model = shipped("lstm")
    before, after = (p_after(model, forgets.text, cut)['"'] for cut in ("", edits(forgets)))
    assert f"from {share(before)} to {share(after)}" in forgets.look
    before, after = (p_after(model, believes.text, cut)['"'] for cut in ("", edits(believes)))
    assert f"{share(after)} instead of {share(before)}" in believes.look
    plain, edited = model.trace(all_of_them.text), operated(model, all_of_them)
    assert plain.tokens[8] == "s" and all_of_them.text[7:].startswith("spring")
    before, after = (float(np.nansum(surprisal(trace))) for trace in (plain, edited))
    assert f"{after:.0f} bits for the sentence instead of {before:.0f}" in all_of_them.look
    opening = lesson("surgery")
    assert opening.example == forgets.text and opening.first == forgets.link


def test_what_the_orders_of_the_ngram_model_give() -> None:
    rare, common, rarer, _ = lesson("ngrams").tries
    model = shipped("ngram")

    def listed(example: Try) -> dict[str, np.ndarray]:
        """The parts (orders 0 to 5) of each word that is listed behind a text."""
        table = model.trace(example.text)["ladder"].columns
        last = table["position"] == table["position"].max()
        parts_M = np.stack([table[f"part_{m}"][last] for m in range(6)], -1)
        return dict(zip(table["next"][last], parts_M, strict=True))

    parts = listed(rare)
    assert parts["ancient"][5] > 0.9 * parts["ancient"].sum(), "nearly all order 5"
    assert set(np.argsort(parts["important"])[-2:]) == {2, 3} and parts["important"][4:].sum() < 0.1 * parts["important"].sum()
    mass_M = model.trace(common.text).field("mass").values[-1]
    assert 0.7 < mass_M[5] < 0.8 and f"“door” alone has {share(p_after(model, common.text)['door'])}" in common.look
    trace = model.trace(rarer.text)
    assert trace.field("mass").values[-1].argmax() == 3 and trace.field("matched").values[-1] == 2


def cosines(text: str) -> np.ndarray:
    """Between all words of a text."""
    space = shipped("skipgram").space
    unit_ND = np.stack([space.unit[space.row(word)] for word in text.split()]).astype(float)
    return np.asarray(unit_ND @ unit_ND.T)


def test_what_the_word_vectors_are_near_to() -> None:
    odd, colours, opposites = lesson("vectors").tries
    space = shipped("skipgram").space
    unit_ND = np.stack([space.unit[space.row(word)] for word in odd.text.split()])
    assert odd.text.split()[int((unit_ND @ unit_ND.mean(0)).argmin())] == "cereal" and "“cereal” agrees least" in odd.look
    among = cosines(colours.text)
    inside = among[:4, :4][np.triu_indices(4, 1)]
    assert f"from {inside.min():.2f} to {inside.max():.2f}" in colours.look and among[4, :4].max() < 0.3
    words, among = opposites.text.split(), cosines(opposites.text)
    for one, other in (("hot", "cold"), ("big", "large"), ("small", "large")):
        assert f"{among[words.index(one), words.index(other)]:.2f} for {one}, {other}" in opposites.look
