"""What the first minutes say of the shipped models, computed anew."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from engine.analysis import backpropagation, surgery
from engine.analysis import task_heads as task_store
from engine.analysis.attribution import curves
from engine.analysis.measure import surprisal
from engine.analysis.measures import bleu
from engine.analysis.measures.table import MEASURES
from engine.core.registry import scores
from engine.core.tap import Edit
from engine.course.base import Step
from engine.course.curriculum import LESSONS, lesson
from engine.course.first_minute import PLACES, STEPS, places, steps
from engine.lessons import counting_texts
from engine.lessons.bag import evaluate
from engine.lessons.bag.bayes import NaiveBayes
from engine.lessons.bag.counts import count as counted
from engine.lessons.bag.words import words
from engine.lessons.cooccurrence import counts
from engine.lessons.counting_texts import PRESETS
from engine.lessons.documents import entities as document_entities
from engine.lessons.documents import live as document_live
from engine.lessons.documents import store as document_store
from engine.lessons.feedforward.swaps import swaps
from engine.lessons.heads import measured
from engine.lessons.heads import tags as heads_tags
from engine.lessons.infinite import matches as infinite
from engine.lessons.masks import imposed, patterns
from engine.lessons.masks import live as mask_live
from engine.lessons.measures import live as measures_live
from engine.lessons.series import classic as series_classic
from engine.lessons.series import judge as series_judge
from engine.lessons.series import typed as series_typed
from engine.lessons.stories import memory as story_memory
from engine.lessons.tasks import live as task_live
from engine.lessons.tokenizers import rows as tokenizer_rows
from engine.lessons.transformer import lens
from engine.lessons.trial import changes, checklist
from engine.lessons.trial import live as trial_live
from engine.lessons.why import methods as why
from engine.live.request import Asks
from engine.models.abilities import Labels, able
from engine.models.neural import NeuralLanguageModel
from engine.models.recurrent import RecurrentModel
from engine.models.seq2seq import Seq2seq
from engine.runs.store import RunStore
from engine.text.preparation import pipeline
from engine.text.subword import study
from engine.text.tokenizer_comparison import shipped as tokenizers
from pages.ui import texts
from tests.conftest import edits_of, p_after, shipped, together

SAYS, ASKS, CHOICES = 150, 85, 45  # characters that fit into the strip


def share(p: float) -> str:
    return f"{100 * p:.0f} %" if p >= 0.095 else f"{100 * p:.1f} %"


def number(x: float) -> str:
    return f"{x:.2f}".replace("-", "−")


def at(step: Step, name: str) -> str:
    return parse_qs(step.link)[name][0]


def place(step: Step) -> tuple[int, int]:
    asked = parse_qs(step.link)
    return int(asked["layer"][0]), int((asked.get("unit") or asked["head"])[0])


def after(run: str, step: Step) -> dict[str, float]:
    asked = parse_qs(step.link).get("edits", [""])[0]
    return p_after(shipped(run), step.text, asked)


def first(p: dict[str, float]) -> str:
    return max(p, key=p.__getitem__)


def bits(run: str, text: str) -> dict[str, float]:
    """Of each token, in the order of the text; the last one where a token comes twice."""
    trace = shipped(run).trace(text)
    return dict(zip(trace.tokens, map(float, surprisal(trace)), strict=True))


def looks(id: str, step: Step) -> list[str]:
    """What the examples of a lesson say that have the text of a step."""
    return [tried.look for tried in lesson(id).tries if tried.text == step.text]


def told(number: str, id: str, step: Step) -> bool:
    """Whether a step says a number, and the example of the lesson with the same text says it too."""
    return all(number in said for said in (step.says, *looks(id, step)))


@together("id", [*STEPS, *PLACES])
def test_steps_are_short_and_whole(id: str) -> None:
    assert id == "home" or id in {item.id for item in LESSONS}
    found = steps(id) if id in STEPS else places(id)
    assert (3 if id in STEPS else 2) <= len(found) <= 5 and (found[0].text or id in PLACES)
    for step in found:
        assert step.panel and step.says.endswith(".") and len(step.says) <= SAYS
        assert bool(step.asks) == (len(step.choices) > 1) and len(step.asks) <= ASKS
        assert sum(map(len, step.choices)) <= CHOICES
        assert not step.covers or step.asks, "only a question covers"
    assert any(step.asks for step in found) or id == "positions" or id in PLACES


READERS = {"ngram": "ngram", "lstm": "lstm", "m2": "ngram"}  # by their ids on home and Compare
MARKED = [("home", 1, "students"), ("home", 3, "b"), ("memory", 0, '"')]
MARKED += [("compare", 0, "sailed"), ("compare", 2, "flurble")]


@together(("id", "n", "token"), MARKED)
def test_the_token_it_speaks_of_is_chosen(id: str, n: int, token: str) -> None:
    step = steps(id)[n]
    reader = parse_qs(step.link).get("reader", ["lstm"])[0]
    assert shipped(READERS[reader]).trace(step.text).tokens[int(at(step, "token"))] == token


def test_home() -> None:
    eyes, read, states, strange = steps("home")
    for run, word in (("ngram", "eyes"), ("transformer", " eyes")):
        assert first(found := after(run, eyes)) == word and share(found[word]) in eyes.says
    cost = bits("ngram", read.text)
    assert f"{cost['students']:.0f} and {cost['opened']:.0f} bits" in read.says and cost["to"] < 1
    counts, pieces = after("ngram", states), after("transformer", states)
    assert f"“States” {share(counts['States'])}" in states.says
    assert f"gives “St”, half of the word, {share(pieces[' St'])}" in states.says
    assert first(after("lstm", states)) == " "
    assert shipped("ngram").tokens(strange.text).unknown
    letters = shipped("lstm").trace(strange.text)
    assert letters.tokens[int(np.nanargmax(surprisal(letters)))] == "b"


def test_ngrams() -> None:
    door, mass, rare, unknown = steps("ngrams")
    found = after("ngram", door)
    assert first(found) == "door" and share(found["door"]) in door.says
    assert f"“door” alone has {share(found['door'])}" in lesson("ngrams").tries[1].look
    of = shipped("ngram").trace(mass.text).field("mass").values[-1]
    assert f"order 5, the count of the last four words, decides {share(of[5])}" in mass.says
    trace = shipped("ngram").trace(rare.text)
    of = trace.field("mass").values[-1]
    assert trace.field("matched").values[-1] == 2 and f"with {share(of[3])}" in rare.says
    found = after("ngram", unknown)
    assert shipped("ngram").tokens(unknown.text).unknown and first(found) == "a"
    assert f"“a” gets {share(found['a'])} and “not” {share(found['not'])}" in unknown.says


def test_smoothing() -> None:
    cat, francisco, books, _cache = places("smoothing")

    def lines(step: Step) -> list[list[str]]:
        preset = next(p for p in PRESETS if p.id == at(step, "study.corpus"))
        return [["<s>", *line.lower().split(), "</s>"] for line in preset.lines]

    def pairs(step: Step) -> Counter[tuple[str, str]]:
        return Counter(pair for line in lines(step) for pair in pairwise(line))

    threes = [three for of in lines(cat) for three in zip(of, of[1:], of[2:], strict=False)]
    follows = Counter(c for a, b, c in threes if (a, b) == ("the", "cat"))
    assert follows == {"</s>": 2, "saw": 1, "sat": 1}
    for word, others in (("francisco", 1), ("glasses", 3)):
        before = [n for (_, b), n in pairs(francisco).items() if b == word]
        assert sum(before) == 3 and len(before) == others
    grams = {tuple(line[i : i + 4]) for line in lines(books) for i in range(len(line))}
    assert ("teachers", "opened", "their", "books") not in grams
    assert ("teachers", "opened", "their", "minds") in grams


def test_word_vectors() -> None:
    space = shipped("skipgram").space

    def near(word: str) -> dict[str, float]:
        cosine_V = np.asarray(space.unit, float) @ np.asarray(space.unit[space.row(word)], float)
        order = np.argsort(-cosine_V)[1:11]
        return {space.words[i]: float(cosine_V[i]) for i in order}

    def cosine(one: str, other: str) -> float:
        return float(space.unit[space.row(one)] @ space.unit[space.row(other)])

    months = "january february march april may june july august september october november december"
    april, bank, apart, months_told, _ = steps("embeddings")
    found = near("april")
    assert set(list(found)[:6]) <= {*months.split()}
    assert number(found["march"]) == number(found["december"]) == "0.97" and "0.97" in april.says
    found = near("bank")
    assert "river" not in found
    for word in ("money", "mortgage", "river"):
        assert f"“{word}” {number(cosine('bank', word))}" in bank.says
        assert (word in found) == (word != "river")
    four, others = apart.text.lower().split()[:4], apart.text.split()[4:]
    assert min(cosine(a, b) for a in four for b in four) > 0.9
    assert number(cosine(*others)) in apart.says

    same, odd, colours = steps("vectors")
    for pair in (("hot", "cold"), ("big", "large"), ("small", "large")):
        found_ = number(cosine(*pair))
        assert f"{found_} for {pair[0]} and {pair[1]}" in lesson("vectors").tries[2].look
        assert (found_ in same.says) == (pair[0] != "small")
    words = odd.text.split()
    unit_ND = np.stack([space.unit[space.row(word)] for word in words])
    assert words[int((unit_ND @ unit_ND.mean(0)).argmin())] == "cereal"
    *four, seven = colours.text.split()
    found_N = [cosine(a, b) for a in four for b in four if a < b]
    assert told(f"from {number(min(found_N))} to {number(max(found_N))}", "vectors", colours)
    assert max(cosine(seven, other) for other in four) < min(found_N)

    assert next(iter(near("1999"))) == "1998"
    for month in ("january", "may"):
        assert next(iter(near(month))) == "april"
        assert number(cosine("april", month)) in months_told.says


def test_positions() -> None:
    _, before, _ = steps("positions")
    layer, head = place(before)
    trace = shipped("transformer_sinusoidal").trace(before.text)
    a_TT = trace.field("attention").values[layer, head]
    assert f"{share(float(np.mean(np.diag(a_TT, -1)[1:])))} of its weight" in before.says


def test_feed_forward_language_model() -> None:
    seen, next_, swap, far = steps("feedforward")
    assert shipped("feedforward").config.window == 5 and "five tokens" in seen.says
    net, state = after("feedforward", next_), after("lstm_words", next_)
    assert f"“{first(net)}”, with {share(net['I'])}; “she” gets {share(net['she'])}" in next_.says
    assert first(state) == "she" and f"gives “she” {share(state['she'])}" in next_.says

    def moved(run: str, step: Step, word: str) -> tuple[int, float]:
        model, other = shipped(run), at(step, "feedforward.changes.other")
        tokens = model.tokens(step.text)
        place = tokens.labels.index(word)
        (found,) = swaps(model, tokens, [place], int(model.tokenizer.encode(other).ids[0]))
        return len(tokens) - 1 - place, found

    for step, word in ((swap, "she"), (far, "France")):
        assert moved("feedforward", step, word)[1] == moved("ngram", step, word)[1] == 0
    assert f"{share(moved('lstm_words', swap, 'she')[1])} of the probability" in swap.says
    back, _ = moved("lstm_words", far, "France")
    assert f"{back} tokens back" in far.says and f"One of {back + 1} tokens" in far.says


def test_recurrent_net() -> None:
    _, again, queue = steps("rnn")
    once, often = (p_after(shipped("rnn"), text) for text in ("la", again.text))
    assert first(once) == "t" and f"“t” with {share(once['t'])}" in again.says
    assert first(often) == "n" and f"“n” with {share(often['n'])}" in again.says
    found = after("rnn", queue)
    assert first(found) == "u" and share(found["u"]) in queue.says


def test_backpropagation_through_time() -> None:
    _, decay, walls = steps("bptt")
    model = able(shipped("rnn"), RecurrentModel)
    tokens = model.tokens(decay.text)
    state_K = backpropagation.rows(model, tokens).state_LQK[0, -1]
    assert int(at(decay, "token")) == len(tokens) - 1 == int(at(decay, "other")) + 1
    near, far = float(state_K[-2]), float(state_K[0])
    assert near / far == pytest.approx(21_700, rel=2e-3) and "21,700 times" in decay.says
    assert f"{near:.2f} one step back" in decay.says and f"{far:.6f} at the start" in decay.says
    chunk = int(at(walls, "chunk"))
    left = sum(q - (q - 1) // chunk * chunk for q in range(1, len(tokens)))
    assert f"{left} of {len(tokens) * (len(tokens) - 1) // 2} terms" in walls.says


def test_lstm() -> None:
    quoted, gate, counter, keys = steps("lstm")
    layer, unit = place(quoted)
    trace = shipped("lstm").trace(quoted.text)
    opens, closes = (t for t, token in enumerate(trace.tokens) if token == '"')
    cell_T = trace.field("cell").values[layer, :, unit]
    assert (cell_T[opens + 1 : closes] < -0.9).all() and (cell_T[: opens + 1] > 0).all()
    assert (cell_T[closes : len(cell_T) - 1] > 0).all() and cell_T[-1] < 0
    looked = {"layer": layer, "unit": unit, "field": "cell"}
    assert dict(RunStore().find("lstm").note["look"]) == looked
    shown = int(at(quoted, "first")), int(at(quoted, "shown"))
    assert shown[0] <= unit < sum(shown)
    assert (trace.field("gate.forget").values[layer, [opens, closes], unit] < 0.02).all()
    assert place(gate) == (layer, unit) and gate.text == quoted.text
    layer, unit = place(counter)
    trace = shipped("lstm").trace(counter.text)
    cell_T = trace.field("cell").values[layer, :, unit]
    assert told(f"about {cell_T[-1]:.0f} after {len(counter.text)} ", "lstm", counter)
    assert f"holds {cell_T[-1]:.0f} " in counter.asks
    assert (np.abs(np.diff(cell_T) - 1) < 0.2).all()
    assert (trace.field("gate.forget").values[layer, 1:, unit] > 0.99).all()
    found = after("lstm", keys)
    assert told(share(found["a"]), "lstm", keys) and told(share(found["e"]), "lstm", keys)
    one, many = (p_after(shipped("lstm"), "The key to the old cabinets w")[c] for c in "ae")
    assert many > one


def test_surgery() -> None:
    opened, held, spring = steps("surgery")
    model = shipped("lstm")
    before, cut = (after("lstm", step)['"'] for step in (opened, held))
    assert told(share(before), "surgery", opened) and told(share(cut), "surgery", held)
    assert model.config.units * model.config.layers == 768
    plain = model.trace(spring.text)
    edited = surgery.operate(model, plain, edits_of(model, at(spring, "edits")))
    before, cut = (float(np.nansum(surprisal(trace))) for trace in (plain, edited))
    assert told(f"{cut:.0f} bits", "surgery", spring)
    assert told(f"instead of {before:.0f}", "surgery", spring)


def test_why_this_word() -> None:
    rather, at_all, mean, referee = steps("why")
    model = shipped("transformer_agreement")
    vocab, names = model.tokenizer.vocab, why.methods_of(model)

    def asked(step: Step) -> tuple[why.Question, Counter[str], dict[str, str]]:
        look = parse_qs(step.link)
        rival = vocab.index(look["next"][0]) if "next" in look else None
        against = look["by"] == ["against"]
        baseline = look.get("with", ["zero"])[0]
        of = why.question(model, model.tokens(step.text), baseline, rival, against)
        assert vocab[of.game.target.word] == "are"
        first = {name: of.game.labels[int(of.ask(name).argmax())] for name in names}
        return of, Counter(first.values()), first

    of, count, first = asked(rather)
    other = of.game.target.other
    assert other is not None and vocab[other] == "is"
    assert len(names) == 9 and count["keys"] == 7 and "Seven of nine" in rather.says
    assert (first[why.TIMES], first[why.ROLLOUT]) == ("old", "cabinet")
    assert "gradient × input says “old”, rollout “cabinet”" in rather.says
    _, count, _ = asked(at_all)
    assert count["cabinet"] == 6 and "“cabinet”, say six of nine" in at_all.says
    expected = {vocab[i] for i in np.argsort(-of.game.p_V)[1:8]}
    assert {"near", "of"} <= expected  # what could stand there instead
    _, count, _ = asked(mean)
    assert count["keys"] == 7 and "Seven of nine say “keys”" in mean.says
    of, _, _ = asked(referee)
    made = curves.curves(of.game, np.stack([of.ask(name) for name in names]))
    area = dict(zip(names, curves.area(made.insertion), strict=True))
    assert f"“are” has {share(area.pop(why.TIMES))} on average" in referee.says
    low, high = (f"{100 * p:.0f}" for p in (min(area.values()), max(area.values())))
    assert f"{low} to {high} % by all others" in referee.says
    likeliest, at_all_, cabinets = lesson("why").tries
    assert "Seven of nine methods put “keys” first" in likeliest.look
    assert "Six put “cabinet” first" in at_all_.look
    are = vocab.index("are")
    of = why.question(model, model.tokens(cabinets.text), "zero", are, True)
    assert vocab[of.game.target.word] == "is" and of.game.target.other == are
    first = {name: of.game.labels[int(of.ask(name).argmax())] for name in names}
    assert (first.pop(why.TIMES), first.pop(why.ROLLOUT)) == ("old", "cabinets")
    assert {*first.values()} == {"key"}


def test_memory() -> None:
    quoted, counter, year = steps("memory")

    def unit(step: Step) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
        layer, unit = place(step)
        trace = shipped("lstm").trace(step.text)
        names = ("gate.forget", "gate.input", "candidate", "cell")
        return trace.tokens, {n: trace.field(n).values[layer, :, unit] for n in names}

    tokens, of = unit(quoted)
    opens = tokens.index('"')
    assert of["gate.forget"][opens] < 0.01
    assert -1.05 < (of["gate.input"] * of["candidate"])[opens + 1] < -0.95
    tokens, of = unit(counter)
    assert 51 < of["cell"][-1] < 52 and (of["gate.input"] * np.abs(of["candidate"])).max() <= 1
    tokens, of = unit(year)
    for t in (*range(tokens.index("1"), tokens.index("4") + 1), tokens.index("(")):
        assert np.prod(of["gate.forget"][t + 1 :]) > 0.5


def test_textcnn() -> None:
    first, turned, off, bad = steps("textcnn")
    model = shipped("textcnn")

    def negative(text: str, *edits: Edit) -> float:
        return float(model.trace(text, edits).field("label").values[-1, 0])

    unit = int(off.says.split("filter ")[1].split(",")[0])
    assert model.names[0] == "negative"
    assert f"Negative, {100 * negative(first.text):.1f} %" in first.says
    assert f"negative, {100 * negative(turned.text):.1f} %" in turned.says
    less = negative(off.text, Edit("largest", {"unit": unit}))
    assert f"still be {100 * less:.1f} %" in off.says
    assert f"negative, {share(negative(bad.text))}" in bad.says
    trace, w = model.trace(first.text), model.weights()
    adds = trace.field("largest").values[-1] * (w["head.weight"][1] - w["head.weight"][0])
    assert adds.argmin() == unit, "the strongest"
    c_TU = trace.field("response").values
    place = int(c_TU[:, unit].argmax())
    wide = model.config.covers[unit // model.config.filters]
    phrase = " ".join(trace.tokens[place - wide + 1 : place + 1])
    assert f"“{phrase}” adds" in first.says
    assert int((c_TU.argmax(0) == place).sum()) > 1, "others found it too"
    trace = model.trace(bad.text)
    adds = trace.field("largest").values[-1] * (w["head.weight"][1] - w["head.weight"][0])
    strongest = int(adds.argmin())
    place = int(trace.field("response").values[:, strongest].argmax())
    wide = model.config.covers[strongest // model.config.filters]
    assert "“" + " ".join(trace.tokens[place - wide + 1 : place + 1]) + "” pulls" in bad.says
    assert negative("not bad") < negative("bad") < negative("bad") + 0.1, "hardly"


def test_attention() -> None:
    half, shook, rest = steps("attention")

    def head(step: Step) -> tuple[list[str], np.ndarray]:
        layer, head = place(step)
        trace = shipped("transformer").trace(step.text)
        return list(trace.tokens), trace.field("attention").values[layer, head]

    tokens, a_TT = head(half)
    assert tokens[-2:] == [" que", "en"] and told(share(a_TT[-1, -2]), "attention", half)
    tokens, a_TT = head(shook)
    for word in (" girl", " man"):
        assert told(share(a_TT[-1, tokens.index(word)]), "attention", shook)
    assert 0.7 < head(rest)[1][1:, 0].mean() < 0.8

    before, marks, copies = steps("heads")
    assert np.mean(np.diag(head(before)[1], -1)[2:]) > 0.8
    tokens, a_TT = head(marks)
    signs = [t for t, token in enumerate(tokens) if (s := token.strip()[:1]) and not s.isalnum()]
    assert told(f"{share(a_TT[4:, signs].sum(1).mean())} of its weight", "heads", marks)
    tokens, a_TT = head(copies)
    ib = tokens.index(" T") + 1
    assert tokens[ib] == "ib" and a_TT[-1].argmax() == ib and a_TT[-1, ib] > 0.99
    assert told(share(after("transformer", copies)["ib"]), "heads", copies)
    layer, place_ = place(copies)
    note = RunStore().find("transformer").note
    assert dict(note["look"]) == {"layer": layer, "head": place_}
    tags = measured.find(str(note["recipe"]))
    assert tags is not None and tags.given()[tags.names.index("induction"), layer, place_]
    strongest = tags.names[int(heads_tags.strongest(tags)[layer, place_])]
    assert strongest == "induction", "and not that it rests on the first token"


def test_transformer() -> None:
    states, head, soon = steps("transformer")
    model = shipped("transformer")

    def read(step: Step, answer: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        trace = model.trace(step.text)
        found = lens.depths(model, lens.streams(trace))
        assert model.tokenizer.vocab[found.answer_T[-1]] == answer
        push_P = lens.pushes(model, trace, found.answer_T)[:, -1]
        return found.p_LT[1:, -1], found.rank_LT[1:, -1], push_P

    p_L, _, push_P = read(states, " St")
    then = f"{100 * p_L[1]:.1f}, {100 * p_L[2]:.0f} and {share(p_L[3])}, and {share(p_L[4])} after"
    assert told(f"{share(p_L[0])} after layer 1, then {then} layer 5", "transformer", states)
    names = lens.parts(model)
    most = {names[n] for n in push_P.argsort()[-2:]}
    assert most == {"layer 1, feed-forward", "layer 5, feed-forward"}
    p_L, rank_L, _ = read(head, " head")
    assert (rank_L == 1).all()
    for p in p_L[[0, 1, -1]]:
        assert told(share(p), "transformer", head)
    p_L, rank_L, push_P = read(soon, " as")
    assert (rank_L == 1).all()
    assert all(share(p) in look for look in looks("transformer", soon) for p in p_L[[0, -1]])
    heads = [n for n, name in enumerate(names) if ", head " in name]
    assert names[heads[int(push_P[heads].argmax())]] == "layer 4, head 2"


def test_decoding() -> None:
    wide, narrow, least = steps("decoding")

    def sorted_p(step: Step) -> np.ndarray:
        return np.array(sorted(after("transformer", step).values(), reverse=True))

    def kept(step: Step) -> int:
        return int((np.cumsum(sorted_p(step)) < 0.9).sum()) + 1

    assert wide.says.startswith(f"{kept(wide)}:") and str(kept(wide)) in wide.choices
    assert f"{len(sorted_p(wide)):,}" in wide.asks
    assert kept(narrow) == 1 and share(sorted_p(narrow)[0]) in narrow.says
    p_V = sorted_p(least)
    stay = p_V[p_V >= 0.1 * p_V[0]]
    assert f"{len(stay)} tokens, which hold {share(stay.sum())}" in least.says


def test_bert() -> None:
    kingdom, album, capital, apart = steps("bert")
    model = shipped("bert")

    def gap(step: Step) -> dict[str, float]:
        trace = model.trace(step.text)
        t = trace.tokens.index("[MASK]")
        assert int(at(step, "token")) == t
        p_V = map(float, trace.field("fill").values[t])
        return dict(zip(model.tokenizer.vocab, p_V, strict=True))

    both = gap(kingdom)
    left = gap(replace(kingdom, text=kingdom.text.partition(" is made")[0]))
    assert first(both) == "kingdom" in kingdom.choices and first(left) == "states"
    assert share(both["kingdom"]) in kingdom.says and share(left["states"]) in kingdom.says
    both = gap(album)
    left = gap(replace(album, text=album.text.partition(" was")[0]))
    assert first(both) == "album" and share(both["album"]) in album.says
    assert share(both["movie"]) == share(both["song"]) == "11 %" in album.says
    assert sorted(both.values())[-3] == min(both["movie"], both["song"])
    assert max(left.values()) < 0.02 and "2 %" in album.says
    both = gap(capital)
    assert sorted(both, key=both.__getitem__)[-2:] == ["france", "pakistan"]
    assert share(both["pakistan"]) in capital.says and share(both["france"]) in capital.says
    assert {"france", "pakistan"} < {*capital.choices}
    follows, not_next = model.trace(apart.text).field("sentence").values
    assert follows < not_next and f"{100 * not_next:.1f} % for NotNext" in apart.says


def test_translation() -> None:
    black, dog, street, zebra = steps("translation")

    def look(step: Step) -> dict[str, float]:
        field = shipped("translator").trace(step.text).field("cross.attention")
        look = map(float, field.values[1, 0, -1])
        return dict(zip(field.axis("source").labels, look, strict=True))

    def word(step: Step) -> str:
        return first(p_after(shipped("translator"), step.text))

    assert word(black) == "noir" and f"{100 * look(black)['black']:.1f} %" in black.says
    assert word(dog) == "qu'il" and look(dog)["dog"] > 0.999
    assert word(street) == "qu'elle" and f"{100 * look(street)['street']:.1f} %" in street.says
    tokens = shipped("translator").tokens(zebra.text)
    assert [tokens.source.labels[i] for i in tokens.source.unknown] == ["zebra"]
    p = p_after(shipped("translator"), zebra.text)["chien"]
    assert word(zebra) == "chien" and f"{100 * p:.0f} %" in zebra.says
    assert look(zebra)["zebra"] > 0.99 and "zèbre" not in shipped("translator").tokenizer.vocab


def test_melody() -> None:
    full, scale, ended = steps("melody")
    line, c, again = (p_after(shipped("lstm_tunes"), step.text) for step in (full, scale, ended))
    assert first(line) == first(again) == "|" and first(c) == "c"
    assert f"{100 * line['|']:.1f} %" in full.says and f"c, {100 * c['c']:.0f} %" in scale.says
    assert f"{100 * again['|']:.0f} %" in ended.says and ended.text == f"{scale.text} c"


def test_external() -> None:
    short, place, long = steps("external")

    def said(run: str, text: str) -> str:
        """What the model says behind the mark, the end of the line last."""
        model = able(shipped(run), NeuralLanguageModel)
        p = model.trace(text).field("probability").values
        names = [*model.tokenizer.vocab]
        found = p[text.index("=") + 1 :].argmax(-1)
        end = model.tokenizer.boundary
        return "".join("." if i == end else names[i] for i in found)

    for run in ("ntm", "lstm_repeats"):
        assert said(run, short.text) == "bhacegda."
    trace = shipped("ntm").trace(place.text)
    content, address = (trace.field(f"read.{n}").values for n in ("content", "address"))
    assert content[-1].argmax() == 0 and f"{100 * content[-1, 0]:.0f} %" in place.says
    assert address[-2].argmax() == 0 and address[-1].argmax() == 1
    assert f"slot 1 with {100 * address[-1, 1]:.0f} %" in place.says
    word = long.text.partition("=")[0]
    assert said("ntm", long.text) == f"{word}." and len(word) == 16
    wrong = said("lstm_repeats", long.text)
    assert wrong[:5] == word[:5] and wrong[5] != word[5]


def test_pooling() -> None:
    marked, plain, far = steps("pooling")

    def of(way: str, text: str) -> tuple[dict[str, float], dict[str, float]]:
        """The weight of each word at the end, and the probability of each label."""
        model = able(shipped(f"pooling_{way}"), Labels)
        trace = model.trace(text)
        weights = trace.field("pool.weight").values[-1]
        p = dict(zip(model.names, map(float, trace.field("label").values[-1]), strict=True))
        return dict(zip(trace.tokens, map(float, weights), strict=True)), p

    for way in ("attention", "mean", "max", "last"):
        weights, p = of(way, marked.text)
        assert first(p) == "animal"
        if way in ("attention", "mean"):
            assert f"{100 * weights['cat']:.0f} %" in marked.says
    _, p = of("attention", plain.text)
    assert f"gives “animal” {100 * p['animal']:.0f} %" in plain.says and max(p.values()) < 0.3
    weights, p = of("last", far.text)
    assert f"“tool” with {100 * p['tool']:.1f} %" in far.says and weights["nail"] == 0
    words = far.text.split()
    assert words[:2] == ["!", "nail"] and len(words[2:]) == 16


def test_masks() -> None:
    model = shipped("transformer")

    def under(step: Step, pattern: str = "", way: str = "") -> imposed.Masked:
        other = parse_qs(step.link).get("with", [""])[0]
        asks = {"pattern": int(at(step, "pattern")), "with": other}
        mask = mask_live.read_mask(Asks(asks))
        mask = replace(mask, pattern=pattern or mask.pattern, way=way or mask.way)
        return imposed.run(model, model.tokens(step.text).ids, mask)

    ahead, alike, far, lost = steps("masks")
    own = under(ahead, "causal").mean
    assert under(ahead).mean < own
    assert f"{number(under(ahead).mean)} instead of {number(own)}" in ahead.says
    found = under(alike)
    np.testing.assert_allclose(found.attention_LNTS[0, 0, 0], np.full(12, 1 / 12), atol=1e-6)
    assert f"{number(found.mean)} bits instead of {number(own)}" in alike.says
    assert np.isnan(under(alike, "below", "inf").bits_T[1:]).sum() == 11
    open_TS = patterns.may("window", 24, 4)
    assert open_TS[23].sum() == 4 and "looks at 4," in far.says
    assert f"heard of {(patterns.reach(open_TS, 3)[23] > 0).sum()}:" in far.says
    named = model.tokenizer.vocab.index("l")
    assert lost.says.startswith(share(float(under(lost).p_V[named])))
    assert share(float(under(lost, "causal").p_V[named])) in lost.says


def test_scores() -> None:
    grid, opened, forcing = steps("scores")

    def look(kind: str, name: str = "attention") -> dict[str, float]:
        trace = shipped(f"score_{kind}_after").trace(grid.text)
        field = trace.field(f"cross.{name}")
        found = map(float, field.values[0, 0, -1])
        return dict(zip(field.axis("source").labels, found, strict=True))

    for kind in scores.ids():
        weights = look(kind)
        most = max(weights, key=weights.__getitem__)
        assert most == ("cat" if kind == "location" else "black")
        assert first(p_after(shipped(f"score_{kind}_after"), grid.text)) == "noir"
    assert f"{100 * look('location')['cat']:.0f} %" in grid.says
    dot = sorted(look("dot", "score").values())
    assert f"{dot[-1]:.1f} and the next word {dot[-2]:.2f}" in opened.says
    soft = f"{100 * look('scaled_dot')['black']:.0f} %"
    assert look("dot")["black"] > 0.9995 and soft in opened.says
    model = shipped("score_dot_after")
    handed = p_after(model, forcing.text)
    assert first(handed) == "petit" and share(handed["petit"]) in forcing.says
    english = forcing.text.split("\n")[0]
    assert able(model, Seq2seq).translations([english]) == ["La clé est blanche et elle est petite"]


def test_tokenizers() -> None:
    invented, wrong, mat = steps("tokenizers")
    for size in tokenizers.SIZES[::5]:
        shelf = tokenizer_rows.SHIPPED
        of = {row.id: tokenizer_rows.cut(row, size, invented.text)[0] for row in shelf}
        assert {1, 2} <= set(of["words"].unknown)
        assert not any(of[id].unknown for id in ("charbpe", "bpe", "wordpiece", "unigram"))
        for row in tokenizer_rows.SHIPPED:
            tokens, _ = tokenizer_rows.cut(row, size, wrong.text)
            if row.id in ("charbpe", "bpe"):
                begins, ends = wrong.text.index("recieved"), wrong.text.index(" teh")
                assert sum(a >= begins - 1 and b <= ends for a, b in tokens.spans) >= 3
            if row.id == "words":
                tokens, _ = tokenizer_rows.cut(row, size, mat.text)
                assert len(tokens.ids) == 7 and tokens.ids[0] != tokens.ids[4]


def test_preparation() -> None:
    stop, im, stems = steps("preparation")

    def made(step: Step) -> list[str]:
        return pipeline.Pipeline.read(at(step, "steps")).tokens(step.text)

    half = made(stop)[: len(made(stop)) // 2]
    assert made(stop) == half * 2 and {"movie", "good"} == set(half) - {"."}
    assert made(im)[0] == "im"
    assert {"studi", "care"} <= set(made(stems))


def test_merges() -> None:
    every = (study.study(step.text, *at(step, "rules").split("_")) for step in steps("merges"))
    pair, cross, emoji = (of.steps for of in every)
    assert pair[0].count == 3 and steps("merges")[0].says.startswith("Three times")
    assert cross[2].piece == "ats "
    assert "".join((emoji[2].a, emoji[2].b)) == emoji[2].piece and len(emoji[2].piece) == 4
    assert {s.count for s in emoji} == {2} and len(emoji) == 3, "é occurs once: it stays in two"


def test_compare() -> None:
    ship, snark, strange = steps("compare")
    assert told(f"pays {bits('ngram', strange.text)['flurble']:.0f} bits", "compare", strange)
    cost = {run: bits(run, ship.text) for run in ("ngram", "transformer")}
    assert f"{cost['ngram']['sailed']:.0f} bits" in ship.says
    pieces = cost["transformer"][" sa"] + cost["transformer"]["iled"]
    assert f"the Transformer {pieces:.0f}" in ship.says
    trace = shipped("transformer").trace(snark.text)
    b_T, names = surprisal(trace), {" S", "n", "ark", " B", "oo", "j", "um"}
    both = [float(b) for token, b in zip(trace.tokens, b_T, strict=True) if token in names]
    assert len(both) == 14
    assert told(f"{sum(both[7:]):.0f} bits instead of {sum(both[:7]):.0f}", "compare", snark)


def test_on_trial() -> None:
    sure, typo, name, tests = steps("trial")
    model = shipped("transformer")
    trace = model.trace(sure.text)
    p_TV = trace.field("probability").values
    place = int(at(sure, "token"))
    assert trace.tokens[place] == " her" and p_TV[place - 1].argmax() == trace.ids[place]
    assert f"“her”, with {share(p_TV[place - 1, trace.ids[place]])}" in sure.says
    tired = trace.tokens.index(" tired")
    assert f"“tired” had {share(p_TV[tired - 1, trace.ids[tired]])}" in sure.says

    def tried(text: str, ways: str) -> dict[str, float]:
        of = model.trace(text)
        found = trial_live.Trying()(model, of, {"ways": ways, "pattern": 1})
        return {n: float(found[n][1]) for n in ("before", "after", "flips")}

    found = tried(typo.text, "typo")
    assert changes.change(typo.text, "typo", 1).endswith("shoko her haed.")
    assert (
        f"costs {found['before']:.0f} bits" in typo.asks
        and f"{found['after']:.0f} bits" in typo.choices
    )
    assert (
        typo.says.startswith(f"{found['after']:.0f}: ")
        and f"{found['flips']:.0f} answers" in typo.says
    )
    first, capitals, girl = lesson("trial").tries
    assert f"{found['after']:.0f} bits instead of {found['before']:.0f}" in first.look
    found = tried(capitals.text, "case")
    assert f"{found['after']:.0f} bits instead of {found['before']:.0f}" in capitals.look
    found = tried(name.text, "name")
    assert "Fatima" in changes.change(name.text, "name", 1)
    assert (
        f"{found['after']:.0f} bits" in name.says and f"{found['flips']:.0f} answers" in name.says
    )
    was, were = (
        2 ** -checklist.continued(model, "The girl near the doors", word)
        for word in ("was", "were")
    )
    for told in (girl.look, tests.says):
        assert f"{100 * was:.2f} %" in told and f"“were” {100 * were:.1f} %" in told
    assert model.trace(tests.text).tokens[int(at(tests, "token"))] == " was"
    agrees = checklist.parse(checklist.usual(model))[1]
    assert len(agrees.cases) == 9 and "all 9 such sentences" in tests.says
    assert not any(checklist.outcome(model, agrees, case).passed for case in agrees.cases)


def test_cooccurrence() -> None:
    def table(step: Step) -> tuple[list[str], np.ndarray]:
        typed = counts.Typed.of(*cut(step.text))
        asked = parse_qs(step.link)
        count_VV = typed.count(int(asked.get("size", ["4"])[0]))
        return list(typed.words), counts.apply_step(count_VV, asked.get("shows", ["count"])[0])

    def cut(text: str) -> tuple[Any, Any]:
        trace = shipped("glove").trace(text)
        return trace.tokens, trace.spans

    window, same, chance = steps("cooccurrence")
    _, near_VV = table(window)
    assert (near_VV == near_VV.T).all()
    assert sorted(near_VV[np.triu_indices_from(near_VV)])[-5:] == [1] * 5
    assert near_VV.sum() == 10
    words, near_VV = table(same)
    assert near_VV[words.index("paris"), words.index("london")] == pytest.approx(1)
    assert same.choices[-1] == "1"
    words, near_VV = table(chance)
    the_V = np.delete(near_VV[words.index("the")], words.index("the"))
    assert {number(x) for x in the_V} == {"0.29"} and "0.29" in chance.says
    assert f"get {number(near_VV[words.index('cat'), words.index('milk')])}" in chance.says


def test_bag() -> None:
    boring, order, often, zero = steps("bag")
    rows = texts.read("reviews", 0)
    used, _ = evaluate.split([label for label, _ in rows], 0.3, 0)
    every = [(rows[d][0], word) for d in used for word in words(rows[d][1])]
    counts = {of: Counter(w for name, w in every if name == of) for of in ("positive", "negative")}
    good, bad = counts.values()
    vocab = good.keys() | bad.keys()

    def worth(word: str, k: float = 1) -> float:
        p, q = ((n[word] + k) / (n.total() + k * len(vocab)) for n in (good, bad))
        return math.log2(p / q)

    def positive(step: Step) -> float:
        return 1 / (1 + 2 ** -sum(worth(word) for word in words(step.text)))

    said = f"“not” is worth {number(worth('not'))} bits, “boring” {number(worth('boring'))}"
    assert said in boring.says
    assert f"{share(positive(boring))} are left" in boring.says
    assert Counter(words(order.text)) == Counter(words(order.asks.split("“")[1].split("”")[0]))
    assert share(positive(order)) in order.says and share(positive(order)) in order.asks
    assert f"+{sum(map(worth, words(often.text))):.1f} bits" in often.says
    model = NaiveBayes(counted([rows[d][0] for d in used], [rows[d][1] for d in used]), 1)
    once, four = (replace(model, kind="bernoulli").read("great " * n).posterior_C for n in (1, 4))
    assert once is not None and four is not None and list(once) == list(four)
    assert f"{share(float(max(once)))}, as for one" in often.says
    assert not bad["great"] and good["great"] and not good["dirty"] and bad["dirty"]
    assert f"k = 1 gives {share(positive(zero))}" in zero.says and "k0" in zero.link


def test_series() -> None:
    air, rule, twice, tosses = steps("series")
    assert (
        len(series_typed.read(air.text).values),
        series_classic.season(series_typed.read(air.text).values),
    ) == (144, 12)
    weights = series_classic.autoregressive(
        series_typed.read(rule.text).values, int(at(rule, "order"))
    ).weights
    assert f"{weights['a1']:.1f} and {weights['a2']:.1f}" in rule.says and abs(weights["c"]) < 1e-9
    said = series_judge.foretell(series_typed.read(twice.text).values)
    assert [m for m, one in said.items() if round(float(one.middle_H[0])) == 128] == ["ar"]
    walk = series_typed.read(tosses.text).values
    assert set(np.abs(np.diff(walk))) == {1.0}
    naive = series_classic.naive(walk)
    assert "The last number: 103, twelve" in tosses.says and set(naive.middle_H) == {103.0}
    wide_H = np.ptp(naive.quantile_QH, axis=0)
    assert len(wide_H) == 12 and wide_H == pytest.approx(wide_H[0] * np.sqrt(np.arange(1, 13)))
    found = series_judge.family("walk", 10**8 + 1_000)
    assert all(found.beside(m)[1] <= 0 for m in series_judge.METHODS)
    assert min(found.mean(m) for m in ("lstm", "transformer")) > found.mean("naive")


def test_inspect() -> None:
    looks, off, places_off = steps("inspect")
    model = shipped("bert")
    sizes = surgery.sites(model, derived=True)

    def filled(step: Step, edited: bool = True) -> dict[str, float]:
        edits, problems = surgery.read(at(step, "edits") if edited else "", sizes)
        trace = model.trace(step.text, edits)
        assert not problems and trace.tokens[int(at(step, "token"))] == "[MASK]"
        fill_V = map(float, trace.field("fill").values[int(at(step, "token"))])
        return dict(zip(model.tokenizer.vocab, fill_V, strict=True))

    trace = model.trace(looks.text)
    a_T = trace.field("attention").values[(*place(looks), int(at(looks, "token")))]
    assert int(a_T.argmax()) == int(at(looks, "token")) - 1
    assert (
        f"{100 * a_T.max():.1f} % of its weight is on “{trace.tokens[a_T.argmax()]}”" in looks.says
    )
    before, after_ = filled(off, edited=False), filled(off)
    century = "century"
    assert f"{share(after_[century])} instead of {share(before[century])}" in off.says
    assert sorted(after_, key=after_.__getitem__)[-3:] == ["period", "area", century]
    assert after_["period"] > after_[century] / 2
    assert trace.field("attention").values.shape[:2] == (6, 8) and "of 48" in off.says
    assert (
        f"{share(before[century])}, and now" in off.asks and share(after_[century]) in off.choices
    )
    without = filled(places_off)
    ranked = sorted(without, key=without.__getitem__)[::-1]
    assert f"“{ranked[0]}”, with {share(without[ranked[0]])}" in places_off.says
    assert century not in ranked[:10]


def test_measures() -> None:
    typed, opposite, other, moved = steps("measures")
    points = {n: measures_of(step) for n, step in enumerate((typed, opposite, other, moved))}
    found = measures_live.lit(measures_live.parse(typed.text), 0, "1", 1.0)["lit"]
    counts = [count for _state, _words, count in found["legend"]]
    assert counts == [9, 1, 1] and "9 of 11" in typed.says
    said, legend = found["rows"][0], [words for _state, words, _count in found["legend"]]
    assert said["words"][said["states"].index(2)] == "opens" and len(legend) == 3
    assert f"{points[1]['meteor']:.0f}: " in opposite.says
    assert opposite.says.startswith(opposite.choices[2])
    assert f"METEOR gives only {points[2]['meteor']:.0f}" in other.says
    assert f"BLEU {points[2]['bleu']:.0f}" in other.says
    assert points[1]["bleu"] > points[2]["bleu"]
    assert points[3]["ter"] == pytest.approx(100 / 7)
    assert points[3]["wer"] == pytest.approx(300 / 7)
    stems, clipped, shift, answer = lesson("measures").tries
    of = measures_of(stems)
    assert of["bleu"] == of["rouge1"] == of["rougeL"] == 0
    assert f"{of['meteor']:.0f} of 100" in stems.look
    assert bleu.row(*measures_lines(clipped))[:3] == [7, 6, 2]
    of = measures_of(shift)
    assert f"{of['ter']:.0f} of 100" in shift.look and f"changes, {of['wer']:.0f}" in shift.look
    of = measures_of(answer)
    assert f"{of['f1']:.0f} of 100" in answer.look and of["em"] == 0


def measures_lines(of: Any) -> tuple[str, tuple[str, ...]]:
    found = measures_live.parse(of.text)
    return found.said, found.references


def measures_of(of: Any) -> dict[str, float]:
    """Points by the id of each measure."""
    found = measures_live.measured(measures_live.parse(of.text))
    return {one.id: float(x) for one, x in zip(MEASURES, found, strict=True)}


def test_infinite() -> None:
    often, slices, once, never = steps("infinite")
    preset = next(one for one in counting_texts.texts().values() if one.id == "python_docs")
    chosen = counting_texts.Counted(preset, 5)
    assert (chosen.id,) == lesson("infinite").true_of
    of = infinite.matches(chosen)

    def read(step: Step) -> tuple[infinite.Runs, float, float]:
        """The runs of its text, and what both give its last word, in per cent."""
        ids_T = of.ids(step.text)
        runs = of.runs(ids_T)
        return runs, of.infinite(runs)[-1], of.smoothed(ids_T)[-1]

    runs, p, smoothed = read(often)
    size = len(runs.ids_T)
    assert runs.context_T[-2:].tolist() == [6, 7] and of.count(runs)[-1] == 6
    assert of.total(runs, np.array([size - 1, size])).tolist() == [6, 6]
    assert p == 1 and often.says.endswith(f"{share(smoothed)}.") and chosen.order - 1 == 4
    assert f"{len(of):,} places" in slices.says
    widths = [int(np.diff(runs.slices(np.array([size]), n), axis=0)[0, 0]) for n in range(9)]
    assert widths == sorted(widths, reverse=True) and widths[7:] == [6, 0]
    runs, _p, _smoothed = read(once)
    ((id_K, count_K), (other_K, p_K)) = next(of.next(runs, np.array([len(runs.ids_T)])))
    word = of.study.vocab[id_K[0]]
    assert runs.context_T[-1] == 3 and count_K.tolist() == [1] and word == "subscriptable"
    assert f"{100 * p_K[other_K.tolist().index(id_K[0])]:.1f} %." in once.says
    runs, p, _smoothed = read(never)
    assert runs.context_T[-2] == 0 and never.says.endswith(f"{100 * p:.1f} %.")
    tried = lesson("infinite").tries
    assert [one.text for one in tried] == [often.text, once.text, never.text]
    assert f"{100 * p_K[other_K.tolist().index(id_K[0])]:.1f} %." in tried[1].look
    ids_T = of.ids(often.text)
    ((id_K, count_K), _expected) = next(of.next(of.runs(ids_T), np.array([len(ids_T)])))
    assert count_K.tolist() == [1] * 6 and len(set(id_K.tolist())) == 6


def test_hidden_markov_models() -> None:
    path, asked, correct, back = steps("hmm")
    model = shipped("hmm_tagger")

    def beliefs(text: str) -> dict[str, np.ndarray]:
        trace = model.trace(text)
        return {name: trace.field(name).values for name in ("filter", "smooth", "viterbi")}

    found = beliefs(path.text)
    assert ", ".join(model.states[int(s)] for s in found["viterbi"][1:]) in path.says

    def likeliest(of: dict[str, np.ndarray], name: str, t: int) -> tuple[str, str]:
        return model.states[int(of[name][t].argmax())], share(float(of[name][t].max()))

    t = int(at(asked, "token"))
    assert model.trace(asked.text).tokens[t] == "open" and asked.text.split()[:t][-1] == "open"
    first, last = (likeliest(found, name, t) for name in ("filter", "smooth"))
    assert first[0] == "ADJ" and f"An adjective, with {first[1]}" in asked.says
    assert last[0] == "VERB" and f"is a verb, {last[1]}" in asked.says
    assert at(correct, "token") == str(t) and model.states[int(at(correct, "unit"))] == "VERB"
    found, t = beliefs(back.text), int(at(back, "token"))
    first, last = (likeliest(found, name, t) for name in ("filter", "smooth"))
    assert first[0] == "PROPN" and f"like a name, {first[1]}" in back.says
    assert last[0] == "VERB" and f"it is a verb, {last[1]}" in back.says


def test_stories() -> None:
    model = shipped("lstm_stories")
    reading, words = story_memory.Reading(model), model.tokenizer.vocab

    def found(text: str) -> tuple[story_memory.Found, story_memory.Kept, tuple[str, ...]]:
        tokens = model.tokens(text)
        one = story_memory.find(reading, tuple(tokens.ids.tolist()))
        assert one.kept is not None
        return one, one.kept, tokens.labels

    france, asked, turned, jane = steps("stories")
    one, kept, tokens = found(france.text)
    assert (words[one.answer], tokens[kept.cause], words[kept.id]) == (
        "French",
        "France",
        "Germany",
    )
    assert f"from {100 * 2**-one.bits:.1f} %" in france.says and 2 ** -(one.bits + kept.more) < 1e-5
    one, kept, tokens = found(asked.text)
    assert words[one.answer] == "were" and words[kept.rival] == "was" and len(kept.own_T) > 20
    assert f"Unit {kept.unit}," in asked.says and f"{kept.units[0][2]:.0f} bits" in asked.says
    assert round(kept.together) == 20 and model.config.units == 128 and "all 128" in asked.says
    worst = int(kept.one_T.argmin())
    assert f"“{tokens[worst]}”" in turned.says and f"{-kept.one_T[worst]:.0f} bits" in turned.says
    one, kept, tokens = found(jane.text)
    assert (tokens[kept.cause], words[one.answer]) == ("Canada", "Canadian")
    assert f"costs {kept.more:.1f} bits" in jane.says
    mary, rate, film, sunny, _edward = lesson("stories").tries
    one, kept, _ = found(mary.text)
    child, kept_child, _ = found(mary.text.replace("teenager", "child"))
    assert (words[one.answer], words[child.answer]) == ("Irish", "Canadian")
    assert (
        f"{100 * 2**-one.bits:.1f} %" in mary.look and f"{100 * 2**-child.bits:.1f} %" in mary.look
    )
    assert kept.unit == kept_child.unit and f"Unit {kept.unit} " in mary.look
    one, kept, tokens = found(rate.text)
    assert (
        tokens[kept.cause] == words[one.answer] == "five"
        and f"{100 * 2**-one.bits:.1f} %" in rate.look
    )
    one, kept, tokens = found(film.text)
    assert words[one.answer] == "positive" and (tokens[kept.cause], words[kept.id]) == ("not", "so")
    assert f"{100 * 2**-one.bits:.1f} %" in film.look
    assert f"to {100 * 2 ** -(one.bits + kept.more):.0f} %" in film.look
    one, kept, tokens = found(sunny.text)
    snowy = tokens.index("snowy")
    assert tokens[kept.cause] == "sunny" and abs(one.lost_T[snowy]) < 0.1
    keep_T = model.trace(sunny.text).field("gate.forget").values[0, kept.cause + 1 :, kept.unit]
    assert f"{100 * keep_T.prod():.2f} % of what it held" in sunny.look


def test_long_documents() -> None:
    found, low, broken = steps("documents")
    model = shipped("bert")

    def names(step: Step, **asks: str) -> list[tuple[str, str]]:
        trace = model.trace(step.text, fields=("residual",))
        words = document_entities.cut(trace.tokens, trace.spans)
        said = document_live.derive(model, trace, asks)["said"][1]
        tags = [int(said[t]) for t, _start, _stop in words]
        return [
            (step.text[words[a][1] : words[b - 1][2]], kind)
            for a, b, kind in document_entities.entities(tags)
        ]

    assert names(found) == [("Peter Marsh", "PER"), ("London", "LOC"), ("Microsoft", "ORG")]
    assert "all three" in found.choices and found.says.startswith("All three")
    of = document_store.shipped().results["entities"]["repaired"]
    assert f"about {100 * of['right'] / of['there']:.0f} whole" in found.says
    assert names(low) == [("peter marsh", "PER")] and low.says.startswith("Peter Marsh alone")
    assert looks("documents", low) == ["The same in small letters: two of the three are lost."]
    trace, tags = model.trace(broken.text, fields=("residual",)), document_entities.TAGS
    t, rule = int(at(broken, "token")), at(broken, "rule")
    assert trace.tokens[t] == "university" and rule == document_live.LIKELIEST
    likeliest, kept = (document_live.derive(model, trace, {"rule": r}) for r in (rule, ""))
    assert tags[int(likeliest["said"][1][t])] == "I-ORG" and likeliest["broken"][1][t]
    assert tags[int(kept["said"][1][t])] == "B-ORG" and not kept["faults"][1]
    assert "has I-ORG" in broken.says and "has B-ORG" in broken.says


def test_task_heads() -> None:
    found, unasked, book = steps("tasks")
    model = shipped("bert")

    def read(step: Step) -> tuple[tuple[str, ...], Any]:
        trace = model.trace(step.text, fields=("residual",))
        return trace.tokens, task_live.derive(model, trace, {})

    tokens, made = read(found)
    said = " ".join(tokens[t] for t in made["answer"][1])
    assert f"“{said}”" in found.says and said == "in the garden on monday"
    __, made = read(unasked)
    frozen, tuned = made["pair"][1][0]
    assert share(tuned) in unasked.says and share(frozen) in unasked.says
    assert tuned < 0.5 and "no" in unasked.choices
    tokens, made = read(book)
    names = task_store.shipped().names
    tags = [names[int(made["tag"][1][t, 1])] for t, token in enumerate(tokens) if token == "book"]
    assert " and ".join(tags) in book.choices and book.says.startswith(", then ".join(tags))
    assert model.config.layers == 6
