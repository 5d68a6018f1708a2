"""The page Cures: every part opens, any text is read, and what overflows is said."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from engine.analysis import clipped
from pages.ui.cures import clipping
from tests.conftest import ROOT

PARTS = {
    "Each cure by itself": "None of them is a guarantee",
    "One cell, opened": "Layer 4, character 27",
    "How weights begin": "0.69 with bias 1",
    "Layer norm and batch norm": "Averaged over the texts, for each step and each unit",
    "Clipping": "clipping by value by **2.85°**",
    "What clipping cannot cure": "The two runs are equal, number by number",
}


def opened(**chosen: str) -> str:
    run = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    run.switch_page("pages/434_cures.py")
    for name, value in chosen.items():
        run.query_params[name] = value
    run.run()
    assert not run.exception, run.exception
    return "\n".join(
        str(e.value) for kind in ("markdown", "caption", "latex") for e in getattr(run, kind)
    )


@pytest.mark.parametrize(("part", "says"), [*PARTS.items()])
def test_parts(part: str, says: str) -> None:
    assert says in opened(part=part)


@pytest.mark.parametrize("text", ["", "a", "aaaa", "👩‍👩‍👧 שלום", "x" * 300])
def test_any_text(text: str) -> None:
    said = opened(cured_text=text, norm="batch norm", part="One cell, opened")
    assert "Of the gradient at the end" in said


def test_an_overflow_is_a_lesson() -> None:
    said = opened(
        cured_text="a text that is long enough for the numbers to end",
        activation="ReLU",
        cell="plain",
        begin="He",
        scale="4.0",
        layers="20",
        part="Clipping",
    )
    assert "the signal overflows: at character" in said and "it **overflows**" in said


def test_clipping_is_drawn_beside_the_gradient_of_the_weights() -> None:
    assert "Of the gradient" in opened(
        clip="by value", longest="0.1", residual="true", part="Clipping"
    )


@pytest.mark.parametrize("value", [False, True])
def test_the_program_under_the_arrow_clips_as_the_arrow(value: bool) -> None:
    """As torch runs it: with the other of the two calls where it is by value."""
    lines = [line for line in clipping.torch_program(5.0).split("\n") if "clip_grad" in line]
    model = torch.nn.Linear(2, 1, bias=False)
    model.weight.grad = torch.tensor([[0.5, 10.0]])
    exec(lines[value].removeprefix("# "), {"torch": torch, "model": model})  # noqa: S102
    want = clipped.arrow((0.5, 10.0), "value" if value else "norm", 5.0)
    np.testing.assert_allclose(model.weight.grad[0], want, rtol=1e-5)
