"""Oracle: attention, blocks and Transformers, computed again by hand, by torch's own modules and
from the notes' examples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.core.registry import models, positions
from engine.core.tap import Recorder
from engine.core.trace import FieldSpec, Kind
from engine.models.base import train
from engine.nn import linear, mask
from engine.nn.attention import Attention, Sight
from engine.nn.block import Block, Design
from engine.nn.feed_forward import FeedForward
from engine.nn.transformer import Tower
from tests.conftest import sampled

Trained = Callable[[str], Any]
SENTENCE = "the old cat saw the small bird"


def look_back(t: int, causal: bool = True) -> Sight:
    place_T = torch.arange(t)
    return Sight(place_T, place_T, mask.allowed(place_T, place_T, causal=causal), causal)


def attend(x_TD: list[list[float]], heads: int) -> dict[str, np.ndarray]:
    """Attention with q = k = v = x and no output product, watched."""
    d = len(x_TD[0])
    part = Attention(d, heads).eval()
    with torch.no_grad():
        part.qkv.weight.copy_(torch.cat([torch.eye(d)] * 3))
        part.qkv.bias.zero_()
        part.out.weight.copy_(torch.eye(d))
        part.out.bias.zero_()
        recorder = Recorder()
        out = part(torch.tensor([x_TD]), look_back(len(x_TD)), recorder)[0]
    part_axes, pair = ("head", "token", "dim"), ("head", "query", "key")
    spec = [FieldSpec(n, Kind.STATE, part_axes, "A part.") for n in ("query", "key", "value")]
    spec += [
        FieldSpec("score", Kind.SCORE, pair, "A match."),
        FieldSpec("attention", Kind.ATTENTION, pair, "A share."),
    ]
    rest = [
        FieldSpec("reading", Kind.STATE, part_axes, "A reading."),
        FieldSpec("head.output", Kind.STATE, ("head", "token", "unit"), "A part."),
    ]
    found = {f.spec.name: f.values for f in recorder.fields([*spec, *rest], {})}  # type: ignore[union-attr]
    return found | {"out": out.numpy()}


X = [[1.0, 0, 1, 0], [0, 1.0, 0, 1], [1.0, 1, 0, 0]]


def test_attention_of_the_notes() -> None:
    """Rows X, q = k = v = X, d = 4.  Row 2: scores (0, 2)/2 = 0, 1; softmax 1/(1+e) = .268941,
    e/(1+e) = .731059.

    Row 3: scores (1, 1, 2)/2 = .5, .5, 1; e^.5 = 1.648721, e = 2.718282; shares .274069, .274069,
    .451863.
    Its output: .274069 X_1 + .274069 X_2 + .451863 X_3 = .725931, .725931, .274069, .274069.
    """
    found = attend(X, 1)
    rows = [[1, 0, 0], [0.268941, 0.731059, 0], [0.274069, 0.274069, 0.451863]]
    np.testing.assert_allclose(found["attention"][0], rows, atol=1e-6)
    np.testing.assert_allclose(found["out"][2], [0.725931, 0.725931, 0.274069, 0.274069], atol=1e-6)
    assert np.isneginf(found["score"][0][np.triu_indices(3, 1)]).all()
    np.testing.assert_allclose(found["score"][0][2], [0.5, 0.5, 1.0], atol=1e-6)


def test_two_heads_of_the_notes() -> None:
    """Head 2 (columns 3 and 4), row 3: x = (0, 0), so all scores are 0 and each share is a
    third."""
    found = attend(X, 2)
    np.testing.assert_allclose(found["attention"][1][2], [1 / 3] * 3, atol=1e-6)
    # Head 1, last row sees all: x = (1, 1), scores (1, 1, 2)/sqrt 2; e^.707107 = 2.028115,
    # e^1.414214 = 4.113250
    whole = 2 * 2.028115 + 4.113250
    np.testing.assert_allclose(
        found["attention"][0][2], [2.028115 / whole, 2.028115 / whole, 4.113250 / whole], atol=1e-6
    )


def test_examples_of_the_notes() -> None:
    """T11 and T16 of the notes: Q = K = [[1,0],[0,1],[1,1]], V = [[1,0],[0,1],[2,2]], K = 2;
    without and with the mask."""
    q = torch.tensor([[[[1.0, 0], [0, 1], [1, 1]]]])
    v = torch.tensor([[[[1.0, 0], [0, 1], [2, 2]]]])
    score = q @ q.transpose(-1, -2) / math.sqrt(2)
    a = mask.soften(score.clone())[0, 0]
    torch.testing.assert_close(
        a,
        torch.tensor(
            [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]]
        ),
        atol=1e-4,
        rtol=0,
    )
    torch.testing.assert_close(
        a @ v[0, 0],
        torch.tensor([[1.2033, 1.0], [1.0, 1.2033], [1.2552, 1.2552]]),
        atol=1e-4,
        rtol=0,
    )
    place_T = torch.arange(3)
    may = mask.allowed(place_T, place_T, causal=True)
    a = mask.soften(mask.forbid(score.clone(), may))[0, 0]
    torch.testing.assert_close(
        a,
        torch.tensor([[1, 0, 0], [0.3302, 0.6698, 0], [0.2483, 0.2483, 0.5035]]),
        atol=1e-4,
        rtol=0,
    )


def test_the_worked_example_of_the_notes_put_right() -> None:
    """T9: X = [[1..4],[5..8]], W = [[.1,.2],[.3,.4],[.5,.6],[.7,.8]]: the second row is (11.4, 14),
    and the weights are saturated."""
    x, w = torch.arange(1.0, 9).view(2, 4).double(), (torch.arange(1.0, 9).view(4, 2) / 10).double()
    q = x @ w
    torch.testing.assert_close(q, torch.tensor([[5, 6], [11.4, 14]]).double(), atol=1e-5, rtol=0)
    score = q @ q.T / math.sqrt(2)
    torch.testing.assert_close(
        score,
        torch.tensor([[43.133514, 99.702056], [99.702056, 230.488526]]).double(),
        atol=1e-5,
        rtol=1e-7,
    )
    a = mask.soften(score)
    assert a[0, 0] == pytest.approx(2.71e-25, rel=1e-2)
    assert a[1, 0] == pytest.approx(1.59e-57, rel=1e-2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_row_that_may_look_at_nothing_is_no_accident(dtype: torch.dtype) -> None:
    """T15: -1e9 does not fit into float16 and turns such a row into equal weights; minus infinity
    and zeros are right everywhere."""
    score = torch.tensor([[[[1.0, 2, 3], [1, 2, 3]]]], dtype=dtype)
    may = torch.tensor([[[[False, False, False], [True, True, False]]]])
    a = mask.soften(mask.forbid(score.clone(), may), may=may)[0, 0].float()
    assert a[0].tolist() == [0, 0, 0]
    torch.testing.assert_close(a[1], torch.tensor([0.2689, 0.7311, 0]), atol=4e-3, rtol=0)
    if dtype is torch.float16:
        with pytest.raises(RuntimeError):
            score.masked_fill(~may, -1e9)


def test_masks() -> None:
    place_T = torch.arange(4)
    assert mask.allowed(place_T, place_T, causal=False) is None
    real = torch.tensor([[True, True, False, False], [True] * 4])
    both = mask.allowed(place_T, place_T, causal=True, real_BS=real)
    assert both is not None and both.shape == (2, 1, 4, 4)
    assert both[0, 0].int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    near = mask.allowed(place_T, place_T, causal=True, window=2)
    assert near is not None
    assert near.int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]


def test_sizes_of_the_notes() -> None:
    """T18, T21: multi-head attention of 512 in 8 heads; one encoder and one decoder layer with
    2,048 inner units."""

    def count(part: nn.Module) -> int:
        return sum(p.numel() for p in part.parameters())

    assert count(Attention(512, 8)) == 1_050_624
    assert count(Attention(512, 8, bias=False)) == 1_048_576
    encoder = Design(512, 8, 1, inner=2048, first=False, activation="relu", causal=False)
    assert count(FeedForward(512, 2048, "relu")) == 2_099_712
    assert count(Block(encoder)) == 3_152_384
    assert count(Block(replace(encoder, cross=True))) == 4_204_032


def test_the_feed_forward_example_of_the_notes() -> None:
    """T31: x = (1, -2); before the bend 1, -2.5, 0, 2; after it 1, 0, 0, 2; out 5.1, -2.1."""
    part = FeedForward(2, 4, "relu")
    with torch.no_grad():
        part.up.weight.copy_(torch.tensor([[1.0, -1, 2, 0], [0, 1, 1, -1]]).T)
        part.up.bias.copy_(torch.tensor([0, 0.5, 0, 0]))
        part.down.weight.copy_(torch.tensor([[1.0, 0], [0, 1], [1, 1], [2, -1]]).T)
        part.down.bias.copy_(torch.tensor([0.1, -0.1]))
        torch.testing.assert_close(
            part(torch.tensor([[[1.0, -2]]]))[0, 0], torch.tensor([5.1, -2.1])
        )


@pytest.mark.parametrize("groups", [1, 2])
def test_heads_that_share_keys(groups: int) -> None:
    """Grouped heads are full heads whose key and value products are copies of each other."""
    torch.manual_seed(5)
    few, full = Attention(16, 4, groups=groups).eval(), Attention(16, 4).eval()
    with torch.no_grad():
        for part in ("weight", "bias"):
            q, k, v = few.qkv.get_parameter(part).split((16, 4 * groups, 4 * groups))
            k, v = (
                x.unflatten(0, (groups, 4)).repeat_interleave(4 // groups, 0).flatten(0, 1)
                for x in (k, v)
            )
            full.qkv.get_parameter(part).copy_(torch.cat((q, k, v)))
            full.out.get_parameter(part).copy_(few.out.get_parameter(part))
        x_BTD = torch.randn(2, 6, 16)
        torch.testing.assert_close(few(x_BTD, look_back(6)), full(x_BTD, look_back(6)))


@pytest.mark.parametrize("causal", [True, False])
def test_linear_attention_two_ways(causal: bool) -> None:
    """The running sums give what the written-out weights give; 150 tokens are three blocks."""
    torch.manual_seed(6)
    q, k, v = torch.randn(3, 2, 4, 150, 8).double()
    place_T = torch.arange(150)
    like = linear.likeness(q, k, mask.allowed(place_T, place_T, causal=causal))
    torch.testing.assert_close(linear.read(q, k, v, causal), like / like.sum(-1, keepdim=True) @ v)


KINDS = ("plain", "window", "groups", "linear")
BIASED = ("shaw", "t5", "alibi")  # linear attention has no scores to add a bias to


@sampled(
    ("position", "kind"),
    [(p, k) for p in positions.ids() for k in KINDS if k != "linear" or p not in BIASED],
)
def test_watched_unwatched_and_continued_agree(position: str, kind: str) -> None:
    """The fused kernel, the open sums and a run that goes on from cached keys and values, for every
    kind of position."""
    torch.manual_seed(7)
    more = {"window": {"window": 3}, "groups": {"groups": 2}, "linear": {"kernel": "linear"}}.get(
        kind, {}
    )
    tower = Tower(Design(16, 4, 2, context=12, position=position, **more)).eval()  # type: ignore[arg-type]
    for p in tower.parameters():
        nn.init.normal_(p, std=0.4)
    x_BTD = torch.randn(1, 9, 16)
    with torch.inference_mode():
        recorder = Recorder()
        watched = tower(tower.placed(x_BTD), recorder)
        torch.testing.assert_close(tower(tower.placed(x_BTD)), watched, atol=1e-5, rtol=1e-4)
        state = {
            name: torch.stack([recorder._seen[name][(i,)] for i in range(2)])[:, :, :6]
            for name in ("key", "value")
        }
        late = tower(tower.placed(x_BTD[:, 6:], first=6), Recorder(), state)
        torch.testing.assert_close(late, watched[:, 6:], atol=1e-5, rtol=1e-4)


def test_every_head_s_share_adds_up(trained: Trained) -> None:
    """What the heads add, with the bias, is what attention adds; what the parts add is what the
    stream gains."""
    model = trained("transformer")
    trace = model.trace(SENTENCE)
    got = {
        name: trace.field(name).values
        for name in (
            "head.output",
            "attention.output",
            "feed_forward.output",
            "residual.before",
            "residual.middle",
            "residual",
        )
    }
    for i, block in enumerate(model.net.tower.blocks):
        bias = block.attention.out.bias.detach().numpy()
        np.testing.assert_allclose(
            got["head.output"][i].sum(0) + bias, got["attention.output"][i], atol=2e-5
        )
    np.testing.assert_allclose(
        got["residual.before"] + got["attention.output"], got["residual.middle"], atol=2e-5
    )
    np.testing.assert_allclose(
        got["residual.middle"] + got["feed_forward.output"], got["residual"], atol=2e-5
    )
    np.testing.assert_array_equal(got["residual.before"][1:], got["residual"][:-1])
    before = got["residual.before"]
    np.testing.assert_allclose(
        trace.field("attention.norm.mean").values, before.mean(-1), atol=1e-5
    )
    np.testing.assert_allclose(
        trace.field("attention.norm.deviation").values, before.std(-1), atol=1e-5
    )


SETTINGS: dict[str, dict[str, Any]] = {
    "2017": {"norm_first": False, "activation": "relu", "position": "sinusoidal"},
    "like Llama": {
        "norm": "rms",
        "activation": "swiglu",
        "position": "rope",
        "groups": 2,
        "bias": False,
        "tied": False,
        "inner": 24,
    },
    "like T5": {"norm": "rms", "activation": "geglu", "position": "t5", "bias": False},
    "near": {"position": "alibi", "sliding_window": 3},
    "linear": {"kernel": "linear", "position": "none"},
    "shaw": {"position": "shaw", "head_width": 6, "groups": 1},
}


@sampled("name", SETTINGS, each=3)
def test_every_kind_of_decoder_learns_and_is_opened_again(name: str) -> None:
    model = models.get("transformer")
    config = model.config_type(
        width=16,
        heads=4,
        layers=1,
        context=64,
        span=12,
        tokenizer="chars",
        steps=60,
        batch=8,
        rate=5e-3,
        **SETTINGS[name],
    )
    made = train(model, "the cat sat on the mat\n" * 30, config)
    trace = made.trace("the cat sat on the ")
    assert not [p for f in trace.values() for p in f.problems()]  # type: ignore[union-attr]
    again = model.from_weights(config, made.weights()).trace(
        "the cat sat on the ", fields=("probability",)
    )
    np.testing.assert_allclose(
        again.field("probability").values, trace.field("probability").values, atol=2e-6
    )
    if name != "near":
        nats = -np.log(trace.field("probability").values[np.arange(19), trace.ids[1:].tolist()])
        assert nats.mean() < 2.4, "60 steps are enough to leave chance (ln 11 = 2.4) behind"


def test_settings_that_do_not_fit_are_named() -> None:
    config = models.get("transformer").config_type
    for wrong, said in (
        ({"position": "compass"}, "no position 'compass'"),
        ({"groups": 3}, "3 groups"),
        ({"kernel": "linear", "position": "t5"}, "no scores"),
        ({"norm": "batch"}, "no norm"),
        ({"position": "rope", "head_width": 5}, "even"),
    ):
        with pytest.raises(ValueError, match=said):
            config(**wrong)
