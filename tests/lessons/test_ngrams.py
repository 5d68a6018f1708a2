"""N-grams: the sentence as a product, as a reply has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.core.trace import Trace
from engine.lessons.ngrams import live
from engine.models.ngram import Ngram
from engine.runs.store import SHIPPED, RunStore

TEXT = "The king of the sea"


@pytest.fixture(scope="module")
def model() -> Any:
    return RunStore(SHIPPED).load(RunStore(SHIPPED).find("ngram"))


def test_the_sentence_is_the_product_of_its_factors(model: Ngram) -> None:
    trace = model.trace(TEXT)
    p_TV = trace.field("probability").values.astype(float)
    factors = [p_TV[t, i] for t, i in enumerate(trace.ids[1:])]
    found: Any = {n: values for n, (_axes, values) in live.derive(model, trace, {}).items()}
    assert found["factor"][1:] == pytest.approx(factors, rel=1e-5) and np.isnan(found["factor"][0])
    assert np.exp2(-found["so.far"][1:]) == pytest.approx(np.cumprod(factors), rel=1e-5)
    assert found["whole"] == pytest.approx(-np.log2(factors).sum(), rel=1e-6)
    assert found["perplexity"] == pytest.approx(np.prod(factors) ** (-1 / len(factors)), rel=1e-5)
    assert (found["n"], found["zeros"], found["back"]) == (5, 0, model.config.order - 1)
    made: Any = SimpleNamespace(
        config=model.config, probabilities=lambda ids: np.array([0.25, 0.0, 0.125])
    )
    trace = Trace("a b c", ("<s>", "a", "b", "c"), (), ids=np.array([0, 1, 1, 3]))
    found: Any = {n: values for n, (_axes, values) in live.derive(made, trace, {}).items()}
    assert found["so.far"].tolist() == [0, 2, 2, 5] and found["zeros"] == 1
    assert found["never"].tolist() == [False, False, True, False]
