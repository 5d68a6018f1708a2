"""Vectors of distances: their buckets by the library, and the scores pair by pair."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from engine.nn.attention import Sight
from engine.nn.block import Design
from engine.nn.distances import bucket
from engine.nn.transformer import Tower

DESIGN = Design(
    width=12, heads=3, layers=1, context=40, causal=False, position="none", distances=4, farthest=20
)


@pytest.mark.parametrize(("reach", "farthest"), [(256, 512), (32, 128), (6, 40), (4, 5)])
def test_buckets_are_those_of_the_library(reach: int, farthest: int) -> None:
    from transformers.models.deberta_v2 import modeling_deberta_v2 as theirs

    far = torch.arange(1 - farthest, farthest)
    wanted = theirs.make_log_bucket_position(far, reach, farthest).long()
    assert (bucket(far, reach, farthest) == wanted).all()
    assert (bucket(far, reach, 0) == far).all()


@pytest.mark.parametrize("farthest", [0, 20])
def test_queries_and_keys_meet_the_vector_of_their_distance(farthest: int) -> None:
    torch.manual_seed(0)
    tower = Tower(replace(DESIGN, farthest=farthest, distances=12 if farthest == 0 else 4)).eval()
    tower.start()
    nn.init.normal_(tower.block(0).attention.qkv.weight)
    part, told = tower.block(0).attention, tower.distances
    assert told is not None
    x_TD = torch.randn(9, 12)
    q_BNTK, k_BNTK, _ = part._parts(x_TD[None], None)
    places = torch.arange(9)
    with torch.no_grad():
        sight = Sight(places, places, distances=told)
        bias = part.bias(q_BNTK, k_BNTK, sight)
        assert bias is not None
        found_NTT = part.scores(q_BNTK, k_BNTK, bias)[0].numpy()
        vectors = told.norm(told.table.weight)
        weight, shift = part.qkv.weight, part.qkv.bias
        assert shift is not None
        for n, i, j in np.ndindex(3, 9, 9):
            r_D = vectors[int(bucket(torch.tensor(i - j), told.reach, farthest)) + told.reach]
            (q, q_r), (k, k_r) = (
                [weight[at : at + 4] @ v + shift[at : at + 4] for v in (x_TD[t], r_D)]
                for t, at in ((i, 4 * n), (j, 12 + 4 * n))
            )
            by_hand = (q @ k + q @ k_r + q_r @ k) / math.sqrt(3 * 4)
            assert found_NTT[n, i, j] == pytest.approx(float(by_hand), abs=1e-4)
