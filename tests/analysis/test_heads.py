"""Heads: planted heads get their tags and no others, small pictures hold the largest weights,
effects are those of an edited run."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance
import torch

from engine.analysis.heads import (
    combine,
    compare,
    faithful,
    growing,
    measured,
    tags,
    thumbnails,
)
from engine.analysis.heads.special import special
from engine.core.numbers import Numbers
from engine.core.registry import tokenizers
from engine.core.tap import Edit, Tap
from engine.core.trace import FieldSpec, Kind
from engine.models.base import Card
from engine.models.transformer import Config, Transformer
from engine.runs import store as runs
from engine.text.tokenizers.base import Tokens
from tests.conftest import together

WORD = re.compile(r"\w+|[^\w\s]")


class Planted:
    """A "model" whose heads are written down: what each looks at is known."""

    context = None

    def __init__(self, causal: bool) -> None:
        self.card, self.causal = Card("planted", "Planted", 2026, ""), causal
        self.words = {"[CLS]": 0, "[SEP]": 1}

    def tokens(self, text: str) -> Tokens:
        found = list(WORD.finditer(text))
        labels = ["[CLS]", *(m.group() for m in found), *([] if self.causal else ["[SEP]"])]
        ids = [self.words.setdefault(label, len(self.words)) for label in labels]
        spans = [(0, 0), *(m.span() for m in found), *([] if self.causal else [(0, 0)])]
        return Tokens(np.array(ids, np.int64), tuple(labels), tuple(spans))

    def spec(self) -> tuple[FieldSpec, ...]:
        return (
            FieldSpec("attention", Kind.ATTENTION, ("layer", "head", "query", "key"), "Planted."),
        )

    def run(self, tokens: Tokens, tap: Tap) -> None:
        ids, t = tokens.ids, len(tokens)
        signs = {self.words[s] for s in ".,;:!?\"'()[]{}" if s in self.words}
        wants: dict[str, Callable[[int, int], bool]] = {
            "previous": lambda i, j: j == i - 1,
            "next": lambda i, j: j == i + 1,
            "first": lambda i, j: j == 0,
            "itself": lambda i, j: j == i,
            "same": lambda i, j: ids[j] == ids[i] and j != i,
            "induction": lambda i, j: j > 0 and ids[j - 1] == ids[i] and j not in (i, i + 1),
            "punctuation": lambda i, j: int(ids[j]) in signs and j != i,
            "nothing": lambda i, j: True,
        }
        weight = np.zeros((1, len(wants), t, t), np.float32)
        for n, want in enumerate(wants.values()):
            for i in range(t):
                may = i + 1 if self.causal else t
                row = np.array([want(i, j) for j in range(may)], float) * 0.8
                row = row / max(row.sum(), 1e-9) * 0.8 if row.any() else row
                weight[0, n, i, :may] = row + (1 - row.sum()) / may
        tap.at(layer=0)("attention", torch.from_numpy(weight), ("batch", "head", "query", "key"))


@pytest.mark.parametrize("causal", [True, False])
def test_planted_heads_get_their_tags(causal: bool) -> None:
    found = tags.measure(Planted(causal))  # type: ignore[arg-type]
    names = ("previous", "next", "first", "itself", "same", "induction", "punctuation", "nothing")
    given = {
        name: {found.names[r] for r in np.flatnonzero(found.given()[:, 0, n])}
        for n, name in enumerate(names)
    }
    for name in set(names) - {"nothing"} - ({"next"} if causal else set()):
        assert name in given[name], given
        assert found.score[found.names.index(name), 0, names.index(name)] > 0.75
    assert not given["nothing"], "a head that looks everywhere alike does nothing"
    for head in ("previous", "itself", "punctuation", "first"):
        assert "induction" not in given[head] and "same" not in given[head]
    assert "next" not in found.names if causal else "next" in given["next"]
    for kind in ("subject", "pronoun"):
        assert not any(kind in tags_of for tags_of in given.values())
    rows = list(found.rows())
    assert len(rows) == len(found.names) * len(names) and all(
        r["passages"] >= tags.FEWEST for r in rows
    )


def test_shuffling_moves_all_but_special_tokens() -> None:
    tokens = Planted(False).tokens("one two three four five")
    passage = tags.Passage(tokens, special(tokens), False, {})
    moved, place = tags.shuffle(passage, np.random.default_rng(3))
    assert (
        moved.labels[0] == "[CLS]" and moved.labels[-1] == "[SEP]" and moved.labels != tokens.labels
    )
    assert [moved.labels[p] for p in place] == list(tokens.labels)


def test_share_is_the_mean_over_tokens_with_a_partner() -> None:
    weight = np.array([[[[1.0, 0, 0], [0.4, 0.6, 0], [0.2, 0.3, 0.5]]]])
    pairs = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], bool)
    assert tags.share(weight, pairs)[0, 0] == pytest.approx((0.4 + 0.5) / 2)


def test_rollout_by_hand_and_by_paths() -> None:
    # two layers, one head, two tokens
    a = np.array([[[[1, 0], [0.5, 0.5]]], [[[1, 0], [0.2, 0.8]]]], np.float32)
    # half of each step is the residual connection: rows (1, 0), (.25, .75), then (1, 0), (.1, .9);
    # the second token of layer 2: .1 * 1 + .9 * .25 from the first, .9 * .75 from itself
    np.testing.assert_allclose(combine.combine(a)[1, 2], [[1, 0], [0.325, 0.675]], atol=1e-6)
    rng = np.random.default_rng(0)
    w = rng.dirichlet(np.ones(4), (3, 2, 4)).astype(np.float32)
    half = w.mean(1) / 2 + np.eye(4) / 2
    paths = np.zeros((4, 4))
    for i in range(4):
        for m in range(4):
            for n in range(4):
                for j in range(4):
                    paths[i, j] += half[2][i, m] * half[1][m, n] * half[0][n, j]
    made = combine.combine(w)
    np.testing.assert_allclose(made[2, 2], paths, atol=1e-6)
    np.testing.assert_allclose(made[:, 0], w.mean(1), atol=1e-6)
    np.testing.assert_allclose(made[:, 1], w.max(1))


def test_hidden_tokens_leave_rows_that_add_up() -> None:
    a = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.2, 0.6]])
    np.testing.assert_allclose(
        combine.without(a, np.array([False, True, True])), [[1, 0], [0.25, 0.75]]
    )
    np.testing.assert_allclose(combine.without(a, np.array([False, False, True])), [[1]])
    assert combine.without(np.eye(2), np.array([False, True])).tolist() == [[1]]
    np.testing.assert_allclose(
        combine.without(np.array([[1.0, 0], [1, 0]]), np.array([False, True])),
        [[0]],
        err_msg="nothing is left",
    )


def test_all_three_means_of_a_head_are_over_the_same_rows() -> None:
    """Over rows 2 and 3 of three: entropies 1 and 1.5 bits, 1/2 and 1/4 * 2 + 1/4 tokens back, weights
    1/2 and 1/4 on the first; the first row can see nothing but itself."""
    weight_HTT = torch.tensor([[[1.0, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]]])
    found = thumbnails.statistics(weight_HTT)[:, 0].tolist()
    assert found == pytest.approx([(1 + 1.5) / 2, (0.5 + 0.75) / 2, (0.5 + 0.25) / 2])
    alone = thumbnails.statistics(torch.ones(1, 1, 1))[:, 0].tolist()
    assert alone == [0, 0, 1]


@together(("count", "most"), [(1, 48), (48, 48), (49, 48), (100, 48), (13, 5)])
def test_a_cell_holds_the_largest_weight_under_it(count: int, most: int) -> None:
    w = np.random.default_rng(count).random((2, count, count)).astype(np.float32)
    k = -(-count // most)
    side = -(-count // k)
    wanted = [
        [[h[r * k : r * k + k, c * k : c * k + k].max() for c in range(side)] for r in range(side)]
        for h in w
    ]
    found = thumbnails.pool(torch.from_numpy(w), most).numpy()
    assert found.shape == (2, side, side) and side <= most
    np.testing.assert_array_equal(found, wanted)


@pytest.fixture(scope="module")
def long_model() -> Transformer:
    config = Config(
        width=16, heads=2, layers=3, context=128, vocabulary=300, tokenizer="chars", span=16
    )
    tokenizer = tokenizers.get("chars").fit(["the quick brown fox jumps over a lazy dog."], 300)
    torch.manual_seed(1)
    net = Transformer.build(config, len(tokenizer.vocab)).eval()
    for p in net.parameters():
        p.data *= 8  # weights far from uniform
    return Transformer(config, tokenizer, net)


@pytest.mark.parametrize("window", [(0, 101), (60, 101), (0, 1)])
def test_the_wall_made_while_running_is_that_of_all_weights(
    long_model: Transformer, window: tuple[int, int]
) -> None:
    text = (
        "the quick brown fox jumps over a lazy dog. the quick brown fox jumps over a lazy dog. the"
        " quick brow"
    )
    tokens = long_model.tokens(text)
    every = long_model.trace(text, fields=("attention",), window=window).field("attention").values
    hidden = np.zeros(window[1] - window[0], bool)
    hidden[0] = window[1] - window[0] > 1
    for hide in (np.zeros_like(hidden), hidden):
        made = thumbnails.wall(long_model, tokens, window, 1, fields=("probability",), hidden=hide)
        both = np.concatenate([every, combine.combine(every)], 1)
        small = [
            thumbnails.pool(
                torch.from_numpy(combine.without(layer, ~hide) if hide.any() else layer)
            )
            for layer in both
        ]
        np.testing.assert_allclose(made.thumbnail, np.stack(small), atol=1e-5)
        np.testing.assert_allclose(made.opened, both[1], atol=1e-6)
        assert made.fields["probability"].shape[0] == window[1] - window[0]
    place = np.arange(every.shape[-1])
    rows = slice(int(len(place) > 1), None)  # the same of all three
    bits = -(every * np.log2(np.where(every > 0, every, 1))).sum(-1)[..., rows].mean(-1)
    far = (every * abs(place[:, None] - place)).sum(-1)[..., rows].mean(-1)
    first = every[..., rows, 0].mean(-1)
    np.testing.assert_allclose(made.statistic, [bits, far, first], atol=1e-4)


@pytest.mark.parametrize("id", ["transformer", "bert"])
def test_effects_are_those_of_runs_with_edited_scores(
    trained: Callable[[str], Any], long_model: Transformer, id: str
) -> None:
    """The same run with those scores at minus infinity, by another route; KL summed here."""
    model = long_model if id == "transformer" else copy.deepcopy(trained(id))
    if id == "bert":
        for p in model.net.parameters():
            p.data *= 4  # a small model has hardly learned anything
    text, answer = "the cat sat on the mat", "probability" if id == "transformer" else "fill"
    tokens = model.tokens(text)
    target = len(tokens) - 2
    found = faithful.effects(model, tokens, target)
    plain = model.trace(text, fields=(answer, "attention"))
    p = plain.field(answer).values[target].astype(float)
    causal = model.causal
    others = [j for j in range(target + 1 if causal else len(tokens)) if j != target]
    for n, j in enumerate(others):
        cuts = [
            Edit("score", {"key": j, "query": part}, -math.inf)
            for part in ((0, j), (j + 1, None))
            if part != (0, 0)
        ]
        q = (
            model.trace(text, tuple(cuts), fields=(answer,))
            .field(answer)
            .values[target]
            .astype(float)
        )
        assert found.effect[n] == pytest.approx((p * np.log2(p / q)).sum(), rel=1e-2, abs=3e-7)
        assert found.drop[n] == pytest.approx(math.log2(p[found.next] / q[found.next]), abs=1e-4)
    assert found.effect.max() > 1e-5, "there is something to measure"
    assert found.next == (tokens.ids[target + 1] if causal else p.argmax())
    heads = plain.field("attention").values
    np.testing.assert_allclose(found.weight[:, :-3], heads[:, :, target, others], atol=1e-5)


def test_what_can_not_be_measured_is_said(
    trained: Callable[[str], Any], long_model: Transformer
) -> None:
    model = trained("transformer")
    with pytest.raises(ValueError, match="at least 4"):
        faithful.effects(model, model.tokens("the cat"), 1)
    many = Tokens(np.zeros(200, np.int64), ("a",) * 200, ((0, 1),) * 200)
    with pytest.raises(ValueError, match="At most"):
        faithful.effects(long_model, many, 199)
    with pytest.raises(ValueError, match="foretells no token"):
        faithful.work(trained("skipgram"), model.tokens("the cat sat on"), 3)
    with pytest.raises(ValueError, match="no attention"):
        tags.weights(trained("lstm"), trained("lstm").tokens("a"))


def test_rank_correlation_with_ties() -> None:
    """By hand: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4; around 2.5 they give 4.5 / sqrt(4.5 * 5)."""
    x, y = np.array([1.0, 2.0, 2.0, 9.0]), np.array([0.1, 0.3, 0.2, 0.9])
    assert faithful.spearman(x, y) == pytest.approx(4.5 / 22.5**0.5)
    assert math.isnan(faithful.spearman(np.ones(5), np.arange(5.0)))


def test_how_far_apart_two_readings_are() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.dirichlet(np.ones(5), (2, 3, 5)) for _ in range(2))
    wanted = scipy.spatial.distance.jensenshannon(a, b, base=2, axis=-1) ** 2
    np.testing.assert_allclose(compare.divergence(a, b), wanted.mean(-1), atol=1e-12)
    one, two = np.eye(2)[None, None], np.eye(2)[None, None][..., ::-1]
    assert compare.divergence(one, one)[0, 0] == 0 and compare.divergence(one, two)[
        0, 0
    ] == pytest.approx(1)
    assert compare.difference(one, two)[0, 0] == 1 and compare.difference(a, a).max() == 0
    i, j = compare.aligned(("a", "b", "c", "d"), ("a", "x", "b", "d", "e"))
    assert (
        [("a", "b", "c", "d")[n] for n in i]
        == [("a", "x", "b", "d", "e")[n] for n in j]
        == ["a", "b", "d"]
    )
    i, j = compare.aligned(("a", "b"), ("c", "d"))
    assert i.tolist() == j.tolist() == [0, 1], "of one length: place by place"
    np.testing.assert_allclose(
        compare.cut(np.array([[[[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.1, 0.4]]]]), np.array([1, 2])),
        [[[[1, 0], [0.2, 0.8]]]],
    )


def test_the_shipped_tags_are_measured_again() -> None:
    store = runs.RunStore(runs.SHIPPED)
    for run in (run for id in tags.MODELS for run in store.all(id)[:1]):
        kept = measured.find(str(run.note["recipe"]))
        assert kept, f"{run.id}: python -m engine.analysis.heads.measured"
        found = tags.measure(store.load(run))
        np.testing.assert_allclose(kept.score, found.score, atol=2e-3)
        np.testing.assert_allclose(kept.baseline, found.baseline, atol=2e-3)
        assert kept.names == found.names and (kept.given() == found.given()).all()
    assert measured.find("no such recipe") is None


@pytest.mark.parametrize("tensors", [False, True])
def test_a_wall_that_grows_is_that_of_the_whole_text(
    long_model: Transformer, tensors: bool
) -> None:
    """Typed on, taken back and begun anew, over the places where cells get larger."""
    text = "the quick brown fox jumps over a lazy dog. the lazy dog sat over the fox and jumps on."
    last: growing.Growing | None = None
    before = ""
    for count in (40, 47, 48, 49, 52, 51, 60, 80, 30, 96, 97, 100, 100):
        typed = (text * 2)[: count - 2] + ("x" if count % 3 == 0 else "")
        tokens = long_model.tokens(typed)
        weight = long_model.trace(typed, fields=("attention",)).field("attention").values
        same = 1 + next(
            (i for i, (a, b) in enumerate(zip(before, typed)) if a != b),
            min(len(before), len(typed)),
        )
        held: Any = torch.from_numpy(weight.copy()) if tensors else weight.copy()
        last = growing.grown(Numbers((held,), 2, 3), last, same)
        before = typed
        want = thumbnails.wall(long_model, tokens, (0, len(tokens)), 1)
        np.testing.assert_allclose(last.thumbnail.host(), want.thumbnail, atol=1e-5)
        np.testing.assert_allclose(last.statistic(), want.statistic, atol=1e-4)
        for head, opened in enumerate(want.opened):
            np.testing.assert_allclose(last.opened(1, head).host(), opened, atol=1e-5)
        assert last.cell == thumbnails.cells(len(tokens))
