"""One table for both ends of a recurrent language model, against torch's own layers by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from engine.core.registry import cells, models
from engine.models import neural
from engine.nn.cells.config import RecurrentConfig
from engine.nn.meta_init import unfilled
from engine.nn.tuning.depth import Depths

WORDS = 50
LSTM = models.get("lstm")


def net(**settings: object) -> nn.Module:
    config = {"units": 8, "width": 8, "layers": 2, **settings}
    made: nn.Module = LSTM.build(LSTM.config_type(**config), WORDS)
    return made.eval()


def test_it_is_an_lstm_of_torch_whose_output_is_its_embedding() -> None:
    torch.manual_seed(0)
    tied, ids = net(tied=True), torch.randint(0, WORDS, (3, 7))
    theirs = nn.LSTM(8, 8, 2, batch_first=True)
    theirs.load_state_dict(
        {
            name.replace("_l0", f"_l{i}"): w
            for i in range(2)
            for name, w in tied.layers[i].fused.state_dict().items()
        }
    )
    e_VD = tied.embed.weight
    nn.init.normal_(tied.head.bias)
    wanted = theirs(F.embedding(ids, e_VD))[0] @ e_VD.T + tied.head.bias
    torch.testing.assert_close(tied(ids), wanted, atol=1e-5, rtol=1e-5)


def test_its_table_is_taught_from_both_ends() -> None:
    """The slope of the one table is the sum of the slopes of two that hold the same numbers."""
    torch.manual_seed(1)
    one, two, ids = net(tied=True), net(), torch.randint(0, WORDS, (3, 7))
    two.load_state_dict({**one.state_dict(), "head.weight": one.embed.weight.detach()})
    for made in (one, two):
        F.cross_entropy(made(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).backward()
    assert two.head.weight.grad.abs().max() > 0 < two.embed.weight.grad.abs().max()
    torch.testing.assert_close(one.embed.weight.grad, two.embed.weight.grad + two.head.weight.grad)


def test_what_it_saves_and_what_it_needs() -> None:  # lstm B43
    def numbers(v: int, **settings: int | bool) -> int:
        with unfilled():
            made = LSTM.build(LSTM.config_type(**settings), v)
        return sum(p.numel() for p in made.parameters())

    same = {"units": 512, "width": 512}
    assert numbers(10_000, **same) - numbers(10_000, **same, tied=True) == 5_120_000
    assert net(tied=True)(torch.zeros(1, 4, dtype=torch.long)).shape == (1, 4, 50)
    with pytest.raises(ValueError, match="width is 8, a layer gives 16"):
        net(tied=True, units=16)
    for id in cells.ids():
        model = models.get(id)
        config = model.config_type(units=8, width=8, tied=True)
        assert isinstance(config, RecurrentConfig)
        assert model.build(config, WORDS).tied == ("embed.weight",)
    assert Depths(net(tied=True))["embed.weight"] == 3 and Depths(net())["embed.weight"] == 0


def test_it_is_kept_opened_and_goes_on() -> None:
    text = "the cat sat on the mat\na dog ran over the hill\n" * 30
    config = LSTM.config_type(units=8, width=8, tied=True, steps=6, batch=4, span=8)
    *_, last = LSTM.fit(text, config, seed=0)
    model = last.model
    weights = model.weights()
    assert "head.weight" not in weights and "head.bias" in weights
    again = LSTM.from_weights(config, weights)
    fields = ("probability",)
    said, wanted = (m.trace("the dog", fields=fields).field(*fields).values for m in (again, model))
    torch.testing.assert_close(torch.from_numpy(said.copy()), torch.from_numpy(wanted.copy()))
    apart = neural.copy_apart(again)
    with torch.no_grad():
        apart.net.embed.weight.zero_()
    rows = apart.net(torch.tensor([[0, 1]]))[0]
    torch.testing.assert_close(rows, apart.net.head.bias.expand_as(rows))  # its own table, not ours
    on = LSTM.config_type(units=8, width=8, tied=True, steps=9, batch=4, span=8)
    *_, later = LSTM.fit(text, on, seed=0, resume=again.opened())
    assert later.model.net.tied and later.step == 9
