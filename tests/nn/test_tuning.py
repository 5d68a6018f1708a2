"""Which weights of a trained net learn: counted, compared with the peft library, and none other moves."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn

from engine.core.registry import models, tunings
from engine.models.base import Progress
from engine.models.transformer import Config, Transformer
from engine.nn.attention import Attention
from engine.nn.feed_forward import FeedForward
from engine.nn.meta_init import unfilled
from engine.nn.plan import Training
from engine.nn.tuning import adapters, base, lora
from engine.nn.tuning.depth import Depths
from tests.conftest import TEXT, small

SIZES: dict[str, Any] = {"width": 16, "heads": 2, "layers": 3, "context": 32, "span": 12}
SIZES |= {"batch": 4, "steps": 8, "held_out_every": 4, "tokenizer": "chars", "warmup": 0}
KINDS = tunings.ids()


@pytest.fixture(scope="module")
def begun() -> Transformer:
    found = list(Transformer.fit(TEXT, Config(**SIZES), seed=1))[-1].model
    assert isinstance(found, Transformer)
    return found


def on(model: Any, seed: int = 2, **chosen: Any) -> list[Progress]:
    """A training that goes on from it."""
    config = replace(model.config, **chosen)
    start = {**model.opened(), "step": np.zeros(1, np.int64)}
    return list(type(model).fit(TEXT, config, seed=seed, resume=start))


@pytest.mark.parametrize("tune", KINDS)
def test_only_what_learns_is_changed(tune: str, begun: Transformer) -> None:
    before = begun.net.state_dict()
    before = {name: v.clone() for name, v in before.items()}
    made = on(begun, tune=tune, unfrozen=1, rate=0.01)[-1].model
    assert isinstance(made, Transformer)
    config = replace(begun.config, tune=tune, unfrozen=1)
    learning = base.learning(made.net, config)
    for name, values in made.net.state_dict().items():
        moved = name not in before or not values.equal(before[name])
        assert moved == (name in learning), name
    if tune == "layers":  # the output is the embedding here
        parts = {name.split(".blocks.")[-1].split(".")[0] for name in learning}
        assert parts == {"2", "embed", "tower"}
    if tune in ("lora", "adapters"):
        assert not set(learning) & set(before)


@pytest.mark.parametrize("tune", KINDS)
def test_what_is_read_back_says_the_same(tune: str, begun: Transformer) -> None:
    made = on(begun, tune=tune, rate=0.02, lora_targets="all", layer_decay=0.7)[-1].model
    assert isinstance(made, Transformer)
    config = replace(begun.config, tune=tune, lora_targets="all")
    back = Transformer.from_weights(config, made.weights())
    said, again, first = (
        m.trace("the cat sat").field("probability").values for m in (made, back, begun)
    )
    assert_allclose(said, again, atol=1e-6)
    assert np.abs(said - first).max() > 1e-4
    if tune == "lora":  # merged: nothing is left of A and B
        assert back.net.state_dict().keys() == begun.net.state_dict().keys()
        assert back.config.tune == "whole"


@pytest.mark.parametrize("tune", KINDS)
def test_it_goes_on_from_a_checkpoint_that_holds_no_frozen_weight(
    tune: str, begun: Transformer
) -> None:
    """The same losses, to the last bit, also where layers thaw on the way."""
    config = replace(begun.config, tune=tune, unfrozen=2, thaw_every=2, layer_decay=0.5, rate=0.01)
    start = {**begun.opened(), "step": np.zeros(1, np.int64)}
    kept, losses = {}, []
    for r in Transformer.fit(TEXT, config, seed=3, resume=start):
        losses.append(r.metrics["loss_nats"])
        if r.step == 3:
            assert r.checkpoint is not None
            kept = dict(r.checkpoint())
    learning = base.learning(r.model.net, config)  # type: ignore[union-attr]
    assert {k.removeprefix("net.") for k in kept if k.startswith("net.")} == set(learning)
    rest = Transformer.fit(TEXT, config, seed=3, resume={**start, **kept})
    assert [r.metrics["loss_nats"] for r in rest] == losses[3:]


def test_layers_thaw_one_by_one_from_the_top(begun: Transformer) -> None:
    config = replace(begun.config, tune="layers", unfrozen=3, thaw_every=2, tied=False, rate=0.01)
    net = Transformer.build(config, len(begun.tokenizer.vocab))
    start = {f"net.{k}": v.detach().numpy().copy() for k, v in net.state_dict().items()}
    start |= {"tokenizer": begun.opened()["tokenizer"], "step": np.zeros(1, np.int64)}
    for r in Transformer.fit(TEXT, config, seed=3, resume=start):
        if r.now is None:
            continue
        there = r.now().net.state_dict()  # type: ignore[attr-defined]
        moved = {
            int(name.split(".")[2])
            for name, values in there.items()
            if ".blocks." in name and not np.array_equal(values.numpy(), start[f"net.{name}"])
        }
        assert moved == set(range(3 - min(3, (r.step - 1) // 2), 3)), r.step
        assert np.array_equal(there["embed.weight"].numpy(), start["net.embed.weight"])


def test_rates_fall_from_layer_to_layer(begun: Transformer) -> None:
    """The first step of Adam is as long as the rate, for every weight with a gradient."""
    chosen = {"layer_decay": 0.5, "rate": 0.01, "decay": 0.0, "steps": 1, "clip": 1e6, "warmup": 0}
    made = on(begun, schedule="constant", optimiser="adam", **chosen)[-1].model
    assert isinstance(made, Transformer)
    depths = Depths(made.net)
    before = begun.net.state_dict()
    for name, values in made.net.state_dict().items():
        step = (values - before[name]).abs().max()
        assert_allclose(step, 0.01 * 0.5 ** (depths.top - depths[name]), rtol=1e-2, err_msg=name)
    assert depths["tower.blocks.2.norm_1.weight"] == 3 == depths.top - 1
    assert depths["embed.weight"] == 4 and depths["tower.position.table.weight"] == 0


def test_unfreezing_no_layer_unfreezes_none() -> None:
    """T51: 2 labels on BERT-base; the notes' layers[-0:] are all layers."""
    from transformers import BertConfig, BertModel

    class Labelled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = BertModel(BertConfig(), add_pooling_layer=False)
            self.classifier = nn.Linear(768, 2)

    with unfilled():
        net = Labelled()

    def learned(n: int) -> int:
        plan = Training(tune="layers", unfrozen=n)
        return sum(p.numel() for p in base.learning(net, plan).values())

    assert [learned(n) for n in (0, 1, 2)] == [1_538, 7_089_410, 14_177_282]
    assert learned(12) == 85_056_002  # what the notes get for 0


def bert_base(**chosen: Any) -> nn.Module:
    with unfilled():
        config = Config(width=768, heads=12, layers=12, context=512, span=128, **chosen)
        net = Transformer.build(config, 30_522)
        base.install(net, config)
    return net


def test_adapters_are_counted() -> None:
    """T52."""
    assert sum(p.numel() for p in adapters.Bottleneck(768, 64).parameters()) == 99_136
    config = Training(tune="adapters", adapter_width=64)
    net = bert_base(tune="adapters", adapter_width=64)
    assert sum(p.numel() for p in base.learning(net, config).values()) == 1_189_632


def test_lora_is_counted() -> None:
    """T53."""
    assert sum(p.numel() for p in lora.LowRank(768, 0, 768, 4, 1.0).parameters()) == 6_144
    net = bert_base(tune="lora", lora_rank=4)
    config = Training(tune="lora", lora_rank=4)
    assert sum(p.numel() for p in base.learning(net, config).values()) == 147_456


def test_lora_begins_as_nothing_and_moves_b_first() -> None:
    """T53: the output is that of before; A has no gradient in the first step, B has one."""
    torch.manual_seed(0)
    one = lora.LowRank(6, 0, 5, 2, 4.0)
    given = torch.randn(3, 6)
    assert one(given).abs().max() == 0
    (one(given) - torch.ones(3, 5)).square().sum().backward()
    down, up = one.down.weight.grad, one.up.weight.grad
    assert down is not None and up is not None
    assert down.abs().max() == 0 and up.abs().min() > 0


def test_every_adapter_is_at_work(begun: Transformer) -> None:
    """ERR24: in the notes all layers end in the last one's."""
    config = replace(begun.config, tune="adapters")
    net = Transformer.build(config, 12)
    base.install(net, config)
    used: list[int] = []
    for i, part in enumerate(m for m in net.modules() if isinstance(m, adapters.Bottleneck)):
        part.register_forward_hook(lambda _m, _given, _out, i=i: used.append(i))
    net(torch.zeros(1, 3, dtype=torch.long))
    assert used == [0, 1, 2]


def test_as_peft_trains_it(begun: Transformer) -> None:
    """The same layers and seed: the same A and B after eight steps of the same optimiser."""
    import peft

    config = replace(begun.config, tune="lora", lora_targets="out up down", lora_rank=3)
    ours, theirs = (Transformer.build(config, 12) for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    torch.manual_seed(5)
    base.install(ours, config)
    torch.manual_seed(5)
    wrapped = peft.LoraConfig(
        r=3, lora_alpha=config.lora_alpha, target_modules=["out", "up", "down"], lora_dropout=0.0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peft.inject_adapter_in_model(wrapped, theirs)
    learning = base.learning(ours, config)
    for name, p in ours.named_parameters():
        p.requires_grad_(name in learning)
    trained(ours), trained(theirs)
    found = dict(theirs.named_parameters())
    assert len(learning) == 2 * 9
    for name, p in learning.items():
        module, _, matrix = name.rpartition(".lora_")
        called = "lora_A" if "down.weight" in matrix else "lora_B"
        assert_allclose(p.detach(), found[f"{module}.{called}.default.weight"].detach(), atol=1e-5)
        assert p.abs().max() > 0
    ids = torch.arange(10)[None] % 12
    assert_allclose(ours(ids).detach(), theirs(ids).detach(), atol=1e-5)
    lora.merge(ours)
    assert_allclose(ours(ids).detach(), theirs(ids).detach(), atol=1e-5)


def trained(net: nn.Module) -> None:
    learning = [p for p in net.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(learning, 0.02)
    for step in range(8):
        torch.manual_seed(step)
        ids = torch.randint(12, (4, 11))
        logits = net(ids[:, :-1])
        nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()
        optimiser.step()
        optimiser.zero_grad()


def test_parts_are_the_rows_of_query_key_and_value() -> None:
    torch.manual_seed(0)
    attention = Attention(8, 4, groups=2)
    found = {p.name: p for p in lora.parts(attention)}
    assert {n: (p.start, p.rows) for n, p in found.items()} == {
        "query": (0, 8),
        "key": (8, 4),
        "value": (12, 4),
        "out": (0, 8),
    }
    gated = [p.name for p in lora.parts(FeedForward(8, 16, "swiglu"))]
    assert gated == ["up", "gate", "down"]


def test_what_does_not_fit_is_said(begun: Transformer) -> None:
    with pytest.raises(
        ValueError, match=r"a rank of 17 is larger than the matrix .* take at most 16"
    ):
        on(begun, tune="lora", lora_rank=17)
    with pytest.raises(ValueError, match="LoRA has no target 'foo'; there are all, query"):
        on(begun, tune="lora", lora_targets="query foo")
    with pytest.raises(ValueError, match="no tune 'half'; there are adapters, layers, lora, whole"):
        replace(begun.config, tune="half")
    for tune in set(KINDS) - {"whole"}:
        with pytest.raises(ValueError, match="go on from a run"):
            list(Transformer.fit(TEXT, replace(begun.config, tune=tune), seed=1))
    for tune, said in (("lora", "no such matrices"), ("adapters", "no feed-forward layers")):
        with pytest.raises(ValueError, match=said):
            list(models.get("lstm").fit(TEXT, small(models.get("lstm"), tune=tune), seed=1))


def test_an_lstm_goes_on_too() -> None:
    kind = models.get("lstm")
    sizes = {"units": 6, "width": 6, "layers": 2, "span": 8, "batch": 4, "steps": 4}
    model: Any = list(kind.fit(TEXT, small(kind, **sizes), seed=1))[-1].model
    made: Any = on(model, tune="layers", unfrozen=1, rate=0.01)[-1].model
    moved = {
        name
        for name, v in made.net.state_dict().items()
        if not v.equal(model.net.state_dict()[name])
    }
    assert {name.split(".")[0] for name in moved} == {"layers", "head"}
    assert not any(name.startswith("layers.0.") for name in moved)
