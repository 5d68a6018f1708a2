"""Models whose inside is known: the four planted texts keep their rule, the shipped runs know it,
and what the pages name does the work.

Every rule is checked here by code of its own, on lines that no run has learned from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.units import features, probe, reading
from engine.core.registry import corpora
from engine.course import other_runs, planted
from engine.course.curriculum import lesson
from engine.lessons.heads import roles
from engine.lessons.surgery import patch
from engine.runs.store import SHIPPED, RunStore, digest
from engine.shipped.recipes import ZOO
from engine.text.corpora import agreement, copying, lag
from pages.ui import shell
from tests.conftest import ROOT, edits_of, only_runs, p_after, shipped
from tests.lessons.test_patch import heat
from tests.pages.test_every_page import answered

TEXTS = ("agreement", "brackets", "copying", "lag")
CLOSES = dict(zip(")]}", "([{", strict=True))
FRESH = 987  # a seed that no text was made with


def depths(line: str) -> list[int]:
    """How many brackets are open after each character; each closes the last one opened."""
    stack: list[str] = []
    found = []
    for c in line:
        if c in CLOSES.values():
            stack.append(c)
        elif c in CLOSES:
            assert stack.pop() == CLOSES[c]
        found.append(len(stack))
    return found


def number_of(line: str) -> str:
    """What the verb has to be: by the noun before the first word that is no article or quality."""
    verb = "|".join([*(side["one"] for side in agreement.SIDES), "is", "are"])
    before = re.split(rf" (?:{verb}) ", line, maxsplit=1)[0]
    return "are" if before.endswith("s") else "is"


@pytest.mark.parametrize("id", TEXTS)
def test_every_line_keeps_its_rule(id: str) -> None:
    lines = corpora.get(id).generate(120, FRESH)
    assert lines == corpora.get(id).generate(120, FRESH) != corpora.get(id).generate(120, FRESH + 1)
    for line in lines:
        if id == "brackets":
            deep = depths(line)
            # a line ends where its first bracket closes
            assert deep[-1] == 0 and 0 not in deep[:-1] and set(line) <= set("()[]{}abc")
        elif id == "copying":
            word, again = line.split(copying.MARK)
            assert word == again and len(set(word)) == len(word) >= 2
        elif id == "lag":
            assert len(line) >= lag.SHORTEST
            assert all(a == b for a, b in zip(line[: -lag.K], line[lag.K :], strict=True))
        else:
            assert re.fullmatch(r"The [a-z ]+ (is|are) [a-z]+\.", line)
            assert f" {number_of(line)} " in line
            (fact,) = corpora.get(id).facts(line)
            verb = {"one": "is", "many": "are"}[fact.value]
            assert line[slice(*fact.second)] == number_of(line) == verb
            assert line[slice(*fact.first)].endswith("s") == (fact.value == "many")
            assert fact.first[1] < fact.second[0]
        facts = corpora.get(id).facts(line)
        assert [f.second for f in facts] == sorted(f.second for f in facts)
        assert all(f.first[1] <= f.second[0] for f in facts)
        if id == "brackets":
            assert len(facts) == sum(line.count(b) for b in "([{")
            assert all(CLOSES[line[f.second[0]]] == line[f.first[0]] for f in facts)
        elif id != "agreement":
            assert all(line[slice(*f.first)] == line[slice(*f.second)] for f in facts)
            assert len(facts) == (line.index("=") if id == "copying" else len(line) - lag.K)
    if id == "brackets":
        assert {3, 4, 5} <= {max(depths(line)) for line in lines}, "several depths"
    if id == "agreement":
        nouns = {form for noun in agreement.NOUNS for form in noun.values()}
        between = [[w for w in before_verb(line).split() if w in nouns][1:] for line in lines]
        pairs = zip(between, (number_of(line) == "are" for line in lines), strict=True)
        against = [any(w.endswith("s") != many for w in words) for words, many in pairs]
        # in many sentences a noun between has the other number
        assert 0.25 < np.mean(against) < 0.65


def test_another_sentence_has_no_fact() -> None:
    for line in ("", "Hello.", "The keys is rusty.", "The keys are rusty"):
        with pytest.raises(ValueError, match="none of the grammar"):
            agreement.CORPUS.facts(line)
    for line in ("(]", ")", "([)]"):
        with pytest.raises(ValueError, match="closes none"):
            corpora.get("brackets").facts(line)
    assert corpora.get("copying").facts("no mark") == corpora.get("lag").facts("abc") == []


def asked(id: str, line: str, model: Any) -> list[tuple[int, int, list[int]]]:
    """Where it is known what comes next: (token before it, its id, ids that a guess is among)."""
    vocab = list(model.tokenizer.vocab)
    ids = [*model.tokens(line).ids.tolist(), model.tokenizer.boundary]
    of = lambda words: [vocab.index(w) for w in words]  # noqa: E731
    if id == "brackets":
        among, places = of(")]}"), range(len(ids) - 1)
    elif id == "copying":
        among, places = of("abcdefghijklmnopqrstuvwxyz"), range(line.index("=") + 1, len(ids) - 2)
    elif id == "lag":
        among, places = of("abcd"), range(lag.K, len(ids) - 2)
    else:
        among, places = of(("is", "are")), range(len(ids) - 1)
    return [(t, ids[t + 1], among) for t in places if ids[t + 1] in among]


@cache
def fresh(id: str, count: int = 60) -> tuple[str, ...]:
    """Lines that the text does not have."""
    known = set(corpora.get(id).text().split("\n"))
    lines = corpora.get(id).generate(20 * count, FRESH)
    return tuple([line for line in lines if line not in known][:count])


# of the asked tokens right; 0.995 for the others
KNOWN = {"lstm_copying": 0.98, "transformer_brackets": 0.99, "lstm_brackets": 0.99}
SHIPPED_RUNS = sorted(name for name in ZOO if name.rpartition("_")[2] in TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize("run", SHIPPED_RUNS)
def test_a_shipped_run_knows_its_rule(run: str) -> None:
    model, id = shipped(run), run.rpartition("_")[2]
    right = total = 0
    for line in fresh(id):
        p_TV = model.trace(line, fields=("probability",)).field("probability").values
        for t, answer, among in asked(id, line, model):
            right += among[int(p_TV[t][among].argmax())] == answer
            total += 1
    assert total >= 60 and right / total >= KNOWN.get(run, 0.995), f"{right} of {total}"
    note = RunStore(SHIPPED).find(run).note
    assert planted.text(note) == id and planted.tries("lstm", note, run)


def test_an_lstm_counts_brackets() -> None:
    """Unit 27: the page Unit detective finds it, its memory is the depth, it ends the line."""
    model = shipped("lstm_brackets")
    text = "\n".join(fresh("brackets"))
    of = reading.read(model, text, "cell", 4_000)
    deep_N = np.array(depths(of.text.removesuffix("\n").replace("\n", "")))[: len(of)]
    inside = np.array([label != "\n" for label in of.labels])
    inner_N = deep_N[: inside.sum()]
    r_U = np.array([np.corrcoef(state[inside], inner_N)[0, 1] for state in of.state_UN])
    assert int(np.abs(r_U).argmax()) == 27 and r_U[27] < -0.98, "the next best unit has 0.75"
    counted = [(h, features.counts(h, of.text, of.span_N2)) for h in features.HYPOTHESES]
    truths = [features.truths(h, counts) for h, counts in counted]
    nested = [h.id for h in features.HYPOTHESES].index("nested")
    assert probe.probe(of.state_UN, np.stack(truths)).best(nested) == (27, nested)

    def ends(line: str, edits: str = "") -> float:
        return p_after(model, line, edits)["\n"]

    assert ends("([a]{b})") > 0.99 and ends("([a]{b})", "cell:0:27:1-:set:-2") < 0.01, "four open"
    assert ends("([a]{b}") < 0.01 < 0.9 < ends("([a]{b}", "cell:0:27:1-:set:1.7"), "none is open"
    held = [ends("([a]{b})", f"cell:0:{unit}:1-:set:-2") for unit in (5, 14, 40)]
    assert min(held) > 0.9, "other units held at the same number leave the end alone"


def test_a_head_looks_at_the_open_bracket() -> None:
    """Head 2 of layer 2: before most closing brackets its largest weight lies on the one to close."""
    model, found = shipped("transformer_brackets"), []
    for line in fresh("brackets"):
        weight_LNTT = model.trace(line, fields=("attention",)).field("attention").values
        stack: list[int] = []
        for i, c in enumerate(line):
            if c in CLOSES:
                # token i is the one before this bracket, which is token i + 1
                found.append(weight_LNTT[:, :, i].argmax(-1) == stack.pop() + 1)
            elif c in CLOSES.values():
                stack.append(i)
    share_LN = np.mean(found, 0)
    assert len(found) > 300 and share_LN[1, 1] > 0.8 and np.delete(share_LN.ravel(), 5).max() < 0.6


def test_an_induction_head_copies() -> None:
    """Head 4 of layer 2: the page Heads names it, and without it the copy is lost."""
    model = shipped("transformer_copying")
    found = roles.measure(model, source=copying.CORPUS)
    given = {name: np.argwhere(found.given()[r]).tolist() for r, name in enumerate(found.names)}
    assert given["induction"] == given["original"] == [[1, 3]], "no other head has the tag"
    off = {
        at: p_after(model, "kqzr=kq", f"reading:{at}:*:scale:0")["z"]
        for at in ("1:0", "1:1", "1:2", "1:3", "0:0")
    }
    assert p_after(model, "kqzr=kq")["z"] > 0.99
    assert off.pop("1:3") < 0.01 and off.pop("0:0") < 0.1 and min(off.values()) > 0.9
    both = patch.pair(model, *planted.PAIRS["copying"])
    found = heat(model, both, "reading")
    assert found[1, 3] > 0.9 and np.abs(np.delete(found.ravel(), 7)).max() < 0.2


def test_a_head_looks_a_fixed_number_of_tokens_back() -> None:
    """Head 3 of layer 1: from the letter before the answer, K - 1 back, whatever the letters."""
    model = shipped("transformer_lag")
    found = roles.measure(model, source=lag.CORPUS)
    given = {name: np.argwhere(found.given()[r]).tolist() for r, name in enumerate(found.names)}
    # by distance, not by what followed the same letter
    assert [0, 2] in given["original"] and not given["induction"]
    lines, back_D = fresh("lag"), np.zeros(12)
    for line in lines:
        weight_TT = model.trace(line, fields=("attention",)).field("attention").values[0, 2]
        looks = [weight_TT[t, t - 11 : t + 1][::-1] for t in range(12, len(weight_TT))]
        back_D += np.mean(looks, 0) / len(lines) if looks else 0
    assert back_D.argmax() == lag.K - 1 and back_D[lag.K - 1] > 0.5
    assert p_after(model, "abacdbabac")["d"] > 0.99
    assert p_after(model, "abacdbabac", "reading:0:2:*:scale:0")["d"] < 0.05
    assert heat(model, patch.pair(model, *planted.PAIRS["lag"]), "reading")[0, 2] > 0.9


def before_verb(line: str) -> str:
    return re.split(r" (?:is|are) ", line)[0]


def test_an_lstm_keeps_the_number_of_the_subject() -> None:
    """Unit 13 tells one from many across other nouns; four units together turn is into are."""
    model = shipped("lstm_agreement")
    lines = [line for line in fresh("agreement", 150) if " the " in before_verb(line)]
    many = np.array([number_of(line) == "are" for line in lines])
    traces = [model.trace(before_verb(line), fields=("cell",)) for line in lines]
    state_NU = np.stack([trace.field("cell").values[0, -1] for trace in traces])
    r_U = np.array([np.corrcoef(state_N, many)[0, 1] for state_N in state_NU.T])
    assert int(np.abs(r_U).argmax()) == 13 and r_U[13] < -0.9 and len(lines) > 80
    assert state_NU[many, 13].max() < 0 < state_NU[~many, 13].min(), "none on the wrong side"
    link = next(t.link for t in planted.RUNS["lstm_agreement"]["surgery"] if "0:17" in t.link)
    text = "The books near the lamp"
    plain, edited = (p_after(model, text, edits) for edits in ("", link.partition("edits=")[2]))
    assert plain["are"] > 20 * plain["is"] and edited["is"] > 20 * edited["are"]
    other = p_after(model, text, ",".join(f"cell:0:{unit}:3-:set:1" for unit in (2, 5, 9, 11)))
    assert other["are"] > 10 * other["is"], "four other units do not"


def test_a_head_looks_at_the_subject() -> None:
    """Head 2 of layer 2: from the word before the verb to the subject, past the nouns between."""
    model, shares = shipped("transformer_agreement"), []
    for line in fresh("agreement"):
        trace = model.trace(before_verb(line), fields=("attention",))
        subject = trace.spans.index(agreement.CORPUS.facts(line)[0].first)
        if subject < len(trace.tokens) - 1:
            shares.append(trace.field("attention").values[1, 1, -1, subject])
    assert len(shares) > 20 and np.mean(shares) > 0.8
    both = patch.pair(model, *planted.PAIRS["agreement"])
    found = heat(model, both, "reading")
    assert found[1, 1] > 0.9 and np.abs(np.delete(found.ravel(), 5)).max() < 0.2
    off = p_after(model, "The keys to the old cabinet", "reading:1:1:*:scale:0")
    assert off["is"] > off["are"], "without it the nearer noun decides"


def test_examples_fit_what_a_run_has_learned() -> None:
    for id, tries in planted.TEXTS.items():
        runs = [shipped(run) for run in SHIPPED_RUNS if run.endswith(id)]
        models = {model.tokenizer.id: model for model in runs}.values()
        mine = [by for run, by in planted.RUNS.items() if run.endswith(id)]
        for t in (*tries, *(t for by in mine for each in by.values() for t in each)):
            assert t.look.endswith((".", "?")), t.text
            assert not any(model.tokens(t.text).unknown for model in models), t.text
    for run, lessons in planted.RUNS.items():
        for id, tries in lessons.items():
            assert lesson(id) and len(tries) >= 2
            for t in tries:
                if "edits=" in t.link:
                    assert edits_of(shipped(run), t.link.partition("edits=")[2])
    others = (None, {"digest": 5}, {"digest": digest("another text")})
    for note in ({}, *({"corpus": corpus} for corpus in others)):
        assert planted.tries("lstm", note, "lstm_lag") == ()
    for id in TEXTS:
        learned = {"corpus": {"digest": digest(corpora.get(id).text())}}
        assert planted.tries("lstm", learned) == planted.TEXTS[id], "one trained by a reader, too"


def test_of_another_model_than_the_lesson_s_own_nothing_is_claimed() -> None:
    here, store = lesson("surgery"), RunStore()
    own, other, large = (
        shell.opening(here, store.find(id)) for id in ("lstm", "lstm_small", "gru_large")
    )
    assert own.tries == here.tries and own.first == here.first
    assert [t.text for t in other.tries] == [t.text for t in here.tries]
    assert not any(t.look or t.link for t in other.tries)
    assert not other.first
    assert large.tries == other_runs.RUNS["gru_large"]["surgery"]
    assert large.first == large.tries[0].link
    for id in ("stories", "why", "melody"):  # planted texts, of which these lessons speak
        here = lesson(id)
        opened = shell.opening(here, store.find(here.true_of[0]))
        assert opened.steps and opened.steps == here.minute and opened.tries == here.tries
    kept = shell.opening(lesson("decoding"), store.find("lstm_small")).tries
    assert kept == lesson("decoding").tries, "what holds for any model stays"


@pytest.fixture
def two_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    runs = {"lstm": run_folder("lstm"), "lstm_brackets": SHIPPED / "lstm_brackets"}
    yield from only_runs(tmp_path_factory, runs)


def test_a_page_asks_a_run_about_what_it_has_learned(two_runs: None) -> None:
    """Another run has other examples; the text follows if it is one of them, and not if typed."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/410_lstm.py").run()
    header, _ = answered(at, "lstm", lesson("lstm").example)
    assert header["layout"]["tries"][0]["text"] == lesson("lstm").tries[0].text
    assert not header["turn"]
    have = header["layout"]["hash"]
    at.selectbox(key="lstm.run").set_value("lstm_brackets")
    header, _ = answered(at, "lstm", lesson("lstm").example, have=have)
    shown, wanted = header["layout"]["tries"], planted.RUNS["lstm_brackets"]["lstm"]
    assert [t["text"] for t in shown] == [t.text for t in wanted]
    assert header["turn"]
    header, _ = answered(at, "lstm", "(typed", have=header["layout"]["hash"])
    at.selectbox(key="lstm.run").set_value("lstm")
    assert not answered(at, "lstm", "(typed", have=header["layout"]["hash"])[0]["turn"]

    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["run"] = "lstm_brackets"
    at.switch_page("pages/420_memory.py").run()
    header, _ = answered(at, "memory", "([a]")
    assert at.selectbox(key="memory.run").value == "lstm_brackets"
    assert "LSTM of brackets" in str(header["layout"]["readers"])
