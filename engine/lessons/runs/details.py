"""One run, or two side by side: where it came from, its settings, what was measured, and its curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.optimising import fitting
from engine.core.registry import models
from engine.language.message import _
from engine.live.markdown import escape, noted
from engine.models.abilities import Translates
from engine.runs.store import Run
from engine.storage.run_folder import HISTORY
from engine.training import history, verdict
from engine.training.history import Curve

ABSENT = "–"
MOST_POINTS = 200  # of a curve; more are drawn as means of so many stretches
LOSS, BITS = "Loss in nats", "Bits per character"
UNITS = {
    LOSS: "nats",
    BITS: "bits per character",
    "Right answers": "share",
    "Learning rate": "learning rate",
    "Gradient norm": "norm",
}
STEPS, SECONDS, TOKENS = "Steps", "Seconds", "Tokens read"
MOST_NAMES = 12  # of weights that are not used
SIZES = ("kind", "layers", "heads", "numbers")
MEASURES = {
    "oov": "unknown tokens",
    "bits_per_char": "bits per character",
    "commonest_word": "commonest word",
    "pair_accuracy": "pair accuracy",
    "perplexity_without_oov": "perplexity without unknown tokens",
}
FACTS = {
    "model": "model",
    "corpus": "corpus.name",
    "its characters": "corpus.characters",
    "its digest": "corpus.digest",
    "seed": "seed",
    "device": "device",
    "training": "seconds",
}


def config(run: Run) -> Mapping[str, Any]:
    """Its settings; none where somebody changed run.json by hand."""
    found = run.note["config"]
    return found if isinstance(found, dict) else {}


def stated(run: Run, place: str) -> Any:
    found: Any = run.note
    for name in place.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def write_value(value: Any) -> str:
    """Numbers as they are; yes and no in words."""
    if value is None or value == "":
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return (
        _("{seconds:.0f} min", seconds=seconds / 60)
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )


# ------------------------------------------------------------------ what it is


def describe_run(run: Run, row: Mapping[str, Any]) -> fr.Blocks:
    """In words; `row`: what the table says of it."""
    told = [
        _("Model **{model}**", model=escape(run.model)),
        _("trained on {row}", row=_(escape(row["corpus"])))
        + (_(", {row:,.0f} characters", row=row["characters"]) if row["characters"] else ""),
    ]
    if row["steps"]:
        long = _(" in {row}", row=duration(60 * row["minutes"])) if row["minutes"] else ""
        device = escape(row["device"].upper() or "an unknown device")
        told += [
            _("{row:,.0f} steps{long} on {device}", row=row["steps"], long=long, device=device)
        ]
    told += (
        [_("seed {note}", note=run.note["seed"])] if isinstance(run.note.get("seed"), int) else []
    )
    told += [_("{row:.1f} MB on disk", row=row["MB"])] if row["MB"] is not None else []
    told += [_("{row} snapshots", row=row["snapshots"])] if row["snapshots"] else []
    yield _("; ").join(told) + "."
    if isinstance(licence := stated(run, "corpus.licence"), str):
        yield fr.Note(_("Licence of the text: {licence}.", licence=escape(licence)))
    kind, *sizes = (stated(run, f"checkpoint.{of}") for of in SIZES)
    if all(isinstance(size, int) for size in sizes):
        layers, heads, numbers = sizes
        yield fr.Note(
            _(
                "Imported checkpoint: {kind}, {layers} layers, {heads} heads, {numbers:,} weights.",
                kind=escape(str(kind)),
                layers=layers,
                heads=heads,
                numbers=numbers,
            )
        )
    for place in ("notes", "checkpoint.notes"):
        notes = stated(run, place)
        for note in notes if isinstance(notes, list) else ():
            yield fr.Note(noted(note))
    left = stated(run, "checkpoint.left_out")
    if isinstance(left, list) and left:
        named = escape(", ".join(map(str, left[:MOST_NAMES])))
        more = _(" and {left} more", left=len(left) - MOST_NAMES) if len(left) > MOST_NAMES else ""
        yield fr.Note(
            _(
                "Weights of the checkpoint that are not used here: {named}{more}.",
                named=named,
                more=more,
            )
        )


# ------------------------------------------------------------------ its settings and measures


def settings(run: Run) -> fr.Blocks:
    """Those that differ from the defaults first."""
    given, usual = config(run), _usual(run.model)
    changed = {name for name, value in given.items() if name in usual and usual[name] != value}
    yield "**Settings**"
    if given:
        order = sorted(given, key=lambda name: name not in changed)
        rows = (
            (
                n,
                write_value(given[n]),
                write_value(usual.get(n)),
                _("changed") if n in changed else "",
            )
            for n in order
        )
        yield fr.table(("setting", "value", "default", ""), rows, tall=400)
    yield fr.Note(
        _(
            "{changed} of {all} settings differ from the defaults of this model; these are listed"
            " first.",
            changed=len(changed),
            all=len(given),
        )
    )


def _usual(model: str) -> Mapping[str, Any]:
    try:
        return asdict(models.get(model).config_type())
    except KeyError:
        return {}


def fact(run: Run, name: str) -> Any:
    found = stated(run, FACTS[name])
    if name == "training" and isinstance(found, int | float):
        return duration(found)
    return str(found or "")[:12] if name == "its digest" else found


def differences(one: Run, other: Run) -> fr.Blocks:
    """Only what differs, side by side."""
    a, b = config(one), config(other)
    both = [(name, fact(one, name), fact(other, name)) for name in FACTS]
    both += [(name, a.get(name), b.get(name)) for name in {**a, **b}]
    apart = [(name, write_value(x), write_value(y)) for name, x, y in both if x != y]
    yield "**What differs**"
    if apart:
        yield fr.table(("what", one.id, other.id), apart, tall=400)
    yield fr.Note(
        _(
            "{same} {same|setting is|settings are} the same in both. – means that the run has no such"
            " setting, or does not record it.",
            same=sum(name in b and b[name] == value for name, value in a.items()),
        )
    )
    if all("bits_per_char" in (stated(run, "held_out") or {}) for run in (one, other)):
        query = {"runs": f"{one.id},{other.id}"}
        yield fr.Link("compare", "Compare both on a text", query)


def measured(runs: Sequence[Run]) -> fr.Blocks:
    """What was measured on held-out text."""
    yield "**On held-out text**"
    found = [of if isinstance(of := run.note.get("held_out"), dict) else {} for run in runs]
    names = list(dict.fromkeys(name for numbers in found for name in numbers))
    if not names:
        yield fr.Note("Nothing was measured on held-out text.")
        return
    heads = ["measure", *(["value"] if len(runs) == 1 else [run.id for run in runs])]
    yield fr.table(
        heads,
        (
            (
                _(MEASURES.get(name, name.replace("_", " "))),
                *(_number(of.get(name)) for of in found),
            )
            for name in names
        ),
    )
    yield fr.Note(
        "Measured at the end, line by line. During training the held-out text is read as one"
        " stream, so the training room shows a slightly different number."
    )

    def differ(place: str) -> bool:
        return len({str(stated(run, place)) for run in runs}) > 1

    if differ("corpus.digest"):
        yield fr.Note(
            "The two were trained on different texts, and each was measured on held-out lines"
            " of its own text. So these numbers do not show which is better. The page Compare"
            " measures both on one text."
        )
    elif differ("config.tokenizer"):
        yield fr.Note(
            "Their tokens differ, so compare bits per character, not numbers per token. Unknown"
            " tokens cost a model little, so many of them make it look too good."
        )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


# ------------------------------------------------------------------ its curves


def group(metric: str) -> str:
    """Under which heading a metric of the history is drawn; what has one unit shares a picture."""
    if metric.endswith("nats"):
        return LOSS
    if metric.endswith(("bits_per_character", "bits_per_char")):
        return BITS
    if metric.endswith(("accuracy", "exact")):
        return "Right answers"
    if metric.startswith("gradient_norm"):
        return "Gradient norm"
    return "Learning rate" if metric == "rate" else metric.replace("_", " ").capitalize()


def curves_of(run: Run) -> dict[str, Curve]:
    """{metric: (steps, values)}; nothing where the file is not there."""
    path = run.folder / HISTORY
    return history.read(path) if path.is_file() else {}


def groups(given: fr.Others) -> list[str]:
    """What can be drawn of these runs; of runs whose tokens differ the bits of characters first."""
    runs = [*given["shown"].values()]
    found = {
        group(m) for run in runs for m, (steps, _values) in curves_of(run).items() if len(steps) > 1
    }
    first = [BITS] if len({str(config(run).get("tokenizer")) for run in runs}) > 1 else []
    order = [*first, *UNITS]
    return sorted(found, key=lambda g: (order.index(g) if g in order else 9, g)) or [LOSS]


def ways(given: fr.Others) -> list[str]:
    return [
        along
        for along in (STEPS, SECONDS, TOKENS)
        if all(laid(run, along, np.ones(1)) is not None for run in given["shown"].values())
    ]


@fr.part("Details")
def details(
    shown: Mapping[str, Run],
    *,
    runs_curve: str = fr.pick("Curve", groups, width=200),
    runs_along: str = fr.pick("Against", ways, few=True),
    runs_log: bool = fr.switch("Logarithmic", help="Both axes logarithmic"),
) -> fr.Blocks:
    """Of one run, or of two."""
    runs = [*shown.values()]
    left = [*(settings(*runs) if len(runs) == 1 else differences(*runs)), *measured(runs)]
    right: list[fr.Block] = ["**During training**"]
    right += curves(runs, runs_curve, runs_along, runs_log)
    yield fr.Beside([[fr.Section("run", left)], right], (5, 7))


def curves(runs: Sequence[Run], what: str, along: str, log: bool) -> Iterable[fr.Block]:
    """The history of one training or two, against steps, seconds or tokens read."""
    found = [curves_of(run) for run in runs]
    if not any(map(len, found)):
        whose = "this run" if len(runs) == 1 else "either run"
        yield fr.Note(_("No training curves were saved for {whose}.", whose=whose))
        return
    yield fr.Controls(["runs_curve", "runs_along", "runs_log"])
    series: dict[str, Any] = {}
    for run, of in zip(runs, found, strict=True):
        mine = (m for m in of if group(m) == what)
        for metric in sorted(mine, key=lambda m: (m.startswith("held_out"), m)):
            steps, values = thin(*of[metric])
            kind = "training text" if what in (LOSS, "Loss") else ""
            kind = "held-out text" if metric.startswith("held_out") else kind
            name = ", ".join(filter(None, (run.id if len(runs) > 1 else "", kind))) or what
            series[name] = laid(run, along, steps), values
    ids = " and ".join(run.id for run in runs)
    note = _("Runs: {ids}.", ids=ids)
    if (
        max((len(of[m][0]) for of in found for m in of if group(m) == what), default=0)
        > MOST_POINTS
    ):
        note += _(
            " Curves with more than {most} points are drawn as the means of {most} stretches.",
            most=MOST_POINTS,
        )
    yield fr.curves(
        "history",
        _("{what} during training", what=_(what)),
        series,
        along.lower(),
        UNITS.get(what, what.lower()),
        note,
        source=f"{ids}-{what}",
        log_x=log,
        log_y=log,
        every=True,
    )
    for run, of in zip(runs, found, strict=True):
        if what not in map(group, of):
            yield fr.Note(_("{id} has no such curve.", id=run.id))
    train, held = found[0].get("loss_nats"), found[0].get("held_out_nats")
    fitted = fitting.fitting(train, held) if train and held else None
    if len(runs) == 1 and what == LOSS and fitted:
        yield verdict.judge_fit(fitted)
        yield fr.Note(verdict.RULE)


def thin(steps: np.ndarray, values: np.ndarray) -> Curve:
    """At most MOST_POINTS points: the means of as many stretches of equal length; what is not
    finite makes its stretch so."""
    if len(steps) <= MOST_POINTS:
        return steps, values
    edges = np.linspace(0, len(steps), MOST_POINTS + 1).round().astype(int)
    means = [(steps[a:b].mean(), values[a:b].mean()) for a, b in pairwise(edges)]
    return np.array([m[0] for m in means]), np.array([m[1] for m in means])


def laid(run: Run, along: str, steps: np.ndarray) -> np.ndarray | None:
    """Where these steps lie on the axis; None where nothing tells."""
    if along == STEPS:
        return steps.astype(float)
    if along == SECONDS:
        noted, seconds = history.pace(run.folder)
        return np.interp(steps, np.r_[0, noted], np.r_[0, seconds]) if len(noted) else None
    each = tokens_per_step(run)
    return None if each is None else steps * float(each)


def tokens_per_step(run: Run) -> int | None:
    """How many tokens one step reads, for the models that read windows of a stream; None for
    others."""
    from engine.models.neural import NeuralLanguageModel

    batch, span = config(run).get("batch"), config(run).get("span")
    if run.model not in models.ids() or not isinstance(batch, int) or not isinstance(span, int):
        return None
    kind = models.get(run.model)
    windows = issubclass(kind, NeuralLanguageModel) and not issubclass(kind, Translates)
    return batch * span if windows else None
