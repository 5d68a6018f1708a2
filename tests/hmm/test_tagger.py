"""The tagger: its tables are counts, its ending rule is worked out by hand, and the shipped runs are
as good as is said of them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.registry import models
from engine.hmm import endings
from engine.models.hmm import HiddenMarkov
from engine.models.hmm_tagger import Config, HiddenMarkovTagger
from engine.runs.store import RunStore

LINES = ["a/X b/Y", "a/X a/Y", "b/Y"]


def counted(**settings: float) -> HiddenMarkovTagger:
    return HiddenMarkovTagger.counted(
        HiddenMarkovTagger.read(LINES), Config(**{"prior": 1e-6, **settings})
    )


def test_tables_are_shares_of_what_was_counted() -> None:
    model = counted()
    assert model.states == ("⏎", "X", "Y") and model.tokenizer.vocab[3:] == ("a", "b")
    found = model.parameters()
    a = [[0, 2 / 3, 1 / 3], [0, 0, 1], [1, 0, 0]]
    np.testing.assert_allclose(found.field("transition").values, a, atol=1e-5)
    b = [[0, 0], [1, 0], [1 / 3, 2 / 3]]
    np.testing.assert_allclose(found.field("emission").values[:, 3:], b, atol=1e-5)


def test_words_and_tags_of_a_line() -> None:
    assert HiddenMarkovTagger.parse("1/2/NUM and/or/CCONJ") == [("1/2", "NUM"), ("and/or", "CCONJ")]
    for line in ("cat", "/DET", "cat/"):
        with pytest.raises(ValueError, match=r"line 2.*is not a word, a slash and a tag"):
            HiddenMarkovTagger.read(["a/X", line])
    with pytest.raises(ValueError, match="no line"):
        next(HiddenMarkovTagger.fit("\n", Config(), seed=0))


def test_an_ending_by_hand() -> None:
    """Five rare words of two tags, theta the standard deviation of the two shares."""
    words = [("King", 0), ("Ring", 0), ("sing", 1), ("ring", 1), ("walked", 1)]
    found = endings.learn(words, 2, longest=2)
    share = np.array([2.5, 3.5]) / 6
    theta = share.std(ddof=1)
    of_a = (np.array([0, 1]) + theta * share) / (1 + theta)
    of_g = (np.array([0, 1]) + theta * of_a) / (1 + theta)
    np.testing.assert_allclose(found[""], 1)
    np.testing.assert_allclose(found["a"] * share, of_a)
    np.testing.assert_allclose(found["ag"] * share, of_g)
    of_ng = (np.array([0, 1]) + theta * of_g) / (1 + theta)
    np.testing.assert_allclose(endings.factor(found, "wing", 2) * share, of_ng)
    np.testing.assert_allclose(endings.factor(found, "xyz", 2), found["a"])
    np.testing.assert_allclose(endings.factor(found, "7", 2), 1)
    assert endings.endings("Ab", 5) == ("A", "Ab", "Aab") and endings.learn([], 2, 3) == {}


@pytest.fixture(scope="module")
def tagger() -> HiddenMarkovTagger:
    found = RunStore()
    model = found.load(found.find("hmm_tagger"))
    assert isinstance(model, HiddenMarkovTagger)
    return model


def tags(model: HiddenMarkovTagger, text: str) -> list[str]:
    trace = model.trace(text, fields=("viterbi",))
    path = trace.field("viterbi").values.astype(int)
    return [f"{word}/{model.states[s]}" for word, s in zip(trace.tokens[1:], path[1:], strict=True)]


def test_the_shipped_tagger(tagger: HiddenMarkovTagger) -> None:
    assert tags(tagger, "I don't see her duck.") == [
        *("I/PRON", "do/AUX", "n't/PART", "see/VERB", "her/PRON", "duck/NOUN", "./PUNCT")
    ]
    assert "flurbled/VERB" in tags(tagger, "She flurbled the door")
    assert "flurbly/ADV" in tags(tagger, "She ran flurbly")
    curly = tagger.tokens("I don’t")
    assert curly.labels[1:] == ("I", "do", "n’t") and not curly.unknown


def test_a_later_word_changes_a_tag(tagger: HiddenMarkovTagger) -> None:
    """“complex” alone is read in one way, before “houses” in another: smoothing, not filtering."""
    trace = tagger.trace("The complex houses")
    filtered, smoothed = (
        tagger.states[trace.field(name).values[2].argmax()] for name in ("filter", "smooth")
    )
    assert (filtered, smoothed) == ("NOUN", "ADJ")


def test_the_spelling_of_an_unknown_word_is_no_part_of_its_bits(tagger: HiddenMarkovTagger) -> None:
    text = "She flurbled the zork"
    p_TV = tagger.trace(text).field("probability").values
    ids = tagger.tokens(text).ids
    np.testing.assert_allclose(p_TV.sum(1), 1, rtol=1e-4)
    bits, unknown = tagger.surprisals([text])
    bits_T = -np.log2(p_TV[np.arange(len(ids) - 1), ids[1:]])
    np.testing.assert_allclose(bits[0][:-1], bits_T, rtol=1e-3)
    assert unknown[0].tolist() == [False, True, False, True, False]


def test_vowels_come_together_by_themselves() -> None:
    """The shipped model of letters never saw a tag; one of its three states writes the vowels."""
    found = RunStore()
    model = found.load(found.find("hmm"))
    assert isinstance(model, HiddenMarkov)
    b_SV, vocab = model.b_SV, model.tokenizer.vocab
    best = {letter: int(b_SV[:, vocab.index(letter)].argmax()) for letter in "aeiotnshrdlmcwf"}
    assert len({best[letter] for letter in "aeio"}) == 1
    assert best["e"] not in {best[letter] for letter in "tnshrdlmcwf"}
    curve = [
        float(row.split(",")[2])
        for row in (found.find("hmm").folder / "history.csv").read_text().splitlines()
        if ",nats," in row
    ]
    assert len(curve) == 40 and np.all(np.diff(curve) <= 1e-5), "the likelihood never falls"
    assert models.get("hmm").stepwise and not models.get("hmm_tagger").stepwise
