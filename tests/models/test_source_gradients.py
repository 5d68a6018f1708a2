"""The gradient of each target token's loss in each source token: against central differences in
float64, for recurrent translators and for the Transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.core.registry import models
from engine.lessons.translation import source_gradients
from engine.text.tokenizers.words import Words

WORDS = Words("Le chat s'est assis the cat sat on a dog".split())
SMALL: dict[str, dict[str, Any]] = {
    "seq2seq": {"width": 5, "units": 6, "context": 32, "span": 12},
    "encoder_decoder": {"width": 8, "heads": 2, "layers": 2, "context": 32, "span": 12},
}


def model(kind: str, **more: Any) -> Any:
    torch.manual_seed(4)
    of: Any = models.get(kind)
    config = of.config_type(**SMALL[kind] | more)
    made = of(config, WORDS, of.build(config, len(WORDS.vocab)).double())
    for p in made.net.parameters():
        torch.nn.init.normal_(p, 0.0, 0.4)
    return made


def differences(made: Any, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """(T, S, D): each number of each source embedding moved by 1e-5 either way, in a net whose
    reader gets vectors in place of ids."""
    net, step = made.halves, 1e-5
    plain = net.embed.forward
    x_SD = net.embed.weight[torch.tensor(source)].detach()
    read_1T = torch.tensor([[made.start, *target[:-1]]])

    def nats(vectors_SD: torch.Tensor) -> np.ndarray:
        net.embed.forward = lambda ids: vectors_SD[None]
        try:
            state = net.read(torch.tensor(source)[None])
        finally:
            net.embed.forward = plain
        ln_TV = net.write(read_1T, state)[0].log_softmax(-1)
        found: np.ndarray = -ln_TV[torch.arange(len(target)), torch.tensor(target)].numpy()
        return found

    found = np.empty((len(target), *x_SD.shape))
    with torch.no_grad():
        for s, d in np.ndindex(*x_SD.shape):
            up, down = x_SD.clone(), x_SD.clone()
            up[s, d] += step
            down[s, d] -= step
            found[:, s, d] = (nats(up) - nats(down)) / (2 * step)
    return found


@pytest.mark.parametrize(
    "kind,more",
    [
        ("seq2seq", {"attention": "none"}),
        ("seq2seq", {"attention": "additive", "both_ways": True}),
        ("seq2seq", {"attention": "dot", "looks": "before", "layers": 2}),
        ("encoder_decoder", {}),
        ("encoder_decoder", {"tied": False, "norm_first": False}),
    ],
)
def test_central_differences(kind: str, more: dict[str, Any]) -> None:
    made = model(kind, **more)
    source = made.source("the cat sat").ids
    (_, target), *_ = made.numbered([("the cat sat", "Le chat")])
    wanted_TSD = differences(made, source, target)
    found_TS = source_gradients.each(made, source, target)
    assert found_TS.shape == (len(target), len(source))
    np.testing.assert_allclose(found_TS, np.linalg.norm(wanted_TSD, axis=-1), rtol=1e-6, atol=1e-9)
    sum_S = np.linalg.norm(wanted_TSD.sum(0), axis=-1)
    (share,) = source_gradients.shares(made, [(source, target)])
    assert share == pytest.approx(sum_S[0] / sum_S[-2], rel=1e-6)


def test_pairs_of_several_lengths_are_as_one_by_one() -> None:
    made = model("seq2seq", attention="dot")
    texts = [("the cat sat", "Le chat"), ("the dog", "Le chat s'est assis"), ("a cat on", "Le")]
    pairs = made.numbered(texts)
    alone = [source_gradients.shares(made, [pair])[0] for pair in pairs]
    np.testing.assert_allclose(source_gradients.shares(made, pairs), alone, rtol=1e-9)


def test_the_weights_get_no_gradient() -> None:
    made = model("seq2seq", attention="additive")
    (pair,) = made.numbered([("the cat", "Le chat")])
    source_gradients.each(made, *pair)
    assert all(p.grad is None for p in made.net.parameters())
