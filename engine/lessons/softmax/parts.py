"""Softmax and the loss behind it: from logits to probabilities, what each loss teaches, where the exponentials
overflow, and the softmax of a trained model over its vocabulary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.activations import FORMATS
from engine.analysis.decode.temperature import temperature
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons.softmax import softmax_loss
from engine.lessons.softmax.softmax_loss import FARTHEST, LOSSES, Logits
from engine.models.base import Model
from engine.views import theme

FIRST, FEWEST, MANY = "2,1,0.1,-1", 2, 6
SHARE, MOST = 0.9, 2_000  # of the target, and steps until then
SETS = {"z": "s_z", "target": "s_target", "t": "s_t"}
z_on_board = fr.shared(fr.typed("Logits, with commas between them", FIRST, 200))
target_on_board = fr.shared(fr.number("Target", 0, MANY - 1, 0))
t_on_board = fr.shared(fr.number("Temperature of the board", 0.1, 10.0, 1.0, 0.1))


def read(z: str, target: int, t: float) -> Logits:
    """Of what makes no sense, the first ones."""
    try:
        found = [float(part) for part in z.split(",")]
    except ValueError:
        found = []
    if not FEWEST <= len(found) <= MANY or not all(map(math.isfinite, found)):
        found = [float(part) for part in FIRST.split(",")]
    held = tuple(min(FARTHEST, max(-FARTHEST, v)) for v in found)
    return Logits(held, min(len(held) - 1, target), t)


@fr.once
def steps(now: Logits) -> dict[str, int | None]:
    return {kind: softmax_loss.steps_until(now, kind, SHARE, MOST) for kind in LOSSES}


@fr.part("", always=True, was=("part-gradients-in-numbers",))
def softmax(
    *, s_z: str = z_on_board, s_target: int = target_on_board, s_t: float = t_on_board
) -> fr.Blocks:
    now = read(s_z, s_target, s_t)
    state = {"z": list(now.z), "target": now.target, "t": now.t}
    sheets = "neuron/neuron.css", "softmax/softmax.css"
    yield fr.Section("softmax", [fr.Board("softmax/softmax.js", {"state": state}, SETS, sheets)])
    entropy, squared = (float(now.gradient(kind)[now.target]) for kind in LOSSES)
    p = float(now.p[now.target])
    yield _(
        "The target has {p:.1%}. Cross-entropy pulls at its logit with {entropy}, squared error with {squared}:",
        p=p,
        entropy=-entropy,
        squared=-squared,
    )
    yield fr.Formula(
        r"\frac{\partial}{\partial z_j} (-\ln p_y) = \frac{p_j - y_j}{T}, \qquad"
        r" \frac{\partial}{\partial z_j} \tfrac{1}{2} \sum_k d_k^2 = \frac{p_j}{T} \Big( d_j - \sum_k p_k d_k \Big),"
        r" \; d = p - y"
    )
    if entropy and abs(squared) < 0.01 * abs(entropy) and p < 0.5:
        yield (
            "**Confidently wrong**: squared error is flat here, it hardly learns where it is most mistaken. It has the"
            " probability as a factor once more; the logarithm of cross-entropy takes just this factor away."
        )
    found, how = steps(now), {"share": SHARE, "most": MOST}
    if found["entropy"] is not None and found["squared"] is not None:
        yield _(
            "Steps of descent on these logits, at a rate of 1, until the target has {share:.0%}: **{a:,}** with"
            " cross-entropy, **{b:,}** with squared error.",
            a=found["entropy"],
            b=found["squared"],
            **how,
        )
    elif found["entropy"] is not None:
        yield _(
            "Steps of descent on these logits, at a rate of 1, until the target has {share:.0%}: **{a:,}** with"
            " cross-entropy; with squared error {most:,} are not enough.",
            a=found["entropy"],
            **how,
        )
    yield fr.Beside([[drawn] for drawn in over_target(now)])
    first, second = sorted(range(len(now.z)), key=lambda k: -now.z[k])[:2]
    yield _(
        "**Exponential, not proportional.** Classes {first} and {second} have the logits {a:g} and {b:g}. Their"
        " probabilities stand as {ratio} to 1: e to the power of their difference by T. The ratio of the logits says"
        " nothing, and of two classes softmax is a sigmoid of the difference.",
        first=first + 1,
        second=second + 1,
        a=now.z[first],
        b=now.z[second],
        ratio=float(now.p[first] / now.p[second]),
    )


def over_target(now: Logits) -> tuple[fr.Chart, fr.Chart]:
    """Both losses where the logit of the target is another, and their slopes."""
    at, here = np.linspace(-FARTHEST, FARTHEST, 81), now.z[now.target]
    moved = [
        Logits((*now.z[: now.target], float(z), *now.z[now.target + 1 :]), now.target, now.t)
        for z in at
    ]
    losses: dict[str, Any] = {}
    slopes: dict[str, Any] = {}
    for kind, name in LOSSES.items():
        losses[name] = at, [one.loss(kind) for one in moved]
        slopes[name] = at, [one.gradient(kind)[now.target] for one in moved]
    losses["now"] = [here] * 2, [now.loss(kind) for kind in LOSSES]
    slopes["now"] = [here] * 2, [now.gradient(kind)[now.target] for kind in LOSSES]
    x = "logit of the target"
    return (
        fr.curves("losses", "Loss over the logit of the target", losses, x, "loss"),
        fr.curves("slopes", "Its slope: what descent learns from", slopes, x, "slope"),
    )


FAR, LEAST = 1_000, 1e-17
SHIFTS = np.arange(-FAR, FAR + 1, 4.0)


def listed(p: Iterable[float]) -> str:
    return ", ".join(number(float(v)) if v == v else "?" for v in p)


@fr.once
def measure_error(z: tuple[float, ...], name: str, shifted: bool) -> list[float]:
    """How far off the worst probability is, over what is added."""
    right = softmax_loss.rounded(np.array(z), np.float64, True)
    found = (softmax_loss.rounded(np.array(z) + c, FORMATS[name], shifted) for c in SHIFTS)
    return [float(np.maximum(np.abs(p.astype(float) - right).max(), LEAST)) for p in found]


@fr.part("Overflow", was=("overflow",))
def overflow(
    s_shift: int = fr.slider("Added to every logit", -FAR, FAR, 100),
    s_below: int = fr.slider("The target's logit lies below the largest by", 0, 800, 120),
    *,
    s_z: str = z_on_board,
    s_target: int = target_on_board,
    s_t: float = t_on_board,
) -> fr.Blocks:
    yield (
        "A number added to **all** logits changes no probability. Computed as the formula is written it changes"
        " everything: eᶻ soon is too large for the format, or too small. With the maximum subtracted the largest"
        " exponent is 0 and the sum at least 1, so nothing can overflow."
    )
    now = read(s_z, s_target, s_t)
    z = np.array(now.z) / now.t
    far = z.copy()
    far[now.target] = np.delete(z, now.target).max() - s_below
    heads = (
        "format",
        "eᶻ is a number from z =",
        "to z =",
        "as it is written",
        "maximum subtracted",
        "−ln p",
        "ln Σ eᶻ − z",
    )
    rows: list[Sequence[Any]] = [
        (
            name,
            *softmax_loss.ends(kind),
            *(listed(softmax_loss.rounded(z + s_shift, kind, how)) for how in (False, True)),
            *(
                listed([softmax_loss.rounded_loss(far, now.target, kind, how)])
                for how in (False, True)
            ),
        )
        for name, kind in FORMATS.items()
    ]
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:3], "%.2f"))
    yield fr.Note(
        "A question mark is no number: infinity by infinity, or 0 by 0. What is left with the maximum subtracted"
        " is the rounding of z itself: a float16 beyond 1,024 knows whole numbers only."
    )
    kept = tuple(z.tolist())
    series = {name: (SHIFTS, measure_error(kept, name, False)) for name in FORMATS}
    series |= {
        _("{name}, maximum subtracted", name=_(name)): (SHIFTS, measure_error(kept, name, True))
        for name in ("float16", "float32")
    }
    yield fr.curves(
        "overflow",
        "Largest error of a probability",
        series,
        "added to every logit",
        "largest error",
        "a line ends where no number comes out; what is exact stands at 10⁻¹⁷",
        log_y=True,
    )
    yield (
        "**The loss, too.** Subtracting the maximum does not save the logarithm: far behind the others the target's"
        " probability is rounded to 0, and −ln 0 is infinite. So libraries never take the logarithm of a softmax; they"
        " compute ln Σ eᶻ − z at once, the last column."
    )


FEW = 8


@fr.part("Real tokens", was=("kept",))
def tokens(
    transformer: Model[Any] | None = fr.shipped("transformer"),
    s_text: str = fr.typed(
        "Type a sentence", "The students opened their", 200, width=420, live=True
    ),
    s_heat: float = fr.slider("Temperature", 0.1, 3.0, 0.5, 0.1, 200),
    s_least: float = fr.slider("Weights below, power of ten", -8.0, 0.0, -2.0, 0.5, 200),
) -> fr.Blocks:
    if transformer is None:
        raise ValueError("The shipped Transformer is not here: `make zoo` trains it.")
    field = transformer.trace(s_text, fields=("probability",)).field("probability")
    p_V, names = np.asarray(field.values[-1], np.float64), field.axes[-1].labels
    changed_V = temperature(p_V, s_heat)
    yield _(
        "The softmax of the shipped Transformer over its {n:,} tokens. At T = 1 it is as unsure as among"
        " **{one}** equally likely tokens, at T = {t:g} as among **{other}**. The logarithms of the"
        " probabilities serve as logits: a constant added to all of them changes nothing.",
        n=len(p_V),
        one=softmax_loss.choices(p_V),
        t=s_heat,
        other=softmax_loss.choices(changed_V),
    )
    heads = "token", "ln p", "T = 1", "at this temperature"
    rows = (
        (theme.visible(names[k]), float(np.log(p_V[k])), float(p_V[k]), float(changed_V[k]))
        for k in np.argsort(-p_V, kind="stable")[:FEW]
    )
    yield fr.table(heads, rows, forms={"ln p": "%.3f"}, bars=heads[2:])
    many, mass = softmax_loss.below(p_V, 10.0**s_least)
    yield _(
        "**{many:,} of {all:,}** tokens have less than {least}; together they have **{mass:.1%}**. Whoever says"
        " that only high scores are preserved throws that away. Exactly 0 has: {zero:,}.",
        many=many,
        all=len(p_V),
        least=10.0**s_least,
        mass=mass,
        zero=int((p_V == 0).sum()),
    )
    places = np.unique(np.geomspace(1, len(p_V), 120).astype(int))
    both = {"T = 1": p_V, f"T = {s_heat:g}": changed_V}
    yield fr.curves(
        "kept",
        "What the likeliest tokens have together",
        {name: (places, np.cumsum(np.sort(of)[::-1])[places - 1]) for name, of in both.items()},
        "how many of the likeliest",
        "share",
        text=s_text,
        source="transformer",
        log_x=True,
        low=0,
        high=1.05,
    )


PARTS = (softmax, overflow, tokens)
