"""Heads: planted ones get their tags and no others, effects are those of an edited run, and what each brings to
the last token is what it writes, word for word."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from engine.core.registry import tokenizers
from engine.core.tap import Edit, Tap
from engine.core.trace import FieldSpec, Kind, Trace
from engine.lessons.heads import combine, faithful, measured, parts, roles
from engine.lessons.heads.special import special
from engine.lessons.home import brought
from engine.models.base import Card
from engine.models.transformer import Config, Transformer
from engine.runs import store as runs
from engine.runs.store import Recipe, RunStore, digest
from engine.text.tokenizers.base import Tokens
from engine.training.fit import fit
from tests.conftest import TEXT as TEXTS
from tests.conftest import small
from tests.lessons.blocks import asked, said, tables

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

    def marks(self) -> Tokens:
        return self.tokens("")

    def spec(self) -> tuple[FieldSpec, ...]:
        axes = ("layer", "head", "query", "key")
        return (FieldSpec("attention", Kind.ATTENTION, axes, "Planted."),)

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
    found = roles.measure(Planted(causal))  # type: ignore[arg-type]
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
    assert len(rows) == len(found.names) * len(names)
    assert all(r["passages"] >= roles.FEWEST for r in rows)


def test_shuffling_moves_all_but_special_tokens() -> None:
    tokens = Planted(False).tokens("one two three four five")
    passage = roles.Passage(tokens, special(tokens), False, {})
    moved, place = roles.shuffle(passage, np.random.default_rng(3))
    assert (
        moved.labels[0] == "[CLS]" and moved.labels[-1] == "[SEP]" and moved.labels != tokens.labels
    )
    assert [moved.labels[p] for p in place] == list(tokens.labels)


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
    for i, m, n, j in np.ndindex(4, 4, 4, 4):
        paths[i, j] += half[2][i, m] * half[1][m, n] * half[0][n, j]
    made = combine.combine(w)
    np.testing.assert_allclose(made[2, 2], paths, atol=1e-6)
    np.testing.assert_allclose(made[:, 0], w.mean(1), atol=1e-6)
    np.testing.assert_allclose(made[:, 1], w.max(1))


@pytest.fixture(scope="module")
def long_model() -> Transformer:
    sizes = {"width": 16, "heads": 2, "layers": 3, "context": 128, "span": 16}
    config = Config(vocabulary=300, tokenizer="chars", **sizes)
    tokenizer = tokenizers.get("chars").fit(["the quick brown fox jumps over a lazy dog."], 300)
    torch.manual_seed(1)
    net = Transformer.build(config, len(tokenizer.vocab)).eval()
    for p in net.parameters():
        p.data *= 8  # weights far from uniform
    return Transformer(config, tokenizer, net)


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
        parts = [part for part in ((0, j), (j + 1, None)) if part != (0, 0)]
        cuts = tuple(Edit("score", {"key": j, "query": part}, -math.inf) for part in parts)
        edited = model.trace(text, cuts, fields=(answer,)).field(answer)
        q = edited.values[target].astype(float)
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
        roles.weights(trained("lstm"), trained("lstm").tokens("a"))


@pytest.mark.slow
def test_the_shipped_tags_are_measured_again() -> None:
    store = runs.RunStore(runs.SHIPPED)
    for run in (run for id in roles.MODELS for run in store.all(id)[:1]):
        kept = measured.find(str(run.note["recipe"]))
        assert kept, f"{run.id}: python -m engine.lessons.heads.measured"
        found = roles.measure(store.load(run))
        np.testing.assert_allclose(kept.score, found.score, atol=2e-3)
        np.testing.assert_allclose(kept.baseline, found.baseline, atol=2e-3)
        assert kept.names == found.names and (kept.given() == found.given()).all()
    assert measured.find("no such recipe") is None


def test_of_a_text_longer_than_its_context_a_model_reads_the_end(tmp_path: Path) -> None:
    config = small(Transformer, context=8, span=8, position="learned", tokenizer="chars", steps=2)
    for _ in fit(tmp_path / "run", Recipe("transformer", config, digest(TEXTS), 0), TEXTS):
        pass
    model = RunStore().load(RunStore().find(str(tmp_path / "run")))
    found = asked(parts.explain, {"model": model, "above": TEXT})
    (table,) = tables(found)
    want = faithful.effects(model, model.tokens(TEXT)[-8:], 7)
    assert [row["effect, bits"] for row in table] == pytest.approx(want.effect)
    assert "Only the last 8 tokens are read" in said(found)
    assert "Only the last" not in said(asked(parts.explain, {"model": model, "above": "the sea"}))


TEXT = "the ship came home from the sea"


@pytest.fixture(params=[0, 1], ids=["own values", "shared values"])
def model(request: pytest.FixtureRequest, trained: Callable[[str], Any], tmp_path: Path) -> Any:
    if not request.param:
        return trained("transformer")
    config = small(Transformer, groups=request.param, steps=2)
    for _ in fit(tmp_path / "run", Recipe("transformer", config, digest(TEXTS), 0), TEXTS):
        pass
    return RunStore().load(RunStore().find(str(tmp_path / "run")))


def by_hand(model: Any, trace: Trace, keys: range) -> np.ndarray:
    """(L, N): the length of the sum of A[q, k] v[k] W_O over these tokens."""
    q = len(trace.tokens) - 1
    weight, value = (trace.field(name).values.astype(float) for name in brought.NEEDS)
    found = np.zeros(weight.shape[:2])
    heads, groups = weight.shape[1], value.shape[1]
    for layer, head in np.ndindex(*found.shape):
        out_DW = model.tower.block(layer).attention.out.weight.detach().double().numpy()
        out_DK = np.split(out_DW, heads, 1)[head]
        total_D = np.zeros(len(out_DW))
        for k in keys:
            of = value[layer, head // (heads // groups), k]
            total_D += weight[layer, head, q, k] * (out_DK @ of)
        found[layer, head] = np.linalg.norm(total_D)
    return found


def test_only_what_lies_further_back_counts(model: Any) -> None:
    trace = model.trace(TEXT, fields=brought.NEEDS)
    last = len(trace.tokens) - 1
    want_LN = by_hand(model, trace, range(1, last - 1))
    found_LN = brought.measure_brought(model, trace, 1)
    np.testing.assert_allclose(found_LN, want_LN, rtol=1e-3, atol=1e-6)
    layer, head, much = brought.strongest(model, trace, 1)
    assert want_LN[layer, head] == want_LN.max() == pytest.approx(much, rel=1e-3)
    whole = model.tokens(TEXT)
    trace = model.trace(TEXT, fields=brought.NEEDS, window=(0, 2), tokens=whole)
    found_LN = brought.measure_brought(model, trace, 1)
    np.testing.assert_allclose(found_LN, by_hand(model, trace, range(1)), rtol=1e-3, atol=1e-6)


def test_all_heads_together_write_what_attention_adds(model: Any) -> None:
    """Over all tokens it is what the model itself calls the output of a head."""
    trace = model.trace(TEXT, fields=(*brought.NEEDS, "head.output"))
    own_LND = trace.field("head.output").values[:, :, -1]
    every_LN = by_hand(model, trace, range(len(trace.tokens)))
    np.testing.assert_allclose(np.linalg.norm(own_LND, axis=-1), every_LN, rtol=1e-3, atol=1e-6)
