"""Every measure beside the library that defines it, on odd texts, and by hand."""

from __future__ import annotations

import random
import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate import meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF, TER

from engine.analysis.measures import bleu, chrf, error_rates, meteor, ngrams, rouge, squad, ter
from engine.analysis.measures.table import BY_ID, MEASURES

WORDS = "the a an cat sat on mat dog's runs running ran U.S. 3.5 1,000 — “yes” café 猫 😀 &amp; No. - ' #".split()
ODD = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",)) | st.sampled_from(" .,'-\u00a0\t😀é"),
    max_size=40,
)
LINE = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | ODD.map(
    lambda text: " ".join(text.splitlines())
)
PAIRS = st.lists(st.tuples(LINE, LINE, LINE), min_size=1, max_size=5)
QUICK = settings(max_examples=60, deadline=None)


def rows(of: Any, triples: Sequence[tuple[str, str, str]], **more: Any) -> np.ndarray:
    return np.array([of(said, references, **more) for said, *references in triples], float)


def streams(triples: Sequence[tuple[str, str, str]]) -> tuple[list[str], list[list[str]]]:
    said, *references = (list(column) for column in zip(*triples, strict=True))
    return said, references


@pytest.mark.parametrize("tokenize", bleu.TOKENIZERS)
@given(triples=PAIRS)
@QUICK
def test_bleu_is_that_of_sacrebleu(
    tokenize: bleu.Tokenize, triples: Sequence[tuple[str, str, str]]
) -> None:
    total = rows(bleu.row, triples, tokenize=tokenize)
    said, references = streams(triples)
    for smooth in ("exp", "floor", "add-k", "none"):
        theirs = BLEU(tokenize=tokenize, smooth_method=smooth)
        found = bleu.score(total.sum(0, keepdims=True), smooth)[0]  # type: ignore[arg-type]
        assert found == pytest.approx(theirs.corpus_score(said, references).score, abs=1e-9)
        alone = BLEU(tokenize=tokenize, smooth_method=smooth, effective_order=True)
        mine = bleu.score(total, smooth, effective=True)  # type: ignore[arg-type]
        for n, (line, *right) in enumerate(triples):
            assert mine[n] == pytest.approx(alone.sentence_score(line, right).score, abs=1e-9)


@pytest.mark.parametrize("pairs", [0, 2])
@given(triples=PAIRS)
@QUICK
def test_chrf_is_that_of_sacrebleu(pairs: int, triples: Sequence[tuple[str, str, str]]) -> None:
    total = rows(chrf.row, triples, pairs=pairs)
    theirs = CHRF(word_order=pairs)
    said, references = streams(triples)
    found = chrf.score(total.sum(0, keepdims=True))[0]
    assert found == pytest.approx(theirs.corpus_score(said, references).score, abs=1e-9)
    for n, (line, *right) in enumerate(triples):
        expected = theirs.sentence_score(line, right).score
        assert chrf.score(total)[n] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"normal": True}, {"normalized": True}),
        ({"signs": False}, {"no_punct": True}),
        ({"case": True}, {"case_sensitive": True}),
    ],
)
@given(triples=PAIRS)
@QUICK
def test_ter_is_that_of_sacrebleu(
    ours: dict[str, bool], theirs: dict[str, bool], triples: Sequence[tuple[str, str, str]]
) -> None:
    total = rows(ter.row, triples, **ours)
    other = TER(**theirs)
    said, references = streams(triples)
    found = ter.score(total.sum(0, keepdims=True))[0]
    assert found == pytest.approx(other.corpus_score(said, references).score, abs=1e-9)


def test_ter_of_long_lines_is_that_of_sacrebleu() -> None:
    """Beyond the beam, beyond ten words, beyond fifty places, beyond a thousand shifts."""
    rng = random.Random(3)
    theirs = TER()
    for n in range(20):
        letters = "abcdefghijklmnopqrstuvwxyz"[: rng.choice([2, 5, 26])]
        right = [rng.choice(letters) for _ in range(rng.choice([5, 20, 40, 90]))]
        said = list(right)
        for _ in range(rng.choice([1, 3, 12])):
            start, stop = sorted(rng.sample(range(len(said) + 1), 2))
            moved = said[start:stop]
            del said[start:stop]
            at = rng.randrange(len(said) + 1)
            said[at:at] = moved
            if said and rng.random() < 0.5:
                said[rng.randrange(len(said))] = rng.choice(letters)
        said = said[: rng.choice([len(said), len(said) // 3])]
        lines = " ".join(said), " ".join(right)
        expected = theirs.sentence_score(lines[0], [lines[1]])
        assert ter.edits(said, right).count == expected.num_edits, (n, lines)


@given(said=LINE, right=LINE)
@QUICK
def test_the_edits_of_ter_make_the_reference(said: str, right: str) -> None:
    mine, theirs = ter.words(said), ter.words(right)
    found = ter.edits(mine, theirs)
    assert sorted(found.order) == list(range(len(mine)))
    made, left = [], iter([mine[n] for n in found.order])
    for op, word in zip_trace(found.trace, theirs):
        given_word = next(left) if op != "i" else None
        if op != "d":
            assert op != " " or given_word == word
            made.append(word)
    assert made == theirs and next(left, None) is None


def zip_trace(trace: str, right: Sequence[str]) -> list[tuple[str, str]]:
    words = iter(right)
    return [(op, "" if op == "d" else next(words)) for op in trace]


@pytest.mark.parametrize("stems", [False, True])
@given(said=st.lists(LINE, max_size=3), right=st.lists(LINE, max_size=3))
@QUICK
def test_rouge_is_that_of_rouge_score(stems: bool, said: list[str], right: list[str]) -> None:
    one, other = "\n".join(said), "\n".join(right)
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    theirs = RougeScorer(names, use_stemmer=stems).score(other, one)
    mine = (
        rouge.of_runs(one, other, 1, stems),
        rouge.of_runs(one, other, 2, stems),
        rouge.longest(one, other, stems),
        rouge.by_sentence(one, other, stems),
    )
    for name, found in zip(names, mine, strict=True):
        assert found == pytest.approx(tuple(theirs[name]), abs=1e-12), name


@given(said=LINE, right=LINE)
@QUICK
def test_a_subsequence_stands_in_both(said: str, right: str) -> None:
    mine, theirs = rouge.words(said), rouge.words(right)
    places = rouge.subsequence(mine, theirs)
    assert all(mine[i] == theirs[j] for i, j in places)
    assert places == sorted(places) and len({i for i, _ in places}) == len(places)
    if mine and theirs:
        assert rouge.longest(said, right)[0] == pytest.approx(len(places) / len(mine))


class Lemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class Synset:
    def __init__(self, names: str) -> None:
        self._names = names.split()

    def lemmas(self) -> list[Lemma]:
        return [Lemma(name) for name in self._names]


class Wordnet:
    """A tiny one, as nltk's reader answers."""

    KNOWN = ("cat dog's", "mat ran rug_mat", "sat run runs", "running café", "on mat")

    def synsets(self, word: str) -> list[Synset]:
        return [Synset(names) for names in self.KNOWN if word in names.split()]


class Nothing:
    def synsets(self, word: str) -> list[Synset]:
        return []


@pytest.mark.parametrize("known", [Wordnet(), Nothing()])
@given(said=LINE, right=LINE, alpha=st.sampled_from([0.5, 0.9]))
@settings(max_examples=400, deadline=None)
def test_meteor_is_that_of_nltk(known: Any, said: str, right: str, alpha: float) -> None:
    mine, theirs = meteor.words(said), meteor.words(right)

    def synonyms(word: str) -> set[str]:
        names = (lemma.name() for one in known.synsets(word) for lemma in one.lemmas())
        return {name for name in names if "_" not in name}

    found = meteor.align(mine, theirs, synonyms)
    expected = meteor_score.single_meteor_score(theirs, mine, wordnet=known, alpha=alpha)
    assert meteor.score(found, alpha) == pytest.approx(expected, abs=1e-12)
    pairs, _, _ = meteor_score.align_words(mine, theirs, wordnet=known)
    assert [pair[:2] for pair in found.pairs] == pairs


@given(triples=PAIRS)
@QUICK
def test_error_rates_are_those_of_jiwer(triples: Sequence[tuple[str, str, str]]) -> None:
    said, (right, _) = streams(triples)
    words = rows(BY_ID["wer"].row, [(a, b, b) for a, b, _ in triples]).sum(0)
    letters = rows(BY_ID["cer"].row, [(a, b, b) for a, b, _ in triples]).sum(0)
    one, other = jiwer.process_words(right, said), jiwer.process_characters(right, said)
    assert words[0] == one.substitutions + one.insertions + one.deletions
    assert 100 * one.wer == pytest.approx(BY_ID["wer"].score(words[None])[0])
    assert 100 * other.cer == pytest.approx(BY_ID["cer"].score(letters[None])[0])


# The script of SQuAD 2.0 once more, as its rules are written down.
def normal(text: str) -> str:
    text = "".join(sign for sign in text.lower() if sign not in set(string.punctuation))
    return " ".join(re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", text).split())


def squad_f1(right: str, said: str) -> float:
    gold, guess = normal(right).split(), normal(said).split()
    same = sum((Counter(gold) & Counter(guess)).values())
    if not gold or not guess:
        return float(gold == guess)
    if same == 0:
        return 0.0
    precision, recall = same / len(guess), same / len(gold)
    return 2 * precision * recall / (precision + recall)


@given(said=LINE, first=LINE, second=LINE)
@QUICK
def test_em_and_f1_by_the_rules_of_squad(said: str, first: str, second: str) -> None:
    exact = max(normal(said) == normal(one) for one in (first, second))
    assert BY_ID["em"].sentence(said, (first, second)) == 100 * exact
    expected = 100 * max(squad_f1(one, said) for one in (first, second))
    assert BY_ID["f1"].sentence(said, (first, second)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("said", "right", "exact", "f1"),
    [
        ("The Normans!", "normans", 1, 1),
        ("in 1066", "1066", 0, 2 / 3),
        ("an apple a day", "the apple day", 1, 1),
        ("", "", 1, 1),
        ("the", "", 1, 1),
        ("", "Paris", 0, 0),
        ("Paris Paris", "Paris", 0, 2 / 3),
        ("another", "other", 0, 0),
        ("co-operate", "cooperate", 1, 1),
    ],
)
def test_em_and_f1_by_hand(said: str, right: str, exact: int, f1: float) -> None:
    assert squad.exact_row(said, (right,))[0] == 100 * exact
    assert squad.f1(said, right) == pytest.approx(f1)


def test_bleu_by_hand() -> None:
    """Papineni's own example: “the” seven times, of which two are in the reference."""
    said, right = "the the the the the the the", "The cat is on the mat"
    assert bleu.row(said.lower(), (right.lower(),))[:3] == [7, 6, 2]
    marks = [state for _, state in ngrams.states(said.split(), 1, Counter(right.lower().split()))]
    assert marks == ["found"] * 2 + ["clipped"] * 5


def test_of_two_references_as_near_the_shorter_counts() -> None:
    assert bleu.row("a b c", ("a b", "a b c d"))[1] == 2


@given(said=LINE, right=LINE)
@QUICK
def test_marked_runs_are_those_that_count(said: str, right: str) -> None:
    mine, theirs = bleu.words(said), bleu.words(right)
    for n in range(1, 5):
        states = ngrams.states(mine, n, ngrams.runs(theirs, n))
        found = sum(state == "found" for _, state in states)
        assert found == bleu.row(said, (right,))[1 + n]


def test_error_rates_of_several_references_take_the_nearest() -> None:
    assert error_rates.row("a b c", ("x y z", "a b c d"), error_rates.words) == [1, 4]
    assert error_rates.nearest("a b c", ("x y z", "a b c d"), error_rates.words) == 1


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.id)
def test_what_is_the_same_is_perfect_and_what_is_empty_is_said(measure: Any) -> None:
    same = "The cat sat on the mat , and purred ."
    best = measure.sentence(same, (same,))
    assert best == pytest.approx(0 if measure.errors else 100, abs=0.1)  # METEOR: one chunk of ten
    assert np.isfinite(measure.sentence("", ("",)))
    assert len(measure.row("x", ("y", "z"))) == measure.columns
    with pytest.raises(ValueError, match="no reference"):
        measure.sentence("x", ())
