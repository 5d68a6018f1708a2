"""The n-gram model against numbers derived by hand, and against a slow one made of dictionaries.

The corpus of four sentences and its numbers are worked out in fractions; those of modified
Kneser-Ney equal what
lmplz (KenLM) writes for it.
"""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.decode import expects, sample
from engine.core.tap import Edit
from engine.core.trace import Table
from engine.models.base import train
from engine.models.ngram import LISTED, Config, Ngram, _top
from engine.ngram.counts import Counts, count, from_unary, offsets, squeeze, unary, widen
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey, discounts
from engine.storage.arrays import read_arrays, write_arrays
from engine.text.tokenizers.words import Words
from tests.conftest import diagonal

CORPUS = (
    "the cat saw a dog",
    "a dog sat on the cat",
    "the dog saw the cat",
    "the cat sat on the mat",
)
TEXT = "\n".join(CORPUS)
WORDS = Words.fit(CORPUS, 100)
ID = {w: i for i, w in enumerate(WORDS.vocab)}
START, END = 1, 2


def counted(order: int, lines: tuple[str, ...] = CORPUS) -> Counts:
    return Counts(list(count(WORDS.stream(lines), len(ID), order, END)), END)


def smoothed(order: int, minimum: tuple[int, ...] = ()) -> Smoothed:
    return Smoothed.estimate(ModifiedKneserNey(), counted(order), START, minimum)


def after(model: Smoothed, context: str) -> dict[str, float]:
    """The distribution behind a context, which begins with <s> where it says so."""
    ids_T = np.array([END if w == "<s>" else ID[w] for w in context.split()])
    return dict(
        zip(WORDS.vocab, model.distributions(model.counts.places(ids_T))[-1].tolist(), strict=True)
    )


def spelled(counts: Counts, order: int) -> dict[str, int]:
    """The n-grams of one order as text."""
    texts = [list(WORDS.vocab)]
    for k, grams in enumerate(counts.orders[1:], 2):
        below = ["<s>" if t == "</s>" else t for t in texts[-1]] if k == 2 else texts[-1]
        pairs = (divmod(key, counts.size) for key in grams.key_G.tolist())
        texts.append([f"{below[context]} {WORDS.vocab[word]}" for context, word in pairs])
    often = counts.orders[order - 1].count_G.tolist()
    return {text: c for text, c in zip(texts[order - 1], often, strict=True) if c}


def tally(text: str) -> dict[str, int]:
    """ "the cat 4, saw a 1": n-grams with their counts."""
    pairs = (gram.rsplit(" ", 1) for gram in " ".join(text.split()).split(", "))
    return {gram: int(c) for gram, c in pairs}


def test_counts_of_one_two_and_three() -> None:
    counts = counted(3)
    assert spelled(counts, 1) == tally(
        "the 6, cat 4, </s> 4, dog 3, a 2, on 2, sat 2, saw 2, mat 1"
    )
    assert spelled(counts, 2) == tally("""
        the cat 4, <s> the 3, a dog 2, cat </s> 2, on the 2, sat on 2, <s> a 1, cat sat 1, cat saw 1,
        dog </s> 1, dog sat 1, dog saw 1, mat </s> 1, saw a 1, saw the 1, the dog 1, the mat 1""")
    assert spelled(counts, 3) == tally("""
        <s> the cat 2, sat on the 2, the cat </s> 2, <s> a dog 1, <s> the dog 1, a dog </s> 1,
        a dog sat 1, cat sat on 1, cat saw a 1, dog sat on 1, dog saw the 1, on the cat 1, on the mat 1,
        saw a dog 1, saw the cat 1, the cat sat 1, the cat saw 1, the dog saw 1, the mat </s> 1""")


def test_relative_frequencies() -> None:
    """P(w | h) = c(hw) / c(h)."""
    counts, bigram = counted(2), {}
    for text, c in spelled(counts, 2).items():
        history, word = text.split()
        bigram[history, word] = F(
            c, int(counts.orders[1].total_P[END if history == "<s>" else ID[history]])
        )
    assert [bigram["the", w] for w in ("cat", "dog", "mat")] == [F(2, 3), F(1, 6), F(1, 6)]
    assert (bigram["<s>", "a"], bigram["cat", "</s>"], bigram["sat", "on"]) == (F(1, 4), F(1, 2), 1)


def test_adjusted_counts() -> None:
    adjusted = counted(3).adjusted()
    more = {"<s> the": 3, "the cat": 3, "a dog": 2, "sat on": 2}
    assert spelled(adjusted, 2) == dict.fromkeys(spelled(counted(2), 2), 1) | more
    # the highest order keeps its plain counts
    assert spelled(adjusted, 3) == spelled(counted(3), 3)
    bigram_model = counted(2).adjusted()
    assert spelled(bigram_model, 1) == tally(
        "a 2, cat 1, dog 2, mat 1, on 1, sat 2, saw 2, the 3, </s> 3"
    )


def test_suffixes() -> None:
    counts = counted(4)
    for k in (3, 4):
        here, below = list(spelled(counts, k)), list(spelled(counts, k - 1))
        suffix = [below[s] for s in counts.orders[k - 1].suffix_G]
        assert suffix == [text.split(" ", 1)[1] for text in here]


def test_a_blank_line_is_a_sentence() -> None:
    assert spelled(counted(3, ("", "a dog")), 2) == tally(
        "<s> </s> 1, <s> a 1, a dog 1, dog </s> 1"
    )


def test_discounts() -> None:
    assert discounts([3, 4, 2, 0]) == pytest.approx([0, 3 / 11, 35 / 22, 3])  # Y = 3 / 11
    # Y = 11 / 19; D3 < D2 is legal
    assert discounts([11, 4, 1, 1]) == pytest.approx([0, 11 / 19, 119 / 76, 13 / 19])
    assert discounts([100, 40, 20, 10]) == pytest.approx(
        [0, 0.5555556, 1.1666667, 1.8888889], abs=1e-7
    )
    fallback = [0, 0.5, 1, 1.5]
    assert discounts([13, 2, 2, 0]).tolist() == fallback  # D2 = -5/17
    assert discounts([16, 3, 0, 0]).tolist() == fallback  # n3 = 0


UNIGRAM = (
    "a 19/187, cat 45/374, dog 19/187, mat 45/374, on 45/374, sat 19/187, saw 19/187, the 29/374,"
    " </s> 29/374, <unk> 29/374"
)
THE = (
    "a 0.031194, cat 0.589572, dog 0.101370, mat 0.107116, on 0.036941, sat 0.031194, saw 0.031194,"
    " the 0.023806, </s> 0.023806, <unk> 0.023806"
)
THE_CAT = (
    "a 0.025401, cat 0.030080, dog 0.025401, mat 0.030080, on 0.030080, sat 0.233734, saw 0.233734,"
    " the 0.019385, </s> 0.352718, <unk> 0.019385"
)


def numbers(row: str) -> dict[str, float]:
    return {word: float(F(p)) for word, p in (pair.split() for pair in row.split(", "))} | {
        "<s>": 0.0
    }


def test_unigrams() -> None:
    """Adjusted counts 3, 2, 1 of 17; D = 3/11, 35/22, 3; gamma = 145/187 is shared by ten tokens."""
    assert after(smoothed(2), "<unk>") == pytest.approx(numbers(UNIGRAM), abs=1e-7)
    assert float(smoothed(2).gamma[0][0]) == pytest.approx(145 / 187)


def test_order_two_and_what_it_leaves_to_order_one() -> None:
    assert after(smoothed(2), "the") == pytest.approx(numbers(THE), abs=1e-6)
    gamma = dict(zip(WORDS.vocab, smoothed(2).gamma[1].tolist(), strict=True))
    want = {"</s>": 6 / 19, "the": 35 / 114, "cat": 207 / 304, "saw": 11 / 19, "a": 119 / 152}
    assert {w: gamma[w] for w in want} == pytest.approx(want)
    assert (gamma["<unk>"], gamma["<s>"]) == (1, 1)  # never seen: nothing is kept here


def test_order_three() -> None:
    model = smoothed(3)
    assert after(model, "<s> the cat") == pytest.approx(numbers(THE_CAT), abs=1e-6)
    for context, word, p in (
        ("<s>", "the", F(619, 1496)),
        ("<s> the", "cat", F(11521, 22440)),
        ("the cat", "saw", F(1049, 4488)),
        ("cat saw", "the", F(27, 187)),
        ("saw the", "dog", F(141, 1870)),
        ("the dog", "</s>", F(461, 4488)),
    ):
        assert after(model, context)[word] == pytest.approx(float(p), abs=1e-7)
    seen = np.diff(model.counts.orders[2].first_P) > 0
    # D_j = j / 2
    assert model.gamma[2][seen] == pytest.approx(0.5) and (model.gamma[2][~seen] == 1).all()


def test_log10_of_a_sentence() -> None:
    for line, *wanted in (
        ("the cat saw the dog", -3.526268, -4.255503),
        ("a cat sat on the dog", -5.435883, -5.271989),
        ("the bird sat", -4.052539, -4.500366),
    ):
        for order, want in zip((2, 3), wanted, strict=True):
            p_T = smoothed(order).probabilities(WORDS.stream([line]))
            assert np.log10(p_T).sum() == pytest.approx(want, abs=1e-6)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30))
def test_the_shape_of_a_trie_comes_back_from_bits(successors: list[int]) -> None:
    packed = unary(offsets(np.array(successors)))
    assert "".join(f"{byte:08b}" for byte in packed.tolist()).rstrip("0") == "".join(
        "1" * n + "0" for n in successors
    ).rstrip("0")
    assert len(packed) == -(-(len(successors) + sum(successors)) // 8)
    assert np.diff(from_unary(packed, len(successors))).tolist() == successors


def test_runs_stored_with_a_byte_for_each_context_still_open() -> None:
    model = smoothed(3, (1, 1, 2))
    arrays = model.arrays(compact=True)
    for k in (2, 3):
        del arrays[f"order{k}.follow"]
        arrays |= squeeze(f"order{k}.successors", np.diff(model.counts.orders[k - 1].first_P))
    again = Smoothed.from_arrays(model.method, arrays, model.counts.boundary, model.never)
    place_TM = model.counts.places(WORDS.stream(CORPUS))
    assert (model.distributions(place_TM) == again.distributions(place_TM)).all()


@given(st.lists(st.integers(0, 100_000), max_size=30))
def test_squeezed_numbers_come_back(values: list[int]) -> None:
    arrays = squeeze("x", np.array(values, np.int64))
    assert arrays["x"].dtype == np.uint8
    assert widen(arrays, "x").tolist() == values


def test_a_cut_off_takes_rare_ngrams_only() -> None:
    model = smoothed(3, (1, 1, 2))
    raw = spelled(counted(3), 3)
    assert set(spelled(model.counts, 3)) == {gram for gram, c in raw.items() if c >= 2}
    assert spelled(model.counts, 2) == spelled(smoothed(3).counts, 2)
    # from all n-grams, those cut off too
    assert (model.learned["count_of_counts"] == smoothed(3).learned["count_of_counts"]).all()
    # "the cat" was followed four times, by </s> twice: (2 - 1) / 4 stays, 3/4 goes to P(. | cat)
    assert after(model, "the cat")["</s>"] == pytest.approx(
        0.25 + 0.75 * after(model, "<unk> cat")["</s>"], abs=1e-7
    )


@pytest.fixture(scope="module")
def ngram() -> Ngram:
    model = train(Ngram, TEXT + "\nheld out", Config(order=3))
    assert isinstance(model, Ngram)
    return model


def test_trace_has_the_numbers_of_the_oracle(ngram: Ngram) -> None:
    trace = ngram.trace("the cat saw the dog\nthe cat")
    assert trace.tokens == ("<s>", "the", "cat", "saw", "the", "dog", "</s>", "the", "cat")
    p = trace.field("probability")
    rows = [dict(zip(p.axis("next").labels, row.tolist(), strict=True)) for row in p.values]
    assert rows[2] == pytest.approx(numbers(THE_CAT), abs=1e-6)
    assert rows[8] == pytest.approx(rows[2])  # after a line end the text starts anew
    assert rows[6] == pytest.approx(rows[0])
    assert all(not f.problems() for f in trace.values() if not isinstance(f, Table))
    part_T = trace.field("part").values.sum(1)
    assert part_T[0] == 0
    assert part_T[1:] == pytest.approx(p.values[np.arange(8), trace.ids[1:]], abs=1e-6)
    assert trace.field("matched").values.tolist() == [0, 2, 3, 3, 2, 2, 2, 2, 3]
    # "cat saw the", "saw the dog", "the dog </s>" are new
    assert trace.field("mass").axis("order").labels == ("uniform", "1", "2", "3")


def test_ladder_adds_up(ngram: Ngram) -> None:
    frame = ngram.trace("the cat saw")["ladder"].frame()
    assert len(frame) == 4 * 10  # ten tokens can follow; <s> cannot
    assert LISTED > 10
    parts = frame[[f"part_{m}" for m in range(4)]].sum(axis=1)
    assert parts.to_numpy() == pytest.approx(frame["probability"].to_numpy(), abs=1e-6)
    row = frame[(frame["position"] == 2) & (frame["next"] == "saw")].iloc[0]
    # "the cat saw" 1 of 4
    assert [row[f"{name}_3"] for name in ("count", "total", "discount")] == [1, 4, 0.5]
    assert row["part_3"] == pytest.approx(0.5 / 4)
    best = frame[frame["position"] == 2].sort_values("rank")["probability"]
    assert best.is_monotonic_decreasing


def test_an_edit_of_the_backoff_changes_what_follows(ngram: Ngram) -> None:
    plain = ngram.trace("the cat").field("probability").values
    edited = ngram.trace("the cat", (Edit("backoff", {"token": 2, "order": 3}, 1.0),))
    found = edited.field("probability")
    p = dict(zip(found.axis("next").labels, found.values[2].tolist(), strict=True))
    # Order 3 leaves everything to order 2: (1 - 1/2) / 3 + 1/2 P(saw), as "cat </s>", "cat sat" and
    # "cat saw" have a = 1
    assert p["saw"] == pytest.approx(0.5 / 3 + 0.5 * 19 / 187, abs=1e-6)
    assert (edited.field("probability").values[:2] == plain[:2]).all()
    assert edited.field("mass").values[2, 3] == 0
    none = ngram.trace("the cat", (Edit("backoff", {}, 0.0),)).field("probability")
    assert not none.problems()
    # only what followed "the cat" is left
    assert none.values[2][ngram.tokenizer.vocab.index("dog")] == 0


def test_an_edit_of_the_mass_is_in_proportion(ngram: Ngram) -> None:
    plain = ngram.trace("the cat")
    edited = ngram.trace("the cat", (Edit("mass", {"token": 2, "order": 3}, 0.0),))
    lower = ngram.trace("the cat", (Edit("backoff", {"token": 2, "order": 3}, 1.0),))
    assert edited.field("probability").values == pytest.approx(
        lower.field("probability").values, abs=1e-6
    )
    assert (edited.field("backoff").values == plain.field("backoff").values).all()
    uniform = ngram.trace("the cat", (Edit("mass", {}, 0.0),)).field("probability")
    # <s>, and ten other tokens
    assert sorted(set(uniform.values.ravel().tolist())) == pytest.approx([0, 0.1])


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3000), st.integers(1, 20), st.integers(0, 9))
def test_the_top_of_a_row(size: int, k: int, seed: int) -> None:
    # many ties: the smaller id comes first
    p_V = np.random.default_rng(seed).integers(0, 1000, size).astype(np.float32)
    assert _top(p_V, k).tolist() == sorted(range(size), key=lambda i: (-p_V[i], i))[:k]


def test_a_window_has_the_numbers_of_the_whole(ngram: Ngram) -> None:
    text = "the cat saw the dog\nthe cat sat on the mat"
    whole, part = ngram.trace(text), ngram.trace(text, window=(5, 9))
    for name in ("probability", "mass", "part", "matched", "backoff"):
        assert part.field(name).values == pytest.approx(whole.field(name).values[5:9], abs=1e-7), (
            name
        )


@diagonal("tokenizer,order", ["words", "whitespace", "chars", "bpe"], [1, 2, 5, 7])
def test_every_tokenizer_and_order(tokenizer: str, order: int, tmp_path) -> None:  # type: ignore[no-untyped-def]
    config = Config(order=order, tokenizer=tokenizer, vocabulary=300, min_count=2)
    model = train(Ngram, TEXT, config)
    write_arrays(tmp_path / "w.safetensors", model.weights())
    again = Ngram.from_weights(config, read_arrays(tmp_path / "w.safetensors"))
    for text in ("", "the cat sat", "\n\nzebra \U0001f600\n", "the mat\nthe"):
        trace, same = model.trace(text), again.trace(text)
        assert (trace.field("probability").values == same.field("probability").values).all()
        assert not [p for f in trace.values() if not isinstance(f, Table) for p in f.problems()]
    last = model.trace("the mat\n")
    assert (last.field("probability").values[-1] == last.field("probability").values[0]).all()


def test_lowercase() -> None:
    model = train(Ngram, "The cat\nthe dog\nTHE mat", Config(order=2, lowercase=True))
    assert "The" not in model.labels(model.tokens("The"))["next"]
    assert model.trace("The").unknown == ()
    with pytest.raises(ValueError, match="lowercase needs"):
        train(Ngram, TEXT, Config(tokenizer="chars", lowercase=True))


def test_progress_says_how_far_and_how_good() -> None:
    reports = list(Ngram.fit(TEXT + "\nthe dog sat", Config(order=3), seed=0))
    assert [r.step for r in reports] == [1, 2, 3, 4, 5] and {r.total for r in reports} == {5}
    assert reports[0].metrics["tokens"] == 26
    assert [reports[k].metrics[f"ngrams_{k}"] for k in (1, 2, 3)] == [9, 17, 19]
    bits = -math.log2(math.prod(smoothed(3).probabilities(WORDS.stream(["the dog sat"]))))
    assert reports[-1].metrics["held_out_bits_per_character"] == pytest.approx(
        bits / len("the dog sat\n")
    )


def test_where_nothing_can_follow_a_sentence_says_so() -> None:
    model = train(Ngram, TEXT, Config(order=3, smoothing="mle"))
    assert not expects(model, model.tokens("mat mat")).any()
    with pytest.raises(ValueError, match="nothing can follow"):
        list(sample(model, "mat mat", steps=2))
    last = list(Ngram.fit(TEXT + "\nthe dog sat", Config(order=3, smoothing="mle"), seed=0))[-1]
    assert last.metrics["held_out_impossible"] > 0 and "held_out_nats" not in last.metrics
