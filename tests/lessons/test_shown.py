"""What the lessons say of the shipped models, computed anew: each number in a sentence is the one
that the model gives."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import numpy as np

from engine.analysis import surgery
from engine.analysis.heads import measured
from engine.analysis.measure import surprisal
from engine.core.trace import Trace
from engine.course import other_runs
from engine.course.base import Try
from engine.course.curriculum import lesson
from engine.lessons.heads import tags as heads_tags
from engine.lessons.transformer import lens
from engine.runs import store
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
    assert (cell_T[first + 1 : last] < -0.9).all()
    assert (np.r_[cell_T[:first], cell_T[last : len(cell_T) - 1]] > 0.4).all()
    assert dict(store.RunStore().find("lstm").note["look"]) == {
        "layer": layer,
        "unit": unit,
        "field": "cell",
    }


def quoted(run: str, example: Try) -> tuple[np.ndarray, np.ndarray]:
    """(T,) the unit that an example shows, and (T,) whether a quotation is open there, its marks
    left out as nan."""
    layer, unit = place(example)
    trace = shipped(run).trace(example.text)
    marks = [t for t, token in enumerate(trace.tokens) if token == '"']
    inside_T = np.array(
        [float(sum(mark < t for mark in marks) % 2) for t in range(len(trace.tokens))]
    )
    inside_T[marks] = np.nan
    return trace.field("hidden").values[layer, :, unit], inside_T


def test_a_unit_of_the_gru_knows_what_is_quoted_and_one_of_the_elman_network_slips() -> None:
    for run, clean in (("gru_large", (0, 1)), ("rnn_large", (0,))):
        shown, tried = (other_runs.RUNS[run][id] for id in ("lstm", "surgery"))
        assert {place(t) for t in (*shown[:2], *tried)} == {place(shown[0])}
        assert dict(store.RunStore().find(run).note["look"]) == {
            "layer": place(shown[0])[0],
            "unit": place(shown[0])[1],
            "field": "hidden",
        }
        for example in (shown[i] for i in clean):
            unit_T, inside_T = quoted(run, example)
            if run == "gru_large":
                assert (unit_T[inside_T == 1] > 0.5).all() and (unit_T[inside_T == 0] < -0.2).all()
            else:
                assert np.median(unit_T[inside_T == 1]) > 0.95
                assert np.median(unit_T[inside_T == 0]) < -0.95
        for example in tried:
            before, after = (
                p_after(shipped(run), example.text, edit)['"'] for edit in ("", edits(example))
            )
            assert share(before) in example.look and share(after) in example.look
    trace = shipped("gru_large").trace(other_runs.RUNS["gru_large"]["lstm"][0].text)
    update_T = trace.field("gate.update").values[0, :, 213]
    first, last = (t for t, token in enumerate(trace.tokens) if token == '"')
    assert (update_T[[first, last]] > 0.98).all()
    assert (update_T[first + 2 : last] < 0.05).all()
    assert trace.tokens[first + 2] == "h"
    unit_T, inside_T = quoted("rnn_large", other_runs.RUNS["rnn_large"]["lstm"][1])
    # behind the token of the beginning
    at = other_runs.RUNS["rnn_large"]["lstm"][1].text.index("ow,") + 1
    assert (unit_T[at : at + 3] < -0.9).all() and (inside_T[at : at + 3] == 1).all()


def test_two_units_of_the_elman_network_hold_each_other() -> None:
    example = other_runs.RUNS["rnn_large"]["rnn"][0]
    (layer, unit), whh_HH = (
        place(example),
        shipped("rnn_large").net.get_parameter("layers.0.fused.weight_hh_l0").detach().numpy(),
    )
    assert layer == 0 and list(np.argsort(-np.abs(whh_HH[unit]))[:2]) == [unit, 551]
    for weight in whh_HH[unit, [unit, 551]]:
        assert f"{weight:.3f}".replace("-", "−") in example.look


def test_the_other_cells_go_by_the_noun_that_stands_next() -> None:
    for run in ("gru_large", "rnn_large"):
        example = other_runs.RUNS[run]["lstm"][2]
        was, were = (p_after(shipped(run), example.text)[letter] for letter in "ae")
        assert f"{share(was)} for “a” (was)" in example.look
        assert f"{share(were)} for “e” (were)" in example.look
        assert was > 2 * were


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
    assert f"{share(was)} to “a” (was) and {share(were)} to “e” (were)" in example.look
    assert was > 3 * were
    one, many = (
        p_after(shipped("lstm"), "The key to the old cabinets w")[letter] for letter in "ae"
    )
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
    assert set(np.argsort(parts["important"])[-2:]) == {2, 3}
    assert parts["important"][4:].sum() < 0.1 * parts["important"].sum()
    mass_M = model.trace(common.text).field("mass").values[-1]
    assert 0.7 < mass_M[5] < 0.8
    assert f"“door” alone has {share(p_after(model, common.text)['door'])}" in common.look
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
    assert odd.text.split()[int((unit_ND @ unit_ND.mean(0)).argmin())] == "cereal"
    assert "“cereal” agrees least" in odd.look
    among = cosines(colours.text)
    inside = among[:4, :4][np.triu_indices(4, 1)]
    assert f"from {inside.min():.2f} to {inside.max():.2f}" in colours.look
    assert among[4, :4].max() < 0.3
    words, among = opposites.text.split(), cosines(opposites.text)
    for one, other in (("hot", "cold"), ("big", "large"), ("small", "large")):
        assert (
            f"{among[words.index(one), words.index(other)]:.2f} for {one} and {other}"
            in opposites.look
        )


def head_of(example: Try) -> tuple[Trace, np.ndarray]:
    """The trace of a text, and what the head that its link names reads (T, T)."""
    layer, head = place(example)
    trace = shipped("transformer").trace(example.text)
    return trace, trace.field("attention").values[layer, head]


def test_where_the_heads_of_the_transformer_look() -> None:
    half, shook, first, bear, trophy = lesson("attention").tries
    trace, a_TT = head_of(half)
    assert trace.tokens[-2:] == (" que", "en")
    assert f"{share(a_TT[-1, -2])} of its weight goes to “que”" in half.look
    trace, a_TT = head_of(shook)
    girl, man = (a_TT[-1, trace.tokens.index(word)] for word in (" girl", " man"))
    assert f"{share(girl)} goes to “girl”, {share(man)} to “man”" in shook.look
    _, a_TT = head_of(first)
    assert 0.7 < a_TT[1:, 0].mean() < 0.8
    assert shipped("transformer").config.width // shipped("transformer").config.heads == 64
    trace, a_TT = head_of(bear)
    layer, head = place(bear)
    it = trace.tokens.index(" it")
    honey = (
        trace.field("attention")
        .values[layer, head + 1, it, trace.tokens.index(" h") : trace.tokens.index(" because")]
        .sum()
    )
    assert (
        f"at “bear” ({share(a_TT[it, trace.tokens.index(' bear')])}), head {head + 2} at “honey”"
        f" ({share(honey)})" in bear.look
    )
    small, big = (
        shipped("transformer").trace(text)
        for text in (trophy.text, trophy.text.replace("small", "big"))
    )
    it = small.tokens.index(" it")
    rows = [t.field("attention").values[:, :, it, : it + 1] for t in (small, big)]
    assert small.tokens[:-1] == big.tokens[:-1] and small.tokens[-1] != big.tokens[-1]
    assert np.allclose(*rows, atol=1e-6) and "not one weight" in trophy.look


def test_what_the_heads_of_the_transformer_do() -> None:
    before, signs, again = lesson("heads").tries
    _, a_TT = head_of(before)
    assert np.mean(np.diag(a_TT, -1)[2:]) > 0.8
    trace, a_TT = head_of(signs)
    marks = [
        t
        for t, token in enumerate(trace.tokens)
        if token.strip() and not token.strip()[0].isalnum()
    ]
    assert f"{share(a_TT[4:, marks].sum(1).mean())} of its weight on colons" in signs.look
    trace, a_TT = head_of(again)
    second = trace.tokens.index(" T") + 1
    assert a_TT[-1, second] > 0.99
    assert trace.tokens[second] == "ib"
    assert f"with {share(p_after(shipped('transformer'), again.text)['ib'])}" in again.look
    layer, head = place(again)
    assert dict(store.RunStore().find("transformer").note["look"]) == {"layer": layer, "head": head}
    tags = measured.find(str(store.RunStore().find("transformer").note["recipe"]))
    assert tags is not None and tags.given()[tags.names.index("induction"), layer, head], (
        "the page Heads finds it"
    )
    assert tags.names[int(heads_tags.strongest(tags)[layer, head])] == "induction", (
        "and not that it rests on the first token"
    )


def test_what_the_lens_shows_of_the_transformer() -> None:
    model = shipped("transformer")
    states, soon, shook = lesson("transformer").tries
    of = {}
    for example, answer in ((states, " St"), (soon, " as"), (shook, " head")):
        trace = model.trace(example.text)
        found = lens.depths(model, lens.streams(trace))
        assert model.tokenizer.vocab[found.answer_T[-1]] == answer
        of[example.text] = (
            found.p_LT[1:, -1],
            found.rank_LT[1:, -1],
            lens.pushes(model, trace, found.answer_T)[:, -1],
        )
    p_L, _, push_P = of[states.text]
    assert (
        f"{share(p_L[0])} after layer 1, then {100 * p_L[1]:.1f}, {100 * p_L[2]:.0f} and"
        f" {share(p_L[3])}, and {share(p_L[4])} after layer 5" in states.look
    )
    names = lens.parts(model)
    assert {names[n] for n in push_P.argsort()[-2:]} == {
        "layer 1, feed-forward",
        "layer 5, feed-forward",
    }
    p_L, rank_L, push_P = of[soon.text]
    assert (rank_L == 1).all()
    assert f"with {share(p_L[0])} there and {share(p_L[-1])} at the end" in soon.look
    heads = [n for n, name in enumerate(names) if ", head " in name]
    assert names[heads[int(push_P[heads].argmax())]] == "layer 4, head 2"
    p_L, rank_L, _ = of[shook.text]
    assert (
        (rank_L == 1).all()
        and f"with {share(p_L[0])}. Layer 2 raises that to {share(p_L[1])}, and it ends at {share(p_L[-1])}"
        in shook.look
    )


def test_what_is_cut_out_of_the_transformer() -> None:
    model = shipped("transformer")
    girl, boy, twice, states = other_runs.RUNS["transformer"]["surgery"]
    for example, answer in ((girl, " her"), (boy, " her"), (twice, "l"), (states, " St")):
        before, after = (p_after(model, example.text, cut) for cut in ("", edits(example)))
        assert max(before, key=before.__getitem__) == answer
        assert f"falls from {share(before[answer])} to {share(after[answer])}" in example.look
        if example is girl:
            assert max(after, key=after.__getitem__) == " his"
    trace, a_TT = head_of(boy)
    assert trace.tokens[7] == " woman"
    assert f"{share(a_TT[9, 7])} of its weight on “woman”" in boy.look
    assert (
        f"came before it: {share(p_after(model, twice.text, 'reading:1:0:*:scale:0')['l'])}"
        in twice.look
    )


def test_the_tagger_learns_of_a_word_from_those_behind_it() -> None:
    model = shipped("hmm_tagger")
    book, horse, flurble, may = lesson("hmm").tries

    def tags(text: str, field: str) -> list[str]:
        found = model.trace(text).field(field).values
        return [model.states[int(s)] for s in (found if found.ndim == 1 else found.argmax(1))][1:]

    assert model.trace(book.text).unknown[:1] == (1,) and "PROPN" in book.look
    assert tags(book.text, "filter")[0] == "PROPN" and tags(book.text, "smooth")[0] == "VERB"
    trace = model.trace(horse.text)
    assert {trace.tokens[t] for t in trace.unknown} == {"raced", "barn"}
    assert len(model.trace(flurble.text).unknown) == 3
    path = tags(may.text, "viterbi")
    assert (path[1], path[4]) == ("AUX", "PROPN")


def test_a_state_of_the_letters_writes_vowels() -> None:
    model = shipped("hmm")
    house, banana, river = other_runs.RUNS["hmm"]["hmm"]

    def states(text: str, field: str) -> str:
        found = model.trace(text).field(field).values
        return " ".join(
            model.states[int(s)] for s in (found if found.ndim == 1 else found.argmax(1))[1:]
        )

    writes_V = model.b_SV[2]
    assert share(model.a_SS[3, 2]) in house.look
    letters = [c for c in "abcdefghijklmnopqrstuvwxyz" if c in model.tokenizer.vocab]
    found = sorted(letters, key=lambda c: -writes_V[model.tokenizer.vocab.index(c)])
    assert found[:4] == list("eoai")
    for field in ("filter", "smooth", "viterbi"):
        assert states(banana.text, field) in banana.look
    assert states(river.text, "viterbi").startswith("3 2 1 3 2 1 3 2 1")
