"""What the page on backpropagation through time answers in a moment of rest: learning from the typed text, whose
gradient it is, and what a step does to a small change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.analysis import backpropagation, backpropagation_passes, backpropagation_sums, jacobians
from engine.lessons.before import carried
from engine.live.request import Asks
from engine.live.shown import Shown
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel

MOST_STEPS = 20  # of learning
WIDEST = 256  # numbers in a state of which eigenvalues are found in a tenth of a second
LONGEST = 64  # steps of a span


def descent(shown: Shown, wish: Asks) -> dict[str, Any]:
    """What gradient descent on the text shown does to its losses; and where it is read in chunks, how much of the
    gradient of the recurrent weights is left, and what becomes of the losses where the state is reset at the walls,
    and after one pass of learning.

    wish  `rate`, in tenths of a power of ten above 0.001; `chunk`, steps, 0 for all; `steps` of learning
    """
    model, part, state = able(shown.reader.model, RecurrentModel), shown.part, carried(shown)
    power, chunk = max(0, min(40, wish.whole("rate") or 0)), max(0, wish.whole("chunk") or 0)
    steps = max(1, min(MOST_STEPS, wish.whole("steps") or 1))
    if len(part) < 2:
        return {"before": [], "after": []}
    rate = 10 ** (power / 10 - 3)
    made = backpropagation.update(model, part, rate, carried=state, steps=steps)
    found: dict[str, Any] = {
        "rate": rate,
        "steps": steps,
        "norm": finite(made.norm),
        "broke": made.broke,
        "before": bits(made.before_Q),
        "after": bits(made.after_Q),
        "changed": [[name, finite(share)] for name, share in made.changed.items()],
    }
    if chunk:
        whole = backpropagation.truncated(model, part, None, state)
        cut = backpropagation.truncated(model, part, chunk, state)
        found["kept"] = [[_ratio(a, b), _cosine(a, b)] for a, b in zip(whole, cut, strict=True)]
        ways = backpropagation_passes.passes(model, part, chunk, rate, state)
        each = (ways.handed_Q, ways.reset_Q, ways.each_Q, ways.once_Q)
        found["passes"] = [finite(float(nats_Q[1:].mean() / np.log(2))) for nats_Q in each]
        found["updates"] = ways.updates
    return found


def sums(shown: Shown, wish: Asks) -> dict[str, Any]:
    """Per matrix of a layer the length of its gradient, and the shares of it by step and by loss.

    wish  `layer`
    """
    model, part = able(shown.reader.model, RecurrentModel), shown.part
    if len(part) < 2:
        return {}
    layer = max(0, min(model.config.layers - 1, wish.whole("layer") or 0))
    found = backpropagation_sums.split(model, part, layer, carried(shown))
    return {
        name: {
            "norm": finite(sum_.norm),
            "steps": [finite(x) for x in sum_.share_QK.sum(0)],
            "losses": [finite(x) for x in sum_.share_QK.sum(1)],
        }
        for name, sum_ in found.items()
    }


def spectrum(shown: Shown, wish: Asks) -> dict[str, Any]:
    """Singular values and eigenvalues of one step, and the singular values of all steps of a span.

    wish  `layer`; `span`, the token after which it begins and the one that it ends with
    """
    model, part = able(shown.reader.model, RecurrentModel), shown.part
    begin, end = wish.pair("span") or (None, None)
    if begin is None or end is None or not 0 <= begin < end < len(part):
        return {}
    layer = max(0, min(model.config.layers - 1, wish.whole("layer") or 0))
    net: Any = model.net
    size = sum(net.layers[layer].sizes())
    if size > WIDEST:
        return {"size": size, "most": WIDEST}
    begin = max(begin, end - LONGEST)
    found = jacobians.spectrum(model, part, layer, begin, end, carried(shown))
    if not np.isfinite(found.product_S).all():
        return {"size": size, "broken": True}
    return {
        "size": size,
        "span": [begin, end],
        "step": found.step_S.tolist(),
        "eigen": [[float(x.real), float(x.imag)] for x in found.eigen_S],
        "product": found.product_S.tolist(),
        "hidden": found.hidden,
    }


def bits(nats_Q: np.ndarray) -> list[float | None]:
    return [finite(round(b, 5)) for b in (nats_Q.astype(float) / np.log(2)).tolist()]


def finite(value: float) -> float | None:
    """None for what JSON has no number for."""
    return float(value) if np.isfinite(value) else None


def _ratio(a: np.ndarray, b: np.ndarray) -> float | None:
    return finite(float(np.linalg.norm(b)) / max(float(np.linalg.norm(a)), 1e-30))


def _cosine(a: np.ndarray, b: np.ndarray) -> float | None:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return finite(float((a.astype(float) * b).sum()) / size if size else 0.0)
