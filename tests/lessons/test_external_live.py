"""External memory: the numbers that its live pictures show are the model's."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.lessons.external import panels
from tests.conftest import shipped

TEXT = "bhac=bhac"


def derived(id: str, text: str = TEXT) -> tuple[Any, Any, dict[str, Any]]:
    model: Any = shipped(id)
    trace = model.trace(text)
    found = panels.derive(model, trace, {})
    return model, trace, {name: values for name, (_, values) in found.items()}


def test_what_is_due_behind_the_mark() -> None:
    for id in ("ntm", "lstm_repeats"):
        model, trace, found = derived(id)
        due = [model.tokenizer.vocab[int(i)] for i in found["right"] if np.isfinite(i)]
        assert due == [*"bhac", model.tokenizer.vocab[model.tokenizer.boundary]]
        assert found["judged"] == 5 and found["hits"] == 5 and not found["wrong"].any()
        assert np.isfinite(found["right"]).nonzero()[0][0] == trace.tokens.index("=")
    assert np.isnan(derived("ntm", "bhac")[2]["judged"])


def test_an_address_and_a_number_are_made_as_is_said() -> None:
    _model, trace, found = derived("ntm")
    for head in panels.HEADS:
        before_TN, content_TN, mixed_TN, _moved, sharp_TN = found[f"{head}.way"].swapaxes(0, 1)
        np.testing.assert_array_equal(before_TN[1:], sharp_TN[:-1])
        power_TN = np.exp(found[f"{head}.strength"][:, None] * found[f"{head}.cosine"])
        np.testing.assert_allclose(power_TN / power_TN.sum(1, keepdims=True), content_TN, atol=1e-4)
        gate_T1 = found[f"{head}.gate"][:, None]
        np.testing.assert_allclose(
            gate_T1 * content_TN + (1 - gate_T1) * before_TN, mixed_TN, atol=1e-5
        )
    write_TN1 = trace.field("write.address").values[..., None]
    erase_T1D, add_T1D = (trace.field(name).values[:, None] for name in ("erase", "add"))
    made_TND = found["was"] * (1 - write_TN1 * erase_T1D) + write_TN1 * add_T1D
    np.testing.assert_allclose(made_TND, trace.field("memory").values, atol=1e-5)
