"""What the examples say of the shipped models, each number from its run.  First minutes: test_first_minute.py."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from engine.analysis import backpropagation
from engine.core.trace import Trace
from engine.course import other_runs, planted
from engine.course.base import Try
from engine.course.curriculum import lesson
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from engine.runs.store import RunStore
from engine.shipped.highlights import CELL, LOOKS
from engine.text.corpora import mappings, prefixed
from tests.conftest import p_after, shipped, together
from tests.lessons.test_first_minute import first, share
from tests.models.test_planted import CLOSES, fresh

SHARE = re.compile(r"(\d+(?:\.\d+)?) %")
EVERY = [(run, page, tries) for run, by in planted.RUNS.items() for page, tries in by.items()]
RUNS = [(run, page, n) for run, page, of in EVERY for n, tried in enumerate(of) if tried.link]


def asked(tried: Try, name: str) -> str:
    return parse_qs(tried.link).get(name, [""])[0]


def said(tried: Try, p: float) -> bool:
    """Whether the sentence gives this probability, with as many digits as it gives."""
    digits = [(found, len(found.partition(".")[2])) for found in SHARE.findall(tried.look)]
    return any(f"{100 * p:.{n}f}" == found for found, n in digits)


def after(run: str, tried: Try) -> tuple[dict[str, float], dict[str, float]]:
    """What is expected behind an example, as the model is and with the edits of its link."""
    model = shipped(run)
    return p_after(model, tried.text), p_after(model, tried.text, asked(tried, "edits"))


def unit(run: str, tried: Try) -> tuple[Trace, dict[str, np.ndarray]]:
    trace = shipped(run).trace(tried.text)
    layer, number = int(asked(tried, "layer")), int(asked(tried, "unit"))
    names = ("cell", "gate.forget", "gate.input", "candidate")
    of = {name: trace.field(name).values[layer, :, number].astype(float) for name in names}
    return trace, of | {"write": of["gate.input"] * of["candidate"]}


def head(run: str, tried: Try) -> tuple[tuple[str, ...], np.ndarray]:
    trace = shipped(run).trace(tried.text)
    return trace.tokens, trace.field("attention").values[place(tried)]


def of(run: str, page: str) -> tuple[Try, ...]:
    return tuple(tried for tried in planted.RUNS[run][page] if tried.link)


# Recurrent lessons


def test_what_of_a_gradient_reaches_the_start() -> None:
    tried, *_ = lesson("bptt").tries
    assert tried.text.endswith("d")
    ends = []
    for run in ("rnn", "lstm"):
        model = able(shipped(run), RecurrentModel)
        state_K = backpropagation.rows(model, model.tokens(tried.text)).state_LQK[-1, -1]
        ends.append((float(state_K[-2]), float(state_K[0])))
    (near, far), (kept_near, kept_far) = ends
    assert f"{near:.1f} after the letter before it, {far:.7f} at the start" in tried.look
    assert f"lstm above: {kept_near:.3f} and {kept_far:.4f}" in tried.look


def test_what_the_ledger_says_of_the_lstm() -> None:
    """The rest: the first minute, and tests/analysis/test_ledger.py."""
    slow = lesson("memory").tries[1]
    trace, found = unit("lstm", slow)
    forget_TU = trace.field("gate.forget").values[1, 1:].astype(float)
    assert int(np.log(forget_TU).mean(0).argmax()) == int(asked(slow, "unit"))
    forget_T = found["gate.forget"]  # of what each token wrote, the share that is left at the end
    left_T = np.array([forget_T[t + 1 :].prod() for t in range(len(forget_T))])
    year = [t for t, token in enumerate(trace.tokens) if token.isdigit()]
    least, most = left_T[year].min(), left_T[trace.tokens.index("(")]
    assert f"{100 * least:.0f} to {100 * most:.0f} % is still there" in slow.look
    gate_LTU = shipped("lstm").trace(lesson("memory").example).field("gate.forget").values
    mean_LU = gate_LTU.astype(float).mean(1)
    above = f"{(mean_LU > 0.9).sum()} of {mean_LU.size} units is above 0.9"
    assert above in lesson("memory").differs
    assert not (mean_LU < 0.1).any() and (mean_LU <= 0.9).mean() > 0.5


def place(tried: Try) -> tuple[int, int]:
    return int(asked(tried, "layer")), int(asked(tried, "unit") or asked(tried, "head"))


def quoted(run: str, tried: Try) -> tuple[np.ndarray, np.ndarray]:
    """(T,) the unit that an example shows, and (T,) whether a quotation is open there, its marks left out as nan."""
    layer, unit = place(tried)
    trace = shipped(run).trace(tried.text)
    mark_T = np.array([token == '"' for token in trace.tokens])
    inside_T = np.where(mark_T, np.nan, mark_T.cumsum() % 2)
    return trace.field("hidden").values[layer, :, unit], inside_T


def test_a_unit_of_the_gru_knows_what_is_quoted_and_one_of_the_elman_network_slips() -> None:
    for run, clean in (("gru_large", (0, 1)), ("rnn_large", (0,))):
        shown, tried = (other_runs.RUNS[run][id] for id in ("lstm", "surgery"))
        layer, number = place(shown[0])
        assert {place(t) for t in (*shown[:2], *tried)} == {(layer, number)}
        looked = {"layer": layer, "unit": number, "field": "hidden"}
        assert dict(RunStore().find(run).note["look"]) == looked
        for example in (shown[i] for i in clean):
            unit_T, inside_T = quoted(run, example)
            if run == "gru_large":
                assert (unit_T[inside_T == 1] > 0.5).all() and (unit_T[inside_T == 0] < -0.2).all()
            else:
                assert np.median(unit_T[inside_T == 1]) > 0.95
                assert np.median(unit_T[inside_T == 0]) < -0.95
        for example in tried:
            for p in after(run, example):
                assert share(p['"']) in example.look
    trace = shipped("gru_large").trace(other_runs.RUNS["gru_large"]["lstm"][0].text)
    update_T = trace.field("gate.update").values[0, :, 213]
    opens, closes = (t for t, token in enumerate(trace.tokens) if token == '"')
    assert (update_T[[opens, closes]] > 0.98).all() and trace.tokens[opens + 2] == "h"
    assert (update_T[opens + 2 : closes] < 0.05).all()
    slips = other_runs.RUNS["rnn_large"]["lstm"][1]
    unit_T, inside_T = quoted("rnn_large", slips)
    at = slips.text.index("ow,") + 1  # behind the token of the beginning
    assert (unit_T[at : at + 3] < -0.9).all() and (inside_T[at : at + 3] == 1).all()


def test_units_of_the_elman_network_and_the_noun_next_to_it() -> None:
    tried = other_runs.RUNS["rnn_large"]["rnn"][0]
    layer, number = place(tried)
    whh_HH = shipped("rnn_large").weights()["layers.0.fused.weight_hh_l0"]
    assert layer == 0 and list(np.argsort(-np.abs(whh_HH[number]))[:2]) == [number, 551]
    for weight in whh_HH[number, [number, 551]]:
        assert f"{weight:.3f}".replace("-", "−") in tried.look
    for run in ("gru_large", "rnn_large"):
        tried = other_runs.RUNS[run]["lstm"][2]
        was, were = (p_after(shipped(run), tried.text)[letter] for letter in "ae")
        assert share(was) in tried.look and share(were) in tried.look and was > 2 * were


def test_the_orders_of_words_behind_one_text() -> None:
    """“ancient” was seen behind all four words, “important” behind one and two."""
    table = shipped("ngram").trace(lesson("ngrams").tries[0].text)["ladder"].columns
    last = table["position"] == table["position"].max()
    parts_NM = np.stack([table[f"part_{m}"][last] for m in range(6)], -1)
    parts = dict(zip(table["next"][last], parts_NM, strict=True))
    assert parts["ancient"][5] > 0.9 * parts["ancient"].sum()
    assert set(np.argsort(parts["important"])[-2:]) == {2, 3}
    assert parts["important"][4:].sum() < 0.1 * parts["important"].sum()


def test_where_a_pronoun_looks() -> None:
    bear, trophy = lesson("attention").tries[-2:]
    layer, number = place(bear)
    trace = shipped("transformer").trace(bear.text)
    it, a_HT = trace.tokens.index(" it"), trace.field("attention").values[layer]
    honey = a_HT[number + 1, it, trace.tokens.index(" h") : trace.tokens.index(" because")].sum()
    assert share(a_HT[number, it, trace.tokens.index(" bear")]) in bear.look
    assert f"head {number + 2}" in bear.look and share(honey) in bear.look
    texts = trophy.text, trophy.text.replace("small", "big")
    small, big = (shipped("transformer").trace(text) for text in texts)
    it = small.tokens.index(" it")
    rows = [t.field("attention").values[:, :, it, : it + 1] for t in (small, big)]
    assert small.tokens[:-1] == big.tokens[:-1] and small.tokens[-1] != big.tokens[-1]
    assert np.allclose(*rows, atol=1e-6), "not one weight changes"


def test_what_is_cut_out_of_the_transformer() -> None:
    model, examples = shipped("transformer"), other_runs.RUNS["transformer"]["surgery"]
    for tried, answer in zip(examples, (" her", " her", "l", " St"), strict=True):
        plain, edited = after("transformer", tried)
        assert first(plain) == answer
        assert f"falls from {share(plain[answer])} to {share(edited[answer])}" in tried.look
    girl, boy, twice, _ = examples
    assert first(after("transformer", girl)[1]) == " his"
    tokens, a_TT = head("transformer", boy)
    assert tokens[7] == " woman" and share(a_TT[9, 7]) in boy.look
    assert share(p_after(model, twice.text, "reading:1:0:*:scale:0")["l"]) in twice.look


def states(run: str, text: str, field: str) -> list[str]:
    """The likeliest state of each token."""
    model: Any = shipped(run)
    found = model.trace(text).field(field).values
    return [model.states[int(s)] for s in (found if found.ndim == 1 else found.argmax(1))][1:]


def test_the_tagger_learns_of_a_word_from_those_behind_it() -> None:
    model = shipped("hmm_tagger")
    book, horse, flurble, may = (tried.text for tried in lesson("hmm").tries)
    assert model.trace(book).unknown[:1] == (1,)
    assert states("hmm_tagger", book, "filter")[0] == "PROPN"
    assert states("hmm_tagger", book, "smooth")[0] == "VERB"
    trace = model.trace(horse)
    assert {trace.tokens[t] for t in trace.unknown} == {"raced", "barn"}
    assert len(model.trace(flurble).unknown) == 3
    path = states("hmm_tagger", may, "viterbi")
    assert (path[1], path[4]) == ("AUX", "PROPN")


def test_a_state_of_the_letters_writes_vowels() -> None:
    model: Any = shipped("hmm")
    house, banana, river = other_runs.RUNS["hmm"]["hmm"]
    assert share(model.a_SS[3, 2]) in house.look
    letters = [c for c in "abcdefghijklmnopqrstuvwxyz" if c in model.tokenizer.vocab]
    by_share = sorted(letters, key=lambda c: -model.b_SV[2, model.tokenizer.vocab.index(c)])
    assert by_share[:4] == list("eoai")
    for field in ("filter", "smooth", "viterbi"):
        assert " ".join(states("hmm", banana.text, field)) in banana.look
    assert states("hmm", river.text, "viterbi")[:9] == ["3", "2", "1"] * 3


# Runs that learned a planted rule


def test_what_must_come_next_by_each_rule() -> None:
    """Of every shipped run that has learned the text: what its examples say comes, comes."""
    keys = "The keys to the old cabinet", "The key to the old cabinets"
    books = "The books near the lamp behind the chair"
    rules = {"agreement": ((keys[0], "are"), (keys[1], "is"), (books, "are"))}
    rules["brackets"] = (("([a]{b", "}"), ("([a]{b})", "\n"), ("{[(a)b]c(", ")"))
    rules["copying"] = (("kqzr=kq", "z"), ("kqzr=kqzr", "\n"), ("abcdefgh=ab", "c"))
    rules["lag"] = (("abacdbabac", "d"), ("aaaaabaaaa", "a"), ("abcdab", "a"))
    for rule, expected in rules.items():
        assert tuple(tried.text for tried in planted.TEXTS[rule]) == tuple(t for t, _ in expected)
        for run in (run for run in LOOKS if run.rpartition("_")[2] == rule):
            for text, answer in expected:
                p = p_after(shipped(run), text)
                assert first(p) == answer, (run, text)
                if rule == "brackets":
                    assert sum(p[b] for b in CLOSES if b != answer) < 0.001
                    assert answer != "\n" or p[answer] > 0.99, "only the line end is possible"
    for run in ("lstm_lag", "rnn_lag", "transformer_lag"):
        assert first(p_after(shipped(run), "aaaaabaaaaa")) == "b", "after that one b has to come"


@together(("run", "page", "n"), RUNS)
def test_every_share_in_a_sentence_is_one_of_the_models(run: str, page: str, n: int) -> None:
    """What is expected of a word that is named, a weight of the head shown, or what a test of its own measures."""
    tried = planted.RUNS[run][page][n]
    found = list(np.concatenate([list(p.values()) for p in after(run, tried)]))
    if asked(tried, "head"):
        found += list(head(run, tried)[1].ravel())
    for written in SHARE.findall(tried.look):
        digits = len(written.partition(".")[2])
        bound = re.search(rf"(under|below|over) {re.escape(written)} %", tried.look)
        if not bound and written != "86" and f"nearly {written} %" not in tried.look:
            assert written in {f"{100 * p:.{digits}f}" for p in found}, written


def test_how_often_a_head_looks_at_the_open_bracket() -> None:
    """And what a unit holds; what units and heads do on new lines: tests/models/test_planted.py."""
    tried = of("transformer_brackets", "heads")[0]
    hits: list[bool] = []
    for line in fresh("brackets"):
        trace, stack = shipped("transformer_brackets").trace(line, fields=("attention",)), []
        weight_TT = trace.field("attention").values[place(tried)]
        for i, c in enumerate(line):
            if c in CLOSES:
                hits.append(weight_TT[i].argmax() == stack.pop() + 1)
            elif c in CLOSES.values():
                stack.append(i)
    assert said(tried, float(np.mean(hits)))
    many, one = of("lstm_agreement", "lstm")
    trace, found = unit("lstm_agreement", many)
    assert trace.tokens[-1] == "cabinet"
    assert f"{found['cell'][-1]:.1f}".replace("-", "−") in many.look
    single = Try(many.text.replace("keys", "key"), "", many.link)
    assert f"and it is {unit('lstm_agreement', single)[1]['cell'][-1]:.1f}" in many.look
    _, found = unit("lstm_agreement", one)
    assert f"is {found['cell'][-1]:.1f} at “cabinets”" in one.look


# The table of the shipped runs


def test_what_the_table_says_to_look_at() -> None:
    assert sum(look.at == CELL.at for look in LOOKS.values()) == 10 and "all ten cells" in CELL.at
    guesses = {"brackets": "33.3", "copying": "3.8", "lag": "25", "agreement": "50"}
    guesses |= dict.fromkeys(("ntm", "repeats", "mappings", "prefixed"), "12.5")
    of_letters = {"brackets": 3, "copying": 26, "lag": 4, "agreement": 2, "ntm": 8, "repeats": 8}
    of_letters |= {"mappings": len(mappings.LABELS), "prefixed": len(prefixed.LETTERS)}
    for run, look in LOOKS.items():
        if "a guess" in look.beside:
            rule = run.rpartition("_")[2]
            assert float(guesses[rule]) == pytest.approx(100 / of_letters[rule], abs=0.05)
            assert f"{guesses[rule]} %" in look.beside, run
    for run, answer in (
        ("lstm_copying", "z"),
        ("lstm_lag", "d"),
        ("transformer_lag", "d"),
        ("transformer_mappings", "blue"),
    ):
        text = re.findall("“(.+?)”", LOOKS[run].at)[0]
        assert first(p_after(shipped(run), text)) == answer


def test_the_induction_head_of_the_transformer_and_the_one_it_needs() -> None:
    look = LOOKS["transformer"].at
    text = re.findall("“(.+?)”", look)[0]
    assert "head 3 of layer 5" in look and "head 1 of layer 2" in look
    model: Any = shipped("transformer")
    trace = model.trace(text)
    a_T = trace.field("attention").values[4, 2, -1]
    at = int(a_T.argmax())
    assert trace.tokens[at - 1] == trace.tokens[-1], "it looks behind where this piece stood before"
    answer, plain = trace.tokens[at], p_after(model, text)
    assert first(plain) == answer
    for edits in ("reading:4:2:*:scale:0", "reading:1:0:*:scale:0"):
        assert p_after(model, text, edits)[answer] < 0.7 * plain[answer], edits


# What is said of the notes
