"""What the examples say of the shipped models, sentence by sentence: each number in it is computed from
the run and the text that it speaks of.  Examples that a first minute shows too: test_first_minute.py."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch

from engine.analysis import backpropagation
from engine.core.trace import Trace
from engine.course import other_runs, planted
from engine.course.base import Try
from engine.course.curriculum import lesson
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from engine.runs.store import RunStore
from engine.shipped.highlights import CELL, LOOKS
from tests.conftest import p_after, shipped, together
from tests.models.test_planted import CLOSES, before_verb, fresh, number_of

SHARE = re.compile(r"(\d+(?:\.\d+)?) %")
RUNS = [
    (run, page, n)
    for run, by in planted.RUNS.items()
    for page, tries in by.items()
    for n, tried in enumerate(tries)
    if tried.link
]


def asked(tried: Try, name: str) -> str:
    return parse_qs(tried.link).get(name, [""])[0]


def said(tried: Try, p: float) -> bool:
    """Whether the sentence gives this probability, with as many digits as it gives."""
    return any(
        f"{100 * p:.{len(found.partition('.')[2])}f}" == found
        for found in SHARE.findall(tried.look)
    )


def first(p: dict[str, float]) -> str:
    return max(p, key=p.__getitem__)


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
    return trace.tokens, trace.field("attention").values[
        int(asked(tried, "layer")), int(asked(tried, "head"))
    ]


def kept(forget_T: np.ndarray) -> np.ndarray:
    """Of what each token wrote, the share that is left at the end."""
    return np.array([forget_T[t + 1 :].prod() for t in range(len(forget_T))])


def of(run: str, page: str) -> tuple[Try, ...]:
    return tuple(tried for tried in planted.RUNS[run][page] if tried.link)


# Recurrent lessons


def test_a_change_in_the_middle_leaves_what_stands_before_it() -> None:
    _, _, tried = lesson("rnn").tries
    assert "everything to its left stays as it was, everything after it changes" in tried.look
    a, b = (
        shipped("rnn").trace(text).field("hidden").values
        for text in (tried.text, tried.text.replace("sat", "sit"))
    )
    apart_T = np.abs(a - b).max((0, 2))
    at = 1 + tried.text.index("sat") + 1  # behind the start mark
    assert (apart_T[:at] == 0).all() and (apart_T[at:] > 0).all()


def test_what_of_a_gradient_reaches_the_start() -> None:
    _, tried, *_ = lesson("bptt").tries
    assert tried.text.endswith("d")
    ends = []
    for run in ("rnn", "lstm"):
        model = able(shipped(run), RecurrentModel)
        state_K = backpropagation.rows(model, model.tokens(tried.text)).state_LQK[-1, -1]
        ends.append((float(state_K[-2]), float(state_K[0])))
    (near, far), (kept_near, kept_far) = ends
    assert f"{near:.1f} after the letter before it, {far:.7f} at the start" in tried.look
    assert f"lstm above: {kept_near:.3f} and {kept_far:.4f}" in tried.look


BEGINS = [  # an example that holds a unit, where it says that this begins, and that token
    *((t, "from the first quoted letter on", "w") for t in (lesson("surgery").tries[0],)),
    *(
        (other_runs.RUNS[run]["surgery"][n], "From the first quoted letter on", "w")
        for run, n in (("gru_large", 0), ("rnn_large", 1))
    ),
    (lesson("surgery").tries[2], "From “spring” on", "s"),
]


@together(("tried", "says", "token"), BEGINS)
def test_where_an_edit_begins(tried: Try, says: str, token: str) -> None:
    at = int(asked(tried, "edits").split(":")[3].removesuffix("-"))
    tokens = shipped("lstm").trace(tried.text).tokens
    assert says in tried.look and tokens[at] == token
    assert tokens[at - 1] == ('"' if "quoted" in says else " ")


def test_what_the_ledger_says_of_the_lstm() -> None:
    quoted, slow, counter = lesson("memory").tries
    trace, found = unit("lstm", quoted)
    opens, closes = (t for t, token in enumerate(trace.tokens) if token == '"')
    assert (found["gate.forget"][[opens, opens + 1]] < 0.01).all(), "it drops all, twice"
    assert found["write"][opens + 1] == pytest.approx(-1, abs=0.03)
    assert kept(found["gate.forget"][:closes])[opens + 1] > 0.6, "until the closing mark"
    assert found["gate.forget"][closes] < 0.02
    trace, found = unit("lstm", slow)
    forget_TU = trace.field("gate.forget").values[1, 1:].astype(float)
    assert int(np.log(forget_TU).mean(0).argmax()) == int(asked(slow, "unit"))
    left_T = kept(found["gate.forget"])
    year = [t for t, token in enumerate(trace.tokens) if token.isdigit()]
    least, most = left_T[year].min(), left_T[trace.tokens.index("(")]
    assert f"{100 * least:.0f} to {100 * most:.0f} % is still there" in slow.look
    trace, found = unit("lstm", counter)
    assert np.abs(found["write"]).max() < 1 and found["cell"][-1] > 51
    gate_LTU = shipped("lstm").trace(lesson("memory").example).field("gate.forget").values
    mean_LU = gate_LTU.astype(float).mean(1)
    assert (
        f"{(mean_LU > 0.9).sum()} of {mean_LU.size} units is above 0.9" in lesson("memory").differs
    )
    assert not (mean_LU < 0.1).any() and ((mean_LU >= 0.1) & (mean_LU <= 0.9)).mean() > 0.5


def share(p: float) -> str:
    return f"{100 * p:.0f} %" if p >= 0.095 else f"{100 * p:.1f} %"


def place(tried: Try) -> tuple[int, int]:
    return int(asked(tried, "layer")), int(asked(tried, "unit") or asked(tried, "head"))


def quoted(run: str, tried: Try) -> tuple[np.ndarray, np.ndarray]:
    """(T,) the unit that an example shows, and (T,) whether a quotation is open there, its marks
    left out as nan."""
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


def test_two_units_of_the_elman_network_hold_each_other() -> None:
    tried = other_runs.RUNS["rnn_large"]["rnn"][0]
    layer, number = place(tried)
    whh_HH = shipped("rnn_large").weights()["layers.0.fused.weight_hh_l0"]
    assert layer == 0 and list(np.argsort(-np.abs(whh_HH[number]))[:2]) == [number, 551]
    for weight in whh_HH[number, [number, 551]]:
        assert f"{weight:.3f}".replace("-", "−") in tried.look


def test_the_other_cells_go_by_the_noun_that_stands_next() -> None:
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
    bear, trophy = lesson("attention").tries[3:]
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
    rules = {
        "brackets": (("([a]{b", "}"), ("([a]{b})", "\n"), ("{[(a)b]c(", ")")),
        "copying": (("kqzr=kq", "z"), ("kqzr=kqzr", "\n"), ("abcdefgh=ab", "c")),
        "lag": (("abacdbabac", "d"), ("aaaaabaaaa", "a"), ("abcdab", "a")),
        "agreement": (
            ("The keys to the old cabinet", "are"),
            ("The key to the old cabinets", "is"),
            ("The books near the lamp behind the chair", "are"),
        ),
    }
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
    """The percentages of an example: what the model or the edited model expects of a word that the
    sentence names, a weight of the head that it shows, or what a test of its own measures."""
    tried = planted.RUNS[run][page][n]
    found = list(np.concatenate([list(p.values()) for p in after(run, tried)]))
    if asked(tried, "head"):
        found += list(head(run, tried)[1].ravel())
    for share in SHARE.findall(tried.look):
        digits = len(share.partition(".")[2])
        bound = re.search(rf"(under|below|over) {re.escape(share)} %", tried.look)
        if not bound and share != "86" and f"nearly {share} %" not in tried.look:
            assert share in {f"{100 * p:.{digits}f}" for p in found}, share


def test_the_unit_that_counts_brackets() -> None:
    (counts,) = of("lstm_brackets", "lstm")
    trace, found = unit("lstm_brackets", counts)
    moved = np.diff(found["cell"])
    for t, token in enumerate(trace.tokens[2:], 1):  # from the second bracket on
        if token in CLOSES:
            assert 0.8 < moved[t] < 1
        elif token in CLOSES.values():
            assert -1 < moved[t] < -0.8
    assert "falls by 0.8 to 1" in counts.look and moved[0] > -0.5, "not at the first"
    (ledger,) = of("lstm_brackets", "memory")
    trace, found = unit("lstm_brackets", ledger)
    wrote = [t for t, token in enumerate(trace.tokens) if token in "()[]{}"][1:]
    signs = [1 if trace.tokens[t] in CLOSES else -1 for t in wrote]
    size = found["write"][wrote] * signs
    assert (size > 0.7).all() and (size < 1).all() and "between 0.7 and 1" in ledger.look
    assert kept(found["gate.forget"])[wrote].min() > 0.8 and "over 80 %" in ledger.look
    ended, none, deeper = of("lstm_brackets", "surgery")
    plain, edited = after("lstm_brackets", ended)
    assert plain["\n"] > 0.995 and edited["\n"] < 0.01
    plain, edited = after("lstm_brackets", none)
    assert said(none, edited["\n"]) and plain["\n"] < 0.01
    edited = after("lstm_brackets", deeper)[1]
    assert max(")]}", key=edited.__getitem__) == "}"


def test_the_unit_that_keeps_the_number() -> None:
    many, one = of("lstm_agreement", "lstm")
    trace, found = unit("lstm_agreement", many)
    assert trace.tokens[-1] == "cabinet"
    assert f"{found['cell'][-1]:.1f}".replace("-", "−") in many.look
    single = unit("lstm_agreement", Try(many.text.replace("keys", "key"), "", many.link))[1]
    assert f"and it is {single['cell'][-1]:.1f}" in many.look
    model, ends = shipped("lstm_agreement"), {"is": [], "are": []}  # type: ignore[var-annotated]
    for line in fresh("agreement", 150):
        cell = model.trace(before_verb(line), fields=("cell",)).field("cell").values[0, -1, 13]
        ends[number_of(line)].append(float(cell))
    assert min(map(len, ends.values())) > 50
    assert min(ends["is"]) > 0.6 and max(ends["are"]) < -1
    trace, found = unit("lstm_agreement", one)
    assert f"is {found['cell'][-1]:.1f} at “cabinets”" in one.look
    assert (found["gate.forget"][trace.tokens.index("to") :] > 0.9).all()
    many, one = of("lstm_agreement", "memory")
    words = ("the", "old", "cabinet")
    trace, found = unit("lstm_agreement", many)
    wrote = [found["write"][trace.tokens.index(word)] for word in words]
    assert min(wrote) > -1 and max(wrote) < -0.5
    trace, found = unit("lstm_agreement", one)
    wrote = [found["write"][trace.tokens.index(word)] for word in (*words[:2], "cabinets")]
    assert min(wrote) > -0.16 and max(wrote) < 0
    assert (found["cell"][trace.tokens.index("to") :] > 1).all()
    alone, four, other = of("lstm_agreement", "surgery")
    for tried, word in ((alone, "to"), (four, "near")):
        at = {edit.split(":")[3] for edit in asked(tried, "edits").split(",")}
        assert {shipped("lstm_agreement").trace(tried.text).tokens[int(a[:-1])] for a in at} == {
            word
        }
        plain, edited = after("lstm_agreement", tried)
        assert (
            said(tried, plain["are"]) and said(tried, edited["are"]) and said(tried, edited["is"])
        )
    plain, edited = after("lstm_agreement", other)
    assert first(plain) == "is" and first(edited) == "are"


def test_the_head_that_looks_at_the_open_bracket() -> None:
    rows, curly = of("transformer_brackets", "heads")
    tokens, a_TT = head("transformer_brackets", rows)
    stack: list[int] = []
    for t, token in enumerate(tokens):
        if token in CLOSES:
            stack.pop()
        elif token in CLOSES.values():
            stack.append(t)
        if t >= 2:  # from the second bracket on
            assert int(a_TT[t].argmax()) == stack[-1], token
    assert a_TT[1].argmax() != 1, "not at the first"
    layer, number = int(asked(rows, "layer")), int(asked(rows, "head"))
    hits = []
    for line in fresh("brackets"):
        trace = shipped("transformer_brackets").trace(line, fields=("attention",))
        weight_TT, stack = trace.field("attention").values[layer, number], []
        for i, c in enumerate(line):
            if c in CLOSES:
                hits.append(weight_TT[i].argmax() == stack.pop() + 1)
            elif c in CLOSES.values():
                stack.append(i)
    assert said(rows, float(np.mean(hits)))
    for tried in (curly, of("transformer_brackets", "attention")[0]):
        tokens, a_TT = head("transformer_brackets", tried)
        assert tokens[int(a_TT[-1].argmax())] == "{"


def test_the_head_that_looks_five_back() -> None:
    for page in ("heads", "attention"):
        for tried in of("transformer_lag", page):
            tokens, a_TT = head("transformer_lag", tried)
            assert all(a_TT[t].argmax() == t - 5 for t in range(6, len(tokens)))
            assert tokens[-6] == ("d" if "d" in tokens else "b")
    lost, several = of("transformer_lag", "surgery")
    plain, edited = after("transformer_lag", lost)
    assert plain["d"] > 0.99 and edited["d"] < 0.01 and first(edited) == "a"
    plain, edited = after("transformer_lag", several)
    assert first(plain) == "a" and edited["a"] < 0.5


def test_the_head_that_looks_at_the_subject() -> None:
    for page in ("heads", "attention"):
        for tried in of("transformer_agreement", page):
            tokens, a_TT = head("transformer_agreement", tried)
            subject = int(a_TT[-1].argmax())
            assert tokens[subject] == tried.text.split()[1] and a_TT[-1, subject] > 0.85
            assert a_TT[-1, subject] > 0.95 or "nearly all" not in tried.look
    many, one = of("transformer_agreement", "surgery")
    plain, edited = after("transformer_agreement", many)
    assert said(many, plain["are"]) and edited["is"] > edited["are"]
    alone = p_after(shipped("transformer_agreement"), "The cabinet")
    assert alone["is"] > alone["are"], "as after “cabinet” alone"
    plain, edited = after("transformer_agreement", one)
    assert plain["is"] > plain["are"] and edited["are"] > edited["is"]


PARTS = {"three quarters": (0.7, 0.8), "two thirds": (0.62, 0.71)}


def test_the_heads_that_copy() -> None:
    for page in ("heads", "attention"):
        for tried in of("transformer_copying", page):
            tokens, a_TT = head("transformer_copying", tried)
            target = int(a_TT[-1].argmax())
            if asked(tried, "layer") == "0":
                assert tokens[target] == "="
            else:
                assert tokens[target - 1] == tokens[-1] and target < tokens.index("=")
            for words, (least, most) in PARTS.items():
                if words in tried.look:
                    assert least < a_TT[-1, target] < most
    copy, mark, other = of("transformer_copying", "surgery")
    plain, edited = after("transformer_copying", copy)
    assert said(copy, plain["z"]) and edited["z"] < 0.005
    plain, edited = after("transformer_copying", mark)
    assert first(plain) == "k" and edited["k"] < 0.05 and first(edited) == "\n"
    plain, edited = after("transformer_copying", other)
    assert first(plain) == "x" and first(edited) == "u" and edited["\n"] < 0.01


# The table of the shipped runs


def test_what_the_table_says_to_look_at() -> None:
    assert sum(look.at == CELL.at for look in LOOKS.values()) == 10 and "all ten cells" in CELL.at
    guesses = {
        "brackets": "33.3",
        "copying": "3.8",
        "lag": "25",
        "agreement": "50",
        "ntm": "12.5",
        "repeats": "12.5",
    }
    of_letters = {"brackets": 3, "copying": 26, "lag": 4, "agreement": 2, "ntm": 8, "repeats": 8}
    for run, look in LOOKS.items():
        if "a guess" in look.beside:
            rule = run.rpartition("_")[2]
            assert float(guesses[rule]) == pytest.approx(100 / of_letters[rule], abs=0.05)
            assert f"{guesses[rule]} %" in look.beside, run
    for run, answer in (("lstm_copying", "z"), ("lstm_lag", "d"), ("transformer_lag", "d")):
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


def test_what_the_notes_call_is_gone_from_the_libraries() -> None:
    said = lesson("runs").differs
    for name in ("transformers.onnx", "huggingface_hub.inference_api"):
        assert find_spec(name) is None
    assert "InferenceApi" in said and "transformers.onnx" in said


def test_a_hard_sigmoid_leaves_nothing_outside() -> None:
    assert "1/6 between −3 and 3, and 0 outside" in lesson("neuron").differs
    z = torch.tensor([-3.01, -2.99, 0.0, 2.99, 3.01], requires_grad=True)
    (hard,) = torch.autograd.grad(torch.nn.functional.hardsigmoid(z).sum(), z)
    assert hard.tolist() == pytest.approx([0, 1 / 6, 1 / 6, 1 / 6, 0])
    (soft,) = torch.autograd.grad(torch.sigmoid(z).sum(), z)
    assert float(soft.min()) > 0 and float(soft.max()) == 0.25
