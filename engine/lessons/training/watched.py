"""What is drawn of a training, while it goes on and after: its curves, samples at the same prompts, and
histograms of its weights and activations.  Only what is new of its files is read; `clip` is the gradient norm
that nothing goes beyond, 0 where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.optimising import fitting
from engine.core.trace import Kind
from engine.language.message import _
from engine.live.markdown import escape
from engine.storage.run_folder import HISTORY, PROBES
from engine.training import probes, verdict
from engine.training.history import Curve, Tail, smooth, thin
from engine.views.base import number

Curves = dict[str, Curve]
POINTS = 300  # of one line
NATS, PERPLEXITY, BITS = "nats per token", "perplexity", "bits per character"
BINS = 40
MOST = 200  # moments that are shown: twice as many as a training can be asked for

tail = lru_cache(24)(Tail)


def read(folder: Path) -> Curves:
    return tail(folder / HISTORY).read()


def units(given: fr.Others) -> list[str]:
    """That a loss can be drawn in; one where it is in no nats."""
    found = read(given["folder"])
    if "loss_nats" not in found:
        return [NATS]
    held, bits = found.get("held_out_nats"), found.get("held_out_bits_per_character")
    return [NATS, PERPLEXITY, *([BITS] if bits and held and held[1][-1] else [])]


@fr.part("Curves")
def curves(folder: Path, clip: float, unit: str = fr.pick("Loss in", units, few=True)) -> fr.Blocks:
    found = read(folder)
    gradients = {
        "before clipping": found.get("gradient_norm"),
        "after clipping": found.get("gradient_norm_clipped"),
        "threshold": threshold(found, clip),
    }
    charts = [
        drawn(
            "loss", loss(found, unit), _("Loss in {unit}", unit=_(unit)), unit, unit == PERPLEXITY
        ),
        drawn("gradients", gradients, "Gradient norm at each step", "gradient norm", True),
    ]
    if some := [[chart] for chart in charts if chart]:
        yield fr.Beside(some)
    train, held = found.get("loss_nats"), found.get("held_out_nats")
    if train and held and (fitted := fitting.fitting(train, held)):
        yield verdict.judge_fit(fitted)
        yield fr.Note(verdict.RULE)
    if cut := clipped(found, clip):
        yield fr.Note(cut)
    shown = ("loss", "held_out", "gradient", "clip", "rate")
    counted = [
        (words(name), float(values[-1]))
        for name, (_steps, values) in found.items()
        if not name.startswith(shown) and not name.endswith("per_second")
    ]
    if counted:
        yield fr.table(("what", "number"), counted, forms={"number": fr.WHOLE}, width=420)


def words(name: str) -> str:
    """ "ngrams_3" in words."""
    what, _dash, n = name.rpartition("_")
    return {"ngrams": _("different {n}-grams", n=n), "kept": _("{n}-grams kept", n=n)}.get(
        what, name.replace("_", " ")
    )


def loss(found: Curves, unit: str) -> Mapping[str, Curve | None]:
    """The loss of each step, smoothed, and on held-out text.  In bits per character the tokens of the
    training text are taken to be as long as those of the held-out text."""
    name = next((n for n in ("loss_nats", *found) if n.startswith("loss") and n in found), "")
    each, held = found.get(name), found.get("held_out_nats")
    lines = {"each step": each, "smoothed": smooth(each) if each else None, "held-out text": held}
    ratio, bits = 1.0, found.get("held_out_bits_per_character")
    if unit == BITS and bits and held:
        ratio = float(bits[1][-1] / held[1][-1])
    with np.errstate(over="ignore"):
        return {
            label: curve
            and (curve[0], np.exp(curve[1]) if unit == PERPLEXITY else curve[1] * ratio)
            for label, curve in lines.items()
        }


def threshold(found: Curves, clip: float) -> Curve | None:
    before, own = found.get("gradient_norm"), found.get("clip_threshold")
    if before and not own and clip:
        return before[0][[0, -1]], np.array([clip, clip])
    return own


def clipped(found: Curves, clip: float) -> str:
    """How often the gradient was clipped; empty where nothing clips it or nothing is known of it."""
    before, after = found.get("gradient_norm"), found.get("gradient_norm_clipped")
    if not before or not after or len(before[1]) != len(after[1]):
        return ""
    cut, late = after[1] < before[1] * (1 - 1e-5), max(1, len(before[1]) // 10)
    if not (cut.any() or found.get("clip_threshold") or clip):
        return ""
    middle, high = np.nanquantile(before[1], (0.5, 0.95))
    return _(
        "Clipped: {cut:,} of {cut_2:,} steps ({mean}), of the last tenth {mean_2}."
        " Half of all gradients are shorter than {middle}, 95 % than {high}. A"
        " threshold that is rarely reached is loose already: a higher one changes"
        " nothing. Where most steps are clipped, it is too low, the learning rate too"
        " high, or the gradient explodes.",
        cut=cut.sum(),
        cut_2=len(cut),
        mean=f"{cut.mean():.0%}",
        mean_2=f"{cut[-late:].mean():.0%}",
        middle=number(float(middle)),
        high=number(float(high)),
    )


def drawn(
    id: str, lines: Mapping[str, Curve | None], title: str, y: str, log: bool
) -> fr.Chart | None:
    """None where there is no more than one moment to draw: its numbers stand above."""
    series = {name: thin(curve, POINTS) for name, curve in lines.items() if curve and len(curve[0])}
    if len({int(step) for steps, _values in series.values() for step in steps}) < 2:
        return None
    every = max(len(curve[0]) for curve in lines.values() if curve)
    note = _(
        "There are {every:,} points; the lowest and highest of each stretch are drawn.", every=every
    )
    return fr.curves(
        id, title, series, "training step", y, note if every > POINTS else "", log_y=log, every=True
    )


# ------------------------------------------------------------------ what was seen on the way


@lru_cache(24)
def _moments(folder: Path, size: int) -> list[dict[str, Any]]:
    return probes.read(folder)[-MOST:]


def moments(folder: Path) -> list[dict[str, Any]]:
    path = folder / PROBES
    return _moments(folder, path.stat().st_size) if path.is_file() else []


def samples(folder: Path) -> dict[str, list[tuple[int, str]]]:
    """Of each prompt what was written after it, with the steps."""
    found = dict[str, list[tuple[int, str]]]()
    for row in moments(folder):
        pairs = row.get("samples")
        for pair in pairs if isinstance(pairs, list) else ():
            if isinstance(pair, list) and len(pair) == 2:
                found.setdefault(str(pair[0]), []).append((row["step"], str(pair[1])))
    return found


def histograms(folder: Path) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """Of each table of weights and each activation those that are sound: somebody may have changed the
    file."""
    found = dict[str, list[tuple[int, dict[str, Any]]]]()
    for row in moments(folder):
        for kind in ("weights", "activations"):
            some = row.get(kind)
            for name, h in some.items() if isinstance(some, dict) else ():
                if isinstance(h, dict) and is_sound(h):
                    found.setdefault(f"{kind}: {name}", []).append((row["step"], h))
    return found


@fr.part("On the way")
def seen(
    folder: Path,
    *,
    prompt: str = fr.pick("Prompt", lambda given: [*samples(given["folder"])] or [""], width=420),
    which: str = fr.pick(
        "Histogram of", lambda given: [*histograms(given["folder"])] or [""], width=420
    ),
) -> fr.Blocks:
    written, found = samples(folder), histograms(folder)
    if prompt in written:
        yield "**Samples during training**"
        yield fr.Controls(["prompt"])
        lines = (f"{step:>7,}  " + " ⏎ ".join(text.splitlines()) for step, text in written[prompt])
        yield fr.Code("\n".join(lines), None, 380)
        yield fr.Note(
            _(
                "All samples use the same random numbers, at temperature {temperature:g}. So"
                " any difference between two lines comes from the model.",
                temperature=probes.TEMPERATURE,
            )
        )
    if which not in found:
        return
    yield "**Weights and activations during training**"
    yield fr.Controls(["which"])
    steps, some = zip(*found[which], strict=True)
    low, high = min(h["low"] for h in some), max(h["high"] for h in some)
    if not high > low:
        yield fr.Note(_("All numbers of {name} are {low:g}.", name=escape(which), low=low))
        return
    edges = np.linspace(low, high, BINS + 1)
    share = np.stack([100 * rebinned(h, edges) / sum(h["counts"]) for h in some])
    yield fr.grid(
        "histogram",
        _(
            "How many of 100 numbers of {which} lie in each of {bins} equal ranges",
            which=_(which),
            bins=BINS,
        ),
        share,
        ("step", (f"{step:,}" for step in steps)),
        ("bin", (f"{x:.3g}" for x in (edges[1:] + edges[:-1]) / 2)),
        Kind.COUNT,
        fluid=True,
        domain=(0.0, float(np.ceil(share.max()))),
    )


def is_sound(histogram: dict[str, Any]) -> bool:
    counts, ends = histogram.get("counts"), (histogram.get("low"), histogram.get("high"))
    numbers: list[Any] = [*ends, *counts] if isinstance(counts, list) else [None]
    return (
        all(isinstance(n, int | float) and np.isfinite(n) for n in numbers) and sum(numbers[2:]) > 0
    )


def rebinned(histogram: dict[str, Any], edges: np.ndarray) -> np.ndarray:
    """Counts (C,) of one histogram in other ranges, as if its numbers lay evenly within each of its
    own."""
    counts = np.asarray(histogram["counts"], float)
    low, high = float(histogram["low"]), float(histogram["high"])
    if not high > low:
        low, high = low - 1e-12, low + 1e-12
    below = np.concatenate([[0.0], np.cumsum(counts)])
    found: np.ndarray = np.diff(np.interp(edges, np.linspace(low, high, len(counts) + 1), below))
    return found
