"""Long texts: the overview says of every token what a trace says, in blocks; a window far in begins
at a block; tokens by pieces."""

import json
import random
from bisect import bisect_left

import numpy as np
import pytest

from engine.analysis import overview
from engine.analysis.measure import surprisal, surprisals
from engine.analysis.overview import BLOCK, Overview
from engine.core.trace import Field
from engine.live import chunked_tokenization, window
from engine.text.tokenizers.base import Tokens
from tests.conftest import LINES, sampled

READABLE = ("ngram", "skipgram", "transformer", "lstm", "gru", "rnn", "dual_memory")
WORDS = " ".join(LINES).split()
LONG = "\n".join(" ".join(random.Random(n).choices(WORDS, k=9)) for n in range(40))


class Kept(dict):
    def put(self, key, block):
        self[key] = block


def read(model, text, kept=None, most=None) -> Overview:
    found = Overview(model, text, model.tokens(text), Kept() if kept is None else kept, "run")
    while not found.done and most != 0:
        found.step()
        most = None if most is None else most - 1
    return found


@sampled("id", READABLE)
def test_the_bits_are_those_of_a_trace(id, trained):
    model = trained(id)
    for text in (LONG, "", "a", "\U0001f642\u0301 zzz \n\n the"):
        found, want = read(model, text), surprisals(model, text)
        assert found.read == len(want) and found.bits().dtype == np.float32
        np.testing.assert_allclose(found.bits(), want, atol=1e-4)
        assert text != LONG or len(found._blocks) > 1


def test_a_model_of_limited_sight_sees_half_of_it_at_least(trained):
    """The last token of a block has a whole context before it: the trace of the window that ends
    there says the same."""
    model = trained("transformer")
    found, tokens = read(model, LONG), model.tokens(LONG)
    for stop in (model.context, model.context + model.context // 2, len(tokens)):
        part = surprisal(model.trace(LONG, window=(stop - model.context, stop)))
        assert found.bits()[stop - 1] == pytest.approx(part[-1], abs=1e-4)
    assert str(model.context // 2) in found.says


def test_what_cannot_be_read_in_blocks_says_so(trained, monkeypatch):
    model = trained("lstm")
    monkeypatch.setattr(type(model), "carries", ())
    assert not overview.readable(model)
    with pytest.raises(ValueError, match="whole text"):
        Overview(model, "a", model.tokens("a"), Kept(), "run")


@pytest.mark.parametrize("id", ["lstm", "dual_memory"])
def test_a_window_far_in_begins_at_a_block(id, trained, monkeypatch):
    model, found = trained(id), None
    found, first = read(model, LONG), 3 * BLOCK + 17
    assert found.reaches(first) and found.state(5) is None
    begin, state = found.state(first)
    assert begin == 3 * BLOCK
    want = model.trace(LONG, window=(first, first + 40))
    ran = []
    monkeypatch.setattr(type(model), "run", lambda *_: ran.append(1))
    ids, carried = model.tokens(LONG), (begin, state)
    got = model.trace(LONG, window=(first, first + 40), tokens=ids, carried=carried)
    longer = model.trace(LONG, window=(first, first + 45), carried=carried, after=got)
    monkeypatch.undo()
    assert not ran and got.tokens == want.tokens and got.offset == want.offset
    more = model.trace(LONG, window=(first, first + 45))
    for name in want:
        assert isinstance(want[name], Field)
        for made, right in ((got, want), (longer, more)):
            values = right[name].values
            np.testing.assert_allclose(made[name].values, values, atol=1e-4, err_msg=name)


def test_a_memory_is_carried_from_block_to_block(trained, monkeypatch):
    """Of slots and addresses the last token is meant, wherever that axis stands."""
    monkeypatch.setattr(overview, "BLOCK", 16)
    model, text = trained("ntm"), LONG[:90]
    np.testing.assert_allclose(read(model, text).bits(), surprisals(model, text), atol=1e-3)


@pytest.mark.parametrize("id", ["lstm", "transformer"])
def test_a_changed_end_is_read_alone(id, trained):
    model, kept = trained(id), Kept()
    whole = read(model, LONG, kept)
    again = Overview(model, LONG, model.tokens(LONG), kept, "run")
    assert again.done
    longer = Overview(model, LONG + " cat", model.tokens(LONG + " cat"), kept, "run")
    assert whole.read - BLOCK <= longer.read < len(longer.tokens)
    longer.step()
    assert longer.done
    np.testing.assert_allclose(longer.bits(), surprisals(model, LONG + " cat"), atol=1e-4)
    other = Overview(model, LONG, model.tokens(LONG), kept, "another run")
    assert other.read == 1
    changed = "the dog " + LONG
    if model.carries and model.context is None:  # what stands at the start reaches every token
        assert Overview(model, changed, model.tokens(changed), kept, "run").read == 1


def test_a_run_can_only_begin_where_it_was_read(trained):
    found = read(trained("lstm"), LONG, most=2)
    assert found.read == 2 * BLOCK + 1 and not found.done
    assert found.reaches(2 * BLOCK + 255) and not found.reaches(3 * BLOCK)
    bits = found.bits()
    assert not np.isnan(bits[1 : found.read]).any() and np.isnan(bits[found.read :]).all()
    assert 0 < found.picture(0, len(LONG), 10, 3)["read"] < 1


class Known:
    """An overview with numbers of our own."""

    def __new__(cls, trained, text, tokens, bits):
        found = read(trained("ngram"), text)
        found.tokens = tokens
        found.bits = lambda: np.array(bits, np.float32)  # type: ignore[method-assign]
        return found


def test_columns_by_hand(trained):
    """Of "ab cd x": 4 bits over "ab", 6 over " cd", x unknown.  Per character 2 2 2 2 2 - -; then
    0.5 bits in place of 6."""
    tokens = Tokens(np.arange(4), ("<s>", "ab", "cd", "x"), ((0, 0), (0, 2), (3, 5), (6, 7)), (3,))
    found = Known(trained, "ab cd x", tokens, [np.nan, 4, 6, 1])
    mean, high = found.columns(0, 7, 7)
    np.testing.assert_allclose(mean, [2, 2, 2, 2, 2, np.nan, np.nan])
    found = Known(trained, "ab cd x", tokens, [np.nan, 4, 0.6, 1])
    mean, high = found.columns(0, 6, 2)  # "ab " and "cd "
    np.testing.assert_allclose(mean, [(4 + 0.2) / 3, 0.2], atol=1e-6)
    np.testing.assert_allclose(high, [2, 0.2], atol=1e-6)
    found = Known(trained, "ab cd x", tokens, [np.nan, np.inf, 0.6, 1])
    assert found.picture(0, 7, 7, 3)["mean"][0] == overview.INFINITE
    assert [len(part) for part in found.columns(3, 3, 9)] == [0, 0]


def test_peaks_are_the_highest_far_enough_apart(trained):
    rng = np.random.default_rng(3)
    count = 300
    bits = rng.exponential(3, count).astype(np.float32)
    bits[0] = np.nan
    spans = ((0, 0), *((3 * i, 3 * i + 3) for i in range(count - 1)))
    tokens = Tokens(np.arange(count), tuple("t" * count), spans, (7, 8))
    found = Known(trained, "x" * 3 * (count - 1), tokens, bits)
    want = []
    for t in sorted(range(1, count), key=lambda t: -bits[t]):
        inside = 90 <= spans[t][0] < 800 and t not in (7, 8)
        if inside and len(want) < 9 and all(abs(spans[t][0] - spans[o][0]) >= 30 for o in want):
            want.append(t)
    assert found.peaks(90, 800, 9, 30) == sorted(want) and len(want) == 9


def test_a_picture_does_not_grow_with_the_text(trained):
    sizes = []
    for times in (2, 20):
        found = read(trained("ngram"), LONG * times)
        picture = found.picture(0, len(LONG) * times, 60, 5)
        assert len(picture["mean"]) == len(picture["max"]) == 60 and len(picture["peaks"]) == 5
        sizes.append(len(json.dumps(picture)))
        part = found.picture(-5, 10**9, 60, 5)
        assert (part["from"], part["to"]) == (0, len(LONG) * times)
    assert abs(sizes[0] - sizes[1]) < 100
    a, b, label, bits, t = picture["peaks"][0]
    assert found.tokens.labels[t] == label and (a, b) == found.tokens.spans[t]
    assert bits == pytest.approx(found.bits()[t], abs=1e-3)


TEXTS = (
    LONG,
    LONG.replace("\n", " "),
    "\n\n\n",
    "a\n",
    "\na",
    "caf\u00e9\u0301\n\u0301x \U0001f469\u200d\U0001f680\nthe\r\ncat zzz\n\n" * 5,
    "",
)


@pytest.mark.parametrize("id", ["ngram", "lstm"])
def test_pieces_give_the_same_tokens(id, trained, monkeypatch):
    monkeypatch.setattr(chunked_tokenization, "PIECE", 20)
    fresh = chunked_tokenization.tokens.__wrapped__  # nothing is remembered
    for text in TEXTS:
        want, got = trained(id).tokens(text), fresh(trained(id), text)
        assert np.array_equal(got.ids, want.ids) and got.labels == want.labels
        assert (got.spans, got.unknown) == (want.spans, want.unknown)


def test_a_key_cuts_its_own_piece_again(trained, monkeypatch):
    model, cut = trained("lstm"), []
    text = LONG * 3
    chunked_tokenization.tokens(model, text)
    tokens = type(model).tokens
    monkeypatch.setattr(
        type(model), "tokens", lambda self, part: (cut.append(len(part)), tokens(self, part))[1]
    )
    chunked_tokenization.tokens(model, text + "x")
    assert sum(cut) < len(text) / 2


def test_cut_finds_what_a_search_finds(trained):
    tokens = trained("ngram").tokens(LONG)
    for start, stop in ((0, 10), (1, 2), (33, 90), (len(LONG) - 5, len(LONG)), (0, 0), (50, 50)):
        ends = (t for t, (_, b) in enumerate(tokens.spans) if b > start)
        first = next(ends, len(tokens)) if start else 0
        last = bisect_left([a for a, _ in tokens.spans], stop)
        assert window.cut(tokens, (start, stop)) == (first, max(first, last))
