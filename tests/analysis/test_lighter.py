"""A lighter model: what is pruned by hand, sizes by counting bytes, drift beside torch's own sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.analysis.measure import surprisal
from engine.lessons.batches import lighter

TEXT = "the cat sat on the mat and the dog sat on the cat"


def test_the_smallest_of_all_tables_are_left_out() -> None:
    given = {
        "a": np.array([[1, -5], [0.5, 3]], np.float32),
        "b": np.array([[-0.2, 4, 2, 9]], np.float32),
        "bias": np.array([0.1], np.float32),
    }
    found = lighter.pruned(given, 0.5)
    assert found["a"].tolist() == [[0, -5], [0, 3]] and found["b"].tolist() == [[0, 4, 0, 9]]
    assert found["bias"] is given["bias"] and lighter.pruned(given, 0.1)["a"] is given["a"]


def test_sizes_and_drift(trained: Any) -> None:
    model = trained("lstm")
    p_TV, next_T = lighter.answers(model, TEXT)
    whole = lighter.lighter(model, "float32")
    assert whole.size >= sum(p.numel() for p in model.net.parameters()) * 4
    same = lighter.drift(p_TV, lighter.answers(whole.model, TEXT)[0], next_T)
    assert same.apart == pytest.approx(0, abs=1e-9) and same.changed == 0
    trace = model.trace(TEXT, fields=("probability",))
    assert same.bits == pytest.approx(float(surprisal(trace)[1:].mean()), rel=1e-4)
    before = whole.size
    for numbers in lighter.NUMBERS[1:]:
        made = lighter.lighter(model, numbers)
        assert made.size < before
        before = made.size
    made = lighter.lighter(model, "int4", 0.5)
    assert made.zeros >= 0.5 and made.sparse < made.size and made.model is not model
    q_TV = lighter.answers(made.model, TEXT)[0]
    p, q = torch.from_numpy(p_TV), torch.from_numpy(q_TV)
    found = lighter.drift(p_TV, q_TV, next_T)
    assert found.apart == pytest.approx(
        F.kl_div(q.log(), p, reduction="batchmean").item() / np.log(2)
    )
    assert found.bits == pytest.approx(
        F.nll_loss(q.log(), torch.from_numpy(next_T)).item() / np.log(2)
    )
    assert found.changed == pytest.approx((p.argmax(-1) != q.argmax(-1)).double().mean().item())
    with pytest.raises(ValueError, match="few more words"):
        lighter.answers(model, "")
