"""Our trainings against the same recipes in plain torch: layers, loop, optimiser and judgement are
written twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.__main__ import main
from engine.core.registry import corpora, models
from engine.nn.optimisers.muon import Muon
from engine.nn.stack import to_torch
from engine.runs.store import read_config
from engine.shipped import recipes
from engine.shipped.baselines import check as checking
from engine.shipped.baselines.nets import Dilated, Recurrent, Windowed, net_of
from tests.conftest import sampled

TEXT = (
    "\n".join(
        f"The {a} {b} saw the {c} of the {a}, and it was {b}."
        for a in ("cat", "dog", "queen")
        for b in ("old", "red", "sad")
        for c in ("end", "sea", "day")
    )
    + "\n"
)
TEXT *= 8
SMALL: dict[str, Any] = {"vocabulary": 60, "steps": 30, "batch": 4, "span": 16, "rate": 3e-3}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": ("lstm", {"units": 12, "layers": 2, "width": 8}),
    "gru": ("gru_after", {"units": 12, "layers": 2, "width": 8}),
    "rnn": ("rnn", {"units": 12, "layers": 1, "width": 8, "optimiser": "muon"}),
    **{
        kind: (
            "transformer",
            {
                "width": 16,
                "heads": 2,
                "layers": 2,
                "context": 16,
                "position": kind,
                "tokenizer": "chars",
            },
        )
        for kind in ("learned", "none", "rope")
    },
    "window": ("feedforward", {"window": 3, "units": 12, "width": 8, "optimiser": "muon"}),
    "direct": ("feedforward", {"window": 3, "units": 12, "width": 8, "direct": True}),
    "dilated": ("convolution", {"layers": 3, "kernel": 3, "width": 8}),
}
KINDS["rope"][1].update(schedule="linear", momentum=0.95, inner=24)  # as the shipped Transformers


def started_alike(model: str, config: Any, net: nn.Module, theirs: nn.Module) -> nn.Module:
    """Plain torch's net with our first weights."""
    with torch.no_grad():
        if isinstance(theirs, Recurrent):
            theirs.layers = to_torch(net)  # type: ignore[assignment, arg-type]
            for name in ("embed.weight", "head.weight", "head.bias"):
                theirs.get_parameter(name).copy_(net.get_parameter(name))
            return theirs
        if isinstance(theirs, Windowed):
            theirs.load_state_dict(net.state_dict())
            return theirs
        if isinstance(theirs, Dilated):
            apart = re.compile(r"layers\.(\d+)\.(filters|mix|norm)\.")
            plural = {"filters": "filters", "mix": "mixes", "norm": "norms"}
            theirs.load_state_dict(
                {
                    apart.sub(lambda m: f"{plural[m[2]]}.{m[1]}.", name): p
                    for name, p in net.state_dict().items()
                }
            )
            return theirs
        names = {
            "attention.qkv.": "self_attn.in_proj_",
            "attention.out.": "self_attn.out_proj.",
            "feed_forward.up.": "linear1.",
            "feed_forward.down.": "linear2.",
        }
        names |= {
            "norm_1.": "norm1.",
            "norm_2.": "norm2.",
            "tower.blocks.": "tower.layers.",
            "tower.position.table.": "place.",
        }
        for name, p in net.named_parameters():
            for ours, peer in names.items():
                name = name.replace(ours, peer)
            theirs.get_parameter(name).copy_(p)
    return theirs


@pytest.mark.parametrize(
    "kind",
    [
        kind
        if kind in ("lstm", "rnn", "rope", "window", "direct", "dilated")
        else pytest.param(kind, marks=pytest.mark.slow)
        for kind in KINDS
    ],
)
def test_from_the_same_weights_the_same_losses(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, more = KINDS[kind]
    cls = models.get(model)
    config = cls.config_type(**SMALL, **more)
    kept: dict[str, nn.Module] = {}
    build = cls.prepare.__func__  # type: ignore[attr-defined]

    def prepare(cls: Any, net: nn.Module, count_V: np.ndarray) -> None:
        build(cls, net, count_V)
        kept["theirs"] = started_alike(model, config, net, net_of(model, config, count_V))

    monkeypatch.setattr(cls, "prepare", classmethod(prepare))
    if config.optimiser == "muon":  # torch's works in half the digits
        monkeypatch.setattr(Muon, "_matrix", self_in_half)
    ours = list(checking._ours(model, config, TEXT, 0, 10))
    theirs = list(checking.plain(model, config, TEXT, 0, 10, kept["theirs"]))
    assert [step for step, _ in ours] == [10, 20, 30] == [step for step, _ in theirs]
    np.testing.assert_allclose([x for _, x in ours], [x for _, x in theirs], rtol=2e-4)
    assert ours[-1][1] < ours[0][1], "it learned"


def self_in_half(muon: Muon, p: torch.Tensor, state: Any) -> torch.Tensor:
    from engine.nn.optimisers.muon import orthogonal

    v = state.setdefault("momentum_buffer", torch.zeros_like(p))
    v.mul_(muon.plan.momentum).add_(p.grad)
    return orthogonal(p.grad + muon.plan.momentum * v, half=True) * (0.2 * max(p.shape) ** 0.5)


def test_what_plain_torch_lacks_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    transformer = models.get("transformer").config_type
    for model, config in (
        ("mgu", models.get("mgu").config_type()),
        ("transformer", transformer(norm="rms")),
        ("transformer", transformer(position="alibi")),
        ("feedforward", models.get("feedforward").config_type(dropout=0.1)),
    ):
        with pytest.raises(ValueError, match="torch"):
            net_of(model, config, np.ones(20))
    with pytest.raises(ValueError, match="not set up for the schedule noam"):
        next(checking.plain("lstm", models.get("lstm").config_type(schedule="noam"), TEXT, 0, 10))
    with pytest.raises(ValueError, match="not set up to round weights"):
        next(checking.plain("lstm", models.get("lstm").config_type(bits=4), TEXT, 0, 10))
    assert main(["check", "nobody", "--text", "phrases"]) == 2
    assert "no run 'nobody'" in capsys.readouterr().err


def test_a_check_runs_where_it_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text(TEXT)
    command = ["check", "lstm", "--text", str(tmp_path / "text.txt"), "--device"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main([*command, "cuda"]) == 2
    assert "torch sees no usable GPU here" in capsys.readouterr().err
    asked: list[str] = []

    def noted(*_: Any, device: str, **__: Any) -> list[checking.Point]:
        asked.append(device)
        return [checking.Point(500, 1.0, 2.0)]

    monkeypatch.setattr(checking, "check", noted)
    assert main([*command, "auto"]) == main([*command, "cpu"]) == 0
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert main([*command, "auto"]) == main([*command, "cuda"]) == 0
    assert asked == ["cpu", "cpu", "cuda", "cuda"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
@sampled("kind", list(KINDS), each=3)
def test_a_check_on_a_gpu_finds_what_one_here_finds(kind: str) -> None:
    model, more = KINDS[kind]
    config = models.get(model).config_type(**{**SMALL, **more})
    here, there = (
        list(checking.check(model, config, TEXT, seed=0, steps=20, every=10, device=device))
        for device in ("cpu", "cuda")
    )
    for one, other in zip(here, there, strict=True):
        assert other.ours == pytest.approx(one.ours, rel=1e-3)
        assert other.plain == pytest.approx(one.plain, rel=1e-3)


def test_the_biases_of_attention_begin_at_zero_but_in_runs_from_before() -> None:
    kind = models.get("transformer")
    for config, zero in ((kind.config_type(), True), (read_config(kind, {}), False)):
        net = kind.build(config, 20)
        for name, p in net.named_parameters():
            if name.endswith(("qkv.bias", "attention.out.bias")):
                assert (p == 0).all() == zero and p.abs().max() <= config.width**-0.5, name
    with pytest.raises(ValueError, match="no bias_start 'ones'; there are zero, uniform"):
        kind.config_type(bias_start="ones")


def test_of_a_run_that_goes_on_the_first_one_is_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    recipe = {**SMALL, **KINDS["lstm"][1]}
    entry = recipes.Entry(
        "lstm",
        "More",
        {**recipe, "steps": 50, "bits": 4},
        start=recipes.Entry("lstm", "First", recipe),
    )
    monkeypatch.setattr(recipes, "ZOO", {"more": entry})
    (tmp_path / "text.txt").write_text(TEXT)
    assert (
        main(["check", "more", "--text", str(tmp_path / "text.txt"), "--every", "15", "--json"])
        == 0
    )
    assert [point["step"] for point in json.loads(capsys.readouterr().out)["points"]] == [15, 30]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lstm"])
def test_from_other_weights_within_one_percent(kind: str) -> None:
    model, more = KINDS[kind]
    config = models.get(model).config_type(
        **{**SMALL, "steps": 400, "batch": 16}, **{**more, "width": 32}
    )
    points = list(
        checking.check(model, config, corpora.get("stories").text(), seed=0, steps=400, every=200)
    )
    assert points[-1].ratio == pytest.approx(1, abs=0.01)
