"""N-grams: the sentence as a product, as a reply has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
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
    found: dict[str, Any] = {
        n: values for n, (_axes, values) in live.derive(model, trace, {}).items()
    }
    assert found["factor"][1:] == pytest.approx(factors, rel=1e-5) and np.isnan(found["factor"][0])
    assert np.exp2(-found["so.far"][1:]) == pytest.approx(np.cumprod(factors), rel=1e-5)
    assert found["whole"] == pytest.approx(-np.log2(factors).sum(), rel=1e-6)
    assert found["perplexity"] == pytest.approx(np.prod(factors) ** (-1 / len(factors)), rel=1e-5)
    assert (found["n"], found["zeros"], found["back"]) == (5, 0, model.config.order - 1)


def test_a_factor_of_0_is_kept_out_of_the_product(model: Ngram) -> None:
    p_TV = np.array(
        [[0.0, 0.25, 0.0, 0.75], [0.5, 0.0, 0.5, 0.0], [0.0, 0.0, 0.875, 0.125], [1, 0, 0, 0]]
    )
    spec = FieldSpec("probability", Kind.PROBABILITY, ("token", "next"), "P.")
    axes = Axis("token", ("<s>", "a", "b", "c")), Axis("next", tuple("sabc"))
    trace = Trace("a b c", axes[0].labels, (Field(spec, p_TV, axes),), ids=np.array([0, 1, 1, 3]))
    found: dict[str, Any] = {
        n: values for n, (_axes, values) in live.derive(model, trace, {}).items()
    }
    assert found["so.far"].tolist() == [0, 2, 2, 5] and found["zeros"] == 1
    assert found["never"].tolist() == [False, False, True, False]
