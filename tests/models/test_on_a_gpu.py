"""Every shipped run says the same on a GPU as on the processor, to 1e-4, in every field that it
promises; and products have all their digits there, but in a training with half of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.core import runtime
from engine.core.trace import Field
from engine.models.abilities import HasNet
from engine.models.neural import copy_apart
from engine.nn import loop
from engine.runs.store import SHIPPED, RunStore

TEXTS = ("the old captain looked at the grey sea", "the old captain looked at the grey sea and")
HERE = torch.cuda.is_available()
RUNS = [run.id for run in RunStore(SHIPPED).all()] if HERE else ["each"]


@pytest.mark.skipif(not HERE, reason="no GPU here: torch sees no CUDA device")
@pytest.mark.parametrize("id", RUNS)
def test_every_field_of_a_shipped_run_is_the_same_on_a_gpu(id: str) -> None:
    store = RunStore(SHIPPED)
    model = store.load(store.find(id))
    if not isinstance(model, HasNet):
        assert model.to("cuda") is model, "it has no net, and stays where it is"
        return
    there = copy_apart(model, "cuda")
    here_last, there_last = None, None
    for text in TEXTS:
        here_last = model.trace(text, after=here_last)
        there_last = there.trace(text, after=there_last)
        assert there_last.device == "cuda:0" and here_last.device == "cpu"
        for name, entry in here_last.items():
            if isinstance(entry, Field):
                want, found = entry.values, there_last.field(name).values
                np.testing.assert_allclose(found, want, atol=1e-4, rtol=1e-4, err_msg=name)


def test_products_are_exact_but_in_a_training_with_half_the_digits() -> None:
    """What torch is told; cuDNN would round what recurrent nets multiply by itself."""

    def rounded() -> tuple[bool, bool]:
        return torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32

    assert rounded() == (False, False)
    for mixed in (False, True):
        with loop.training(torch.nn.Linear(1, 1), mixed):
            assert rounded() == (mixed, mixed)
        assert rounded() == (False, False)
    with pytest.raises(RuntimeError), runtime.training(rounded=True):
        raise RuntimeError
    assert rounded() == (False, False)
