"""The curves of a training: loss, gradients, learning rate, speed.  Only what is new of its history
is read, and spikes are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import streamlit as st

from engine.cli import settings
from engine.core.registry import models
from engine.nn.plan import Training
from engine.storage.run_folder import HISTORY
from engine.training import job as jobs
from engine.training.history import Curve, Tail, pace, smooth, thin
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.choice import one_of
from pages.ui.plate import Plate
from pages.ui.training import overview, verdict

Curves = dict[str, Curve]
POINTS = 300  # of one line
NATS, PERPLEXITY, BITS = "nats per token", "perplexity", "bits per character"
LATEST = (
    ("loss_nats", "Loss", "Of the last step, in nats per token, on the training text."),
    (
        "held_out_nats",
        "Held-out loss",
        "Of the last measurement, on text that the model is not trained on.",
    ),
    (
        "held_out_bits_per_character",
        "Bits per character",
        "On held-out text, during training; comparable between tokenizers. The page Runs"
        " measures line by line, so its number differs a little.",
    ),
    ("held_out_accuracy", "Right answers", "Accuracy on held-out text."),
    ("gradient_norm", "Gradient norm", "Of the last step, before clipping."),
)


@st.cache_resource(max_entries=24, show_spinner=False)
def _tail(path: str) -> Tail:
    return Tail(Path(path))


def read(folder: Path) -> Curves:
    return _tail(str(folder / HISTORY)).read()


def show(folder: Path, curves: Curves) -> None:
    lines, says, unit = _loss(folder, curves)
    plate.row(
        _figure(folder, "loss", lines, says, unit, log=unit == PERPLEXITY),
        _gradients(folder, curves),
    )
    verdict.show(curves.get("loss_nats"), curves.get("held_out_nats"))
    if cut := _clipped(folder, curves):
        st.caption(cut)
    rate, speed = {"learning rate": curves.get("rate")}, {"steps per second": _pace(folder)}
    plate.row(
        _figure(folder, "rate", rate, "The learning rate at each step", "rate"),
        _figure(folder, "pace", speed, "Steps per second", "steps per second"),
    )
    drawn = ("loss", "held_out", "gradient", "clip", "rate")
    counted = [
        {"what": words(name), "number": float(values[-1])}
        for name, (_, values) in curves.items()
        if not name.startswith(drawn) and not name.endswith("per_second")
    ]
    if counted:
        key = f"training.counted.{folder.name}"
        rows.show(counted, key, {"number": rows.WHOLE}, width="content")


def words(name: str) -> str:
    """ "ngrams_3" in words."""
    what, _, n = name.rpartition("_")
    return {"ngrams": f"different {n}-grams", "kept": f"{n}-grams kept"}.get(
        what, name.replace("_", " ")
    )


def _loss(folder: Path, curves: Curves) -> tuple[dict[str, Curve | None], str, str]:
    """(lines, title, unit) in the unit that the reader chooses; the smoothed loss beside each
    step's own."""
    name = next((n for n in ("loss_nats", *curves) if n.startswith("loss") and n in curves), "")
    nats, held = curves.get(name), curves.get("held_out_nats")
    bits = curves.get("held_out_bits_per_character")
    lines = {"each step": nats, "smoothed": smooth(nats) if nats else None, "held-out text": held}
    if name != "loss_nats":
        return lines, "Loss", name.replace("_", " ") or "nats"
    units = [NATS, PERPLEXITY, *([BITS] if bits and held and held[1][-1] else [])]
    key = f"training.unit.{folder.name}"
    unit = one_of("Loss in", units, key, label_visibility="collapsed")
    # tokens of a character, in bits
    ratio = float(bits[1][-1] / held[1][-1]) if unit == BITS and bits and held else 1.0
    with np.errstate(over="ignore"):
        turned: dict[str, Curve | None] = {
            label: (curve[0], np.exp(curve[1]) if unit == PERPLEXITY else curve[1] * ratio)
            for label, curve in lines.items()
            if curve
        }
    note = (
        "; for the training text, tokens are taken to be as long as in the held-out text"
        if unit == BITS
        else ""
    )
    return turned, f"Loss in {unit}{note}", unit


def _gradients(folder: Path, curves: Curves) -> Plate | None:
    before, threshold = curves.get("gradient_norm"), curves.get("clip_threshold")
    if before and not threshold and (clip := _clip(folder)):
        threshold = before[0][[0, -1]], np.array([clip, clip])
    lines = {
        "before clipping": before,
        "after clipping": curves.get("gradient_norm_clipped"),
        "threshold": threshold,
    }
    says = "Gradient norm at each step"
    return _figure(folder, "gradients", lines, says, "gradient norm", log=True)


def _clipped(folder: Path, curves: Curves) -> str:
    """How often the gradient was clipped; empty where nothing clips it or nothing is known of it."""
    before, after = curves.get("gradient_norm"), curves.get("gradient_norm_clipped")
    if not before or not after or len(before[1]) != len(after[1]):
        return ""
    cut, late = after[1] < before[1] * (1 - 1e-5), max(1, len(before[1]) // 10)
    if not (cut.any() or curves.get("clip_threshold") or _clip(folder)):
        return ""
    middle, high = np.nanquantile(before[1], (0.5, 0.95))
    return (
        f"Clipped: {cut.sum():,} of {len(cut):,} steps ({cut.mean():.0%}), of the last tenth {cut[-late:].mean():.0%}."
        f" Half of all gradients are shorter than {number(float(middle))}, 95 % than {number(float(high))}. A threshold"
        " that is rarely reached is loose already: a higher one changes nothing. Where most steps are clipped, it is"
        " too low, the learning rate too high, or the gradient explodes."
    )


def _clip(folder: Path) -> float:
    """The gradient norm that nothing goes beyond; 0 where there is none."""
    job = jobs.read(folder)
    try:
        config = settings.config(models.get(job.model), job.settings) if job else None
    except (ValueError, KeyError, settings.Wrong):
        return 0.0
    return float(config.clip) if isinstance(config, Training) and config.clipping == "norm" else 0.0


def _pace(folder: Path) -> Curve | None:
    """Steps a second, between two moments that were noted; pauses left out."""
    steps, seconds = pace(folder)
    rising = np.diff(seconds, prepend=-1.0) > 0
    steps, seconds = steps[rising], seconds[rising]
    if len(steps) < 3:
        return None
    return steps[1:].astype(np.int64), np.diff(steps) / np.diff(seconds)


def _figure(
    folder: Path, id: str, lines: dict[str, Curve | None], says: str, y: str, log: bool = False
) -> Plate | None:
    """None where there is no more than one moment to draw: its numbers stand above."""
    thinned = {
        name: thin(curve, POINTS) for name, curve in lines.items() if curve and len(curve[0])
    }
    if len({int(step) for steps, _ in thinned.values() for step in steps}) < 2:
        return None
    job = jobs.read(folder)
    every = max(len(curve[0]) for curve in lines.values() if curve)
    cut = (
        f" There are {every:,} points; the lowest and highest of each stretch are drawn."
        if every > POINTS
        else ""
    )
    drawn = b"".join(numbers.tobytes() for curve in thinned.values() for numbers in curve)
    return plate.lines(
        f"training.{id}",
        says,
        [(name, *curve) for name, curve in thinned.items()],
        folder.name,
        f"{overview.title(folder)}.{cut}",
        x="training step",
        y=y,
        of_series="",
        log_y=log,
        tight=True,
        every=True,
        table=id,
        model=job.model if job else "",
        kept=f"{folder.name} {id} {says} {hash(drawn)}",
    )
