"""How long a text becomes: of a small translator all texts are tried."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from engine.analysis.decode.beam import score
from engine.lessons.translation import stopping as lengths
from tests.conftest import together
from tests.lessons.test_scores_decoder_step import model


def probability(made: Any, text: str) -> np.ndarray:
    found: np.ndarray = made.trace(f"the cat\n{text}").field("probability").values[-1]
    return found.astype(np.float64)


@together("attention", ["none", "dot"])
def test_the_likeliest_of_each_length(attention: str) -> None:
    made = model(attention=attention)
    source, end = made.source("the cat").ids, made.tokenizer.boundary
    p_V = probability(made, "")
    words = [i for i in range(len(p_V)) if i != end]
    rows = {i: behind(made, source, (i,)) for i in words}
    # the likeliest of each length, all of them tried
    best = lengths.best(made, source, len(words), 1)
    assert best[0].ids == () and best[0].total == pytest.approx(math.log(p_V[end]), rel=1e-4)
    likeliest = max(words, key=lambda i: p_V[i] * rows[i][end])
    assert best[1].ids == (likeliest,)
    whole = math.log(p_V[likeliest] * rows[likeliest][end])
    assert best[1].total == pytest.approx(whole, rel=1e-4)
    assert score(best[1].total, 2, 1.0) == pytest.approx(whole / 2, rel=1e-4)


def behind(made: Any, source: np.ndarray, ids: tuple[int, ...]) -> np.ndarray:
    import torch

    with torch.inference_mode():
        read = made.halves.read(torch.from_numpy(source)[None])
        logit_V = made.halves.write(torch.tensor([[made.start, *ids]]), read)[0, -1]
    found: np.ndarray = logit_V.double().softmax(-1).numpy()
    return found


def test_the_end_along_one_text() -> None:
    made = model(attention="additive")
    source, end = made.source("the cat").ids, made.tokenizer.boundary
    found = lengths.ends(made, source, (3, 5))
    by_hand = [behind(made, source, ids)[end] for ids in ((), (3,), (3, 5))]
    np.testing.assert_allclose(found, by_hand, rtol=1e-6)
