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
from torch.nn import functional as F

from engine.core.registry import models, positions
from engine.core.tap import Edit, Recorder
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


def test_attention_is_torch_s() -> None:
    torch.manual_seed(2)
    part = Attention(16, 4).eval()
    x_BTD = torch.randn(1, 13, 16)
    with torch.inference_mode():
        q, k, v = part.qkv(x_BTD).view(1, 13, 3, 4, 4).permute(2, 0, 3, 1, 4)
        theirs = part.out(
            F.scaled_dot_product_attention(q, k, v, is_causal=True)
            .transpose(1, 2)
            .reshape(1, 13, 16)
        )
        sight = look_back(13)
        torch.testing.assert_close(part(x_BTD, sight), theirs)
        torch.testing.assert_close(part(x_BTD, sight, Recorder()), theirs, atol=2e-6, rtol=1e-5)


def test_transformer_attention_from_its_own_queries_and_keys(trained: Trained) -> None:
    """softmax(q k^T / sqrt K) over the visible keys, in float64, from the fields that the page
    shows."""
    trace = trained("transformer").trace(SENTENCE)
    q, k = (trace.field(n).values.astype(np.float64) for n in ("query", "key"))
    score = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    score[..., ~np.tri(len(trace.tokens), dtype=bool)] = -np.inf
    share = np.exp(score - score.max(-1, keepdims=True))
    share /= share.sum(-1, keepdims=True)
    np.testing.assert_allclose(trace.field("attention").values, share, atol=2e-6)


def test_transformer_watched_equals_unwatched(trained: Trained) -> None:
    """The fused kernel of training and the open sums of a trace give the same probabilities."""
    model = trained("transformer")
    tokens = model.tokens(SENTENCE)
    with torch.inference_mode():
        logit_TV = model.net(torch.from_numpy(tokens.ids)[None])[0]
    np.testing.assert_allclose(
        model.trace(SENTENCE).field("probability").values, logit_TV.softmax(-1).numpy(), atol=2e-6
    )


def test_a_closed_head_says_nothing(trained: Trained) -> None:
    """Setting a head's values to 0 equals taking its columns out of the output product."""
    model = trained("transformer")
    last = model.config.layers - 1
    edited = model.trace(SENTENCE, (Edit("value", {"layer": last, "head": 0}, 0.0),))
    weights = {k: v.copy() for k, v in model.weights().items()}
    width = model.config.width // model.config.heads
    weights[f"tower.blocks.{last}.attention.out.weight"][:, :width] = 0.0
    without = type(model).from_weights(model.config, weights).trace(SENTENCE)
    np.testing.assert_allclose(
        edited.field("probability").values, without.field("probability").values, atol=2e-6
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
    assert a[0, 0] == pytest.approx(2.71e-25, rel=1e-2) and a[1, 0] == pytest.approx(
        1.59e-57, rel=1e-2
    )


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
    assert near is not None and near.int().tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 1, 0],
        [0, 0, 1, 1],
    ]


def test_sizes_of_the_notes() -> None:
    """T18, T21: multi-head attention of 512 in 8 heads; one encoder and one decoder layer with
    2,048 inner units."""

    def count(part: nn.Module) -> int:
        return sum(p.numel() for p in part.parameters())

    assert (
        count(Attention(512, 8)) == 1_050_624 and count(Attention(512, 8, bias=False)) == 1_048_576
    )
    encoder = Design(512, 8, 1, inner=2048, first=False, activation="relu", causal=False)
    assert count(FeedForward(512, 2048, "relu")) == 2_099_712
    assert (
        count(Block(encoder)) == 3_152_384
        and count(Block(replace(encoder, cross=True))) == 4_204_032
    )


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


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_an_encoder_block_is_torch_s(first: bool, activation: str) -> None:
    torch.manual_seed(3)
    theirs = nn.TransformerEncoderLayer(
        16, 4, 32, 0.0, activation, batch_first=True, norm_first=first
    ).eval()
    ours = Block(
        Design(16, 4, 1, inner=32, first=first, activation=activation, causal=False)
    ).eval()
    state = theirs.state_dict()
    with torch.no_grad():
        for mine, name in (
            ("attention.qkv", "self_attn.in_proj_"),
            ("attention.out", "self_attn.out_proj."),
            ("norm_1", "norm1."),
            ("norm_2", "norm2."),
            ("feed_forward.up", "linear1."),
            ("feed_forward.down", "linear2."),
        ):
            for part in ("weight", "bias"):
                ours.get_parameter(f"{mine}.{part}").copy_(state[name + part])
        x_BTD, real_BT = torch.randn(2, 7, 16), torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
        place_T = torch.arange(7)
        sight = Sight(
            place_T,
            place_T,
            mask.allowed(place_T, place_T, causal=False, real_BS=real_BT),
            plain=False,
        )
        for found in (ours(x_BTD, sight), ours(x_BTD, sight, Recorder())):
            torch.testing.assert_close(
                found[real_BT],
                theirs(x_BTD, src_key_padding_mask=~real_BT)[real_BT],
                atol=2e-6,
                rtol=1e-5,
            )


def test_a_decoder_block_with_cross_attention_is_torch_s() -> None:
    torch.manual_seed(4)
    theirs = nn.TransformerDecoderLayer(16, 4, 32, 0.0, "relu", batch_first=True).eval()
    ours = Block(Design(16, 4, 1, inner=32, first=False, activation="relu", cross=True)).eval()
    state = theirs.state_dict()
    names = (
        ("attention.qkv", "self_attn.in_proj_"),
        ("attention.out", "self_attn.out_proj."),
        ("cross.out", "multihead_attn.out_proj."),
        ("norm_1", "norm1."),
        ("norm_cross", "norm2."),
        ("norm_2", "norm3."),
        ("feed_forward.up", "linear1."),
        ("feed_forward.down", "linear2."),
    )
    with torch.no_grad():
        for part in ("weight", "bias"):
            for mine, name in names:
                ours.get_parameter(f"{mine}.{part}").copy_(state[name + part])
            whole = state[f"multihead_attn.in_proj_{part}"]
            ours.get_parameter(f"cross.ask.{part}").copy_(whole[:16])
            ours.get_parameter(f"cross.offer.{part}").copy_(whole[16:])
        x_BTD, source_BSD = torch.randn(2, 5, 16), torch.randn(2, 8, 16)
        across = Sight(torch.arange(5), torch.arange(8))
        want = theirs(x_BTD, source_BSD, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5))
        torch.testing.assert_close(
            ours(x_BTD, look_back(5), Recorder(), None, source_BSD, across),
            want,
            atol=2e-6,
            rtol=1e-5,
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


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here: torch sees no CUDA device")
@sampled("position", positions.ids())
def test_the_gpu_gives_the_same_tower(position: str) -> None:
    torch.manual_seed(8)
    tower = Tower(Design(16, 4, 2, context=12, position=position, groups=2)).eval()
    x_BTD = torch.randn(2, 9, 16)
    with torch.inference_mode():
        here = [tower(tower.placed(x_BTD)), tower(tower.placed(x_BTD), Recorder())]
        tower, x_BTD = tower.cuda(), x_BTD.cuda()
        for mine, other in zip(
            here, (tower(tower.placed(x_BTD)), tower(tower.placed(x_BTD), Recorder())), strict=True
        ):
            torch.testing.assert_close(other.cpu(), mine, atol=1e-4, rtol=1e-4)
