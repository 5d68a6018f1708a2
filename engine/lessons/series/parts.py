"""What stands below the live picture: who wins, the window of an AR model, load and temperature, alarms, gaps."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.language.message import _
from engine.lessons.series import alarm, classic, families, gaps, judge, nets, sound, typed, window
from engine.lessons.series.build import HELD
from engine.lessons.series.head import HEAD
from engine.lessons.series.judge import CALLED, METHODS
from engine.lessons.series.nets import BANDS, CONTEXT, HORIZON, MIDDLE

ABOVE = "above"
WHOSE = {ABOVE: "The numbers above", **families.CALLED}
LOW, HIGH = BANDS[80]


@fr.once
def judged(of: str, text: str) -> judge.Judged:
    if of != ABOVE:
        return judge.family(of, HELD + 1_000)
    return judge.rolling(typed.read(text).values)


@fr.part("Who wins")
def wins(above: str, of: str = fr.pick("Judged on", WHOSE, ABOVE, width=260)) -> fr.Blocks:
    count = len(typed.read(above).values) if of == ABOVE else 0
    if of == ABOVE and count < 40:
        raise ValueError(
            "To judge, 40 numbers are needed: type more, or choose a family of made series."
        )
    yield fr.Progress(0.2, _("Forecasting from many places"))
    found = judged(of, above if of == ABOVE else "")
    if of == ABOVE:
        yield _(
            "From {n} places of your {count} numbers each method forecasts the next {h}, from what came before alone.",
            n=found.mase_MOH.shape[1],
            count=count,
            h=HORIZON,
        )
    else:
        yield _(
            "{n} series that no net has learned from: {read} numbers are read, {h} forecast.",
            n=judge.SERIES,
            read=CONTEXT,
            h=HORIZON,
        )
    order = sorted(METHODS, key=found.mean)
    inside = {b: _("within its {b} %", b=b) for b in BANDS}
    rows = []
    for m in order:
        gain, low, high = found.beside(m)
        said = _("{gain:+.0%} ({low:+.0%} to {high:+.0%})", gain=gain, low=low, high=high)
        row = {"method": CALLED[m], "error (MASE)": found.mean(m)}
        row["less than naive"] = "" if m == "naive" else said
        rows.append(row | {inside[b]: found.covered(m, b) for b in BANDS})
    yield fr.Rows(
        rows,
        forms={"error (MASE)": "%.2f"} | dict.fromkeys(inside.values(), fr.SHARE),
        widths={"method": 200},
    )
    _gain, low, _high = found.beside(order[0])
    if order[0] == "naive" or low <= 0:
        yield _(
            "**No method is surely better than the naive forecast here**, which repeats the last number."
        )
    else:
        yield _(
            "**{best}** errs least, surely less than the naive forecast.", best=CALLED[order[0]]
        )
    yield fr.curves(
        "ahead",
        "Error by how far ahead",
        {
            CALLED[m]: (range(1, HORIZON + 1), found.mase_MOH[METHODS.index(m)].mean(0))
            for m in METHODS
        },
        "numbers ahead",
        "MASE",
        whole=True,
    )
    yield fr.Note(
        "MASE: mean absolute error, divided by the mean step of what was read. In brackets, 95 % bootstrap intervals"
        " over places or series; places of one series overlap, so theirs are too narrow."
    )


compared = fr.once(window.compare)


@fr.part("A window, or a state")
def windows(
    drift: float = fr.pick("The level moves by", (0.05, 0.1, 0.2, 0.5), 0.2, few=True),
    window_seed: int = fr.slider("Start", 1, 9, 1, width=160),
) -> fr.Blocks:
    yield (
        "A level drifts and is seen through noise. **Exponential smoothing** carries one number along:"
        " l(t) = a x(t) + (1 − a) l(t−1), a recurrent net with one unit. **AR(p)** carries nothing and looks at a"
        " window of p numbers. How long must it be?"
    )
    yield fr.Progress(0.3, _("Fitting 40 windows"))
    found = compared(drift, window_seed)
    if found.enough:
        yield _(
            "A state of **one** number, with a = {a:.2f}, has a squared error of {error:.3f}. The shortest window"
            " within 1 % of that is **{p}**.",
            a=found.weight,
            error=found.smoothed,
            p=found.enough,
        )
    else:
        yield _(
            "A state of **one** number, with a = {a:.2f}, has a squared error of {error:.3f}. **No window up to {p}"
            " comes within 1 %.**",
            a=found.weight,
            error=found.smoothed,
            p=window.MOST,
        )
    lags = range(1, window.MOST + 1)
    state = [found.smoothed] * window.MOST
    weights = [found.weight * (1 - found.weight) ** k for k in range(window.MOST)]
    errors: dict[str, Any] = {
        "window of p numbers": (lags, found.error_P),
        "state of one number": (lags, state),
    }
    shapes: dict[str, Any] = {
        "found by AR(40)": (lags, found.lag_P),
        "a (1 − a)^(k−1)": (lags, weights),
    }
    yield fr.Beside(
        [
            [fr.curves("windowed", "Squared error, one step ahead", errors, "p", "squared error")],
            [
                fr.curves(
                    "lags", "Weight of each earlier number", shapes, "k numbers back", "weight"
                )
            ],
        ]
    )
    yield fr.Note("20,000 numbers to fit, 20,000 others to judge.")


@fr.once
def weathers() -> tuple[np.ndarray, np.ndarray]:
    """Load and temperature of 200 held-out stretches."""
    pairs = [families.weather(np.random.default_rng((5, n)), CONTEXT + HORIZON) for n in range(200)]
    load, degrees = (np.stack(part) for part in zip(*pairs, strict=True))
    return load, degrees


@fr.once
def weather_errors() -> dict[str, np.ndarray]:
    """Mean errors by hours ahead."""
    load, degrees = weathers()
    true = load[:, CONTEXT:]
    made = {
        "LSTM, load alone": nets.foretell_load(load[:, :CONTEXT]),
        "LSTM, load and temperature": nets.foretell_load(load[:, :CONTEXT], degrees),
    }
    found = {name: np.abs(q[:, MIDDLE] - true).mean(0) for name, q in made.items()}
    days = [classic.seasonal(x, 24).middle_H for x in load[:, :CONTEXT]]
    return {**found, "Same hour of yesterday": np.abs(np.stack(days) - true).mean(0)}


@fr.part("Load and temperature")
def outside(
    stretch: int = fr.slider("Stretch", 1, 200, 1, width=220),
    colder: int = fr.slider("Warmer from now on, by °C", -10, 10, 0, width=220),
) -> fr.Blocks:
    yield (
        "Below 18 °C there is heating. One net is told the temperature of each hour, the next ones too; the other"
        " one is not."
    )
    load, degrees = (x[stretch - 1 : stretch] for x in weathers())
    moved = degrees.copy()
    moved[:, CONTEXT:] += colder
    warm = families.WARM
    true = load[0] - 1.6 * (np.maximum(0, warm - degrees[0]) - np.maximum(0, warm - moved[0]))
    told, alone = (nets.foretell_load(load[:, :CONTEXT], d)[0] for d in (moved, None))
    ahead, shown = range(1, HORIZON + 1), range(-35, HORIZON + 1)
    series: dict[str, Any] = {
        "load": (shown, true[CONTEXT - 36 :]),
        "load and temperature": (ahead, told[MIDDLE]),
        "its 80 %, from": (ahead, told[LOW]),
        "its 80 %, to": (ahead, told[HIGH]),
        "load alone": (ahead, alone[MIDDLE]),
    }
    degree = {"temperature": (shown, moved[0, CONTEXT - 36 :])}
    errors = weather_errors()
    yield fr.Beside(
        [
            [fr.curves("loads", "Load, and what is expected", series, "hours from now", "load")],
            [fr.curves("degrees", "Temperature", degree, "hours from now", "°C")],
        ],
        (3, 2),
    )
    by_hour = {k: (ahead, v) for k, v in errors.items()}
    yield fr.curves("hours", "Mean error", by_hour, "hours ahead", "load", whole=True)
    alone_, told_, _yesterday = (one.mean() for one in errors.values())
    yield _(
        "On 200 stretches that no net has learned from, the mean error is **{told:.2f}** with the temperature and"
        " {alone:.2f} without. The temperatures to come are the true ones here; a weather service would err.",
        told=told_,
        alone=alone_,
    )


RATES = {0.002: "1 in 500", 0.01: "1 in 100", 0.05: "1 in 20"}


@fr.part("Alarm")
def alarms(
    machine: str = fr.pick(
        "Series", ("pulse", "load", "sine"), "pulse", words=lambda n: families.CALLED[n]
    ),
    kind: str = fr.pick("Fault", alarm.KINDS, "jump", width=180),
    size: float = fr.slider("Size, in standard deviations", 0.0, 4.0, 2.0, 0.25),
    rate: float = fr.pick("False alarms wanted", RATES, 0.01, few=True),
    run_seed: int = fr.slider("Run", 1, 30, 1, width=160),
) -> fr.Blocks:
    yield (
        "The LSTM forecasts the next number from the last 48. Where the truth lies too far from its median, in"
        " half-widths of its 80 % fan, there is an alarm."
    )
    yield fr.Progress(0.2, _("Scoring 90 runs"))
    found = told_alarms(machine, kind, size, rate)
    most = found["net"]["threshold"]
    x_RN = families.make_many(machine, alarm.OTHER, alarm.RUNS, alarm.READ + alarm.SCORED)
    x_RN = alarm.faulty(x_RN, kind, size, alarm.OTHER)[run_seed - 1 : run_seed]
    score, _step, quantile = alarm.score(x_RN)
    at = np.arange(alarm.SCORED) - alarm.FAULT
    middle = quantile[0, :, MIDDLE]
    half = (quantile[0, :, HIGH] - quantile[0, :, LOW]) / 2
    yield fr.curves(
        "alarmed",
        "The run, and the band outside which there is an alarm; the fault begins at 0",
        {
            "the run": (at, x_RN[0, alarm.READ :]),
            "band, low": (at, middle - most * half),
            "band, high": (at, middle + most * half),
        },
        "numbers since the fault",
        "value",
    )
    places = ", ".join(f"{n}".replace("-", "−") for n in at[score[0] > most][:12])
    yield _("Alarms at: {places}.", places=places or "–")
    before = int((score[0, : alarm.FAULT] > most).sum())
    after = np.flatnonzero(score[0, alarm.FAULT :] > most)
    if len(after):
        yield _(
            "In this run: caught at number **{n}** of the fault, {false} false {false|alarm|alarms}"
            " before.",
            n=int(after[0]) + 1,
            false=before,
        )
    else:
        yield _(
            "In this run: **never caught**, {false} false {false|alarm|alarms} before.",
            false=before,
        )
    names = {"net": "Off the forecast of the LSTM", "step": "A step larger than usual"}
    heads = (
        "alarm",
        "threshold",
        "false alarms, measured",
        "caught within 24",
        "numbers until then, median",
    )
    rows = [
        (names[n], *(found[n][k] for k in ("threshold", "false", "caught", "after"))) for n in names
    ]
    yield fr.table(
        heads,
        rows,
        forms={heads[1]: "%.2f", heads[2]: "percent", heads[3]: fr.SHARE, heads[4]: "%.0f"},
    )
    yield fr.Note(
        "The threshold comes from 30 normal runs, false alarms are counted on 30 others, faults on 30 more. A fault of"
        " size 0 is caught as often as a false alarm falls into 24 numbers."
    )


told_alarms = fr.once(alarm.judged)
EDGES = (0.0, 3.0, 12.0, 30.0)


@fr.once
def gap_errors() -> list[tuple[float, float, list[float]]]:
    """(gap from, to, mean errors of the three) on 2,000 held-out records."""
    value, apart = gaps.made(np.random.default_rng((6, 0)), 2_000)
    true, gap = value[:, -1], apart[:, -1]
    said = [gaps.foretold(n, value[:, :-1], apart)[:, MIDDLE] for n in ("gaps", "counting")]
    said.append(value[:, -2])
    found = []
    for low, high in (*pairwise(EDGES), (0.0, 30.0)):
        here = (gap > low) & (gap <= high)
        found.append((low, high, [float(np.abs(one - true)[here].mean()) for one in said]))
    return found


@fr.part("Gaps")
def gapped(record: int = fr.slider("Record", 1, 200, 1, width=220)) -> fr.Blocks:
    yield (
        "A patient is measured at irregular times. One LSTM reads the values and, with each, **the hours since the one"
        " before**; the other counts steps, as a plain LSTM does. What do they expect, by how long the next gap is?"
    )
    value, apart = gaps.made(np.random.default_rng((6, record)), 1)
    hours = np.linspace(0.5, 30, 60)
    many = np.repeat(value, len(hours), 0), np.repeat(apart, len(hours), 0)
    many[1][:, -1] = hours
    told, counting = (gaps.foretold(n, many[0][:, :-1], many[1]) for n in ("gaps", "counting"))
    time = apart[0, :-1].cumsum()
    time -= time[-1]
    near = time > -48
    series = {
        "measured": (time[near], value[0, :-1][near]),
        "told the hours": (hours, told[:, MIDDLE]),
        "its 80 %, from": (hours, told[:, LOW]),
        "its 80 %, to": (hours, told[:, HIGH]),
        "counting steps": (hours, counting[:, MIDDLE]),
    }
    yield fr.curves(
        "record", "A record, and what is expected after each gap", series, "hours from now", "value"
    )
    heads = "hours to the next", "told the hours", "counting steps", "the last value"
    rows = [(f"{low:.0f}–{high:.0f}", *errors) for low, high, errors in gap_errors()]
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.2f"))
    yield fr.Note("Mean error on 2,000 held-out records; the last row is of all gaps.")


def heard(seed: int, hiss: float) -> tuple[np.ndarray, np.ndarray]:
    """(features, labels) of a sound that no net has learned from."""
    return sound.made(np.random.default_rng((8, seed)), hiss)[1:]


@fr.once
def sound_right(hiss: float) -> dict[str, float]:
    """The share of frames of 100 sounds that are labelled right."""
    found_BTF, label_BT = (
        np.stack(part) for part in zip(*(heard(n, hiss) for n in range(100, 200)), strict=True)
    )
    return {
        name: float((sound.labelled(name, found_BTF) == label_BT).mean())
        for name in ("sound", "frame")
    }


@fr.part("Sound in frames")
def frames(
    sound_seed: int = fr.slider("Sound", 1, 50, 1, width=220),
    hiss: float = fr.slider("Hiss", 0.0, 3.0, 1.0, 0.25, width=220),
) -> fr.Blocks:
    yield (
        "A sound is numbers, too. Each frame of 20 ms is read as its power in 16 bands, and gets a label: a, i, u, s"
        " or silence. One net sees each frame alone, an LSTM carries a state along."
    )
    found_TB, label_T = heard(sound_seed, hiss)
    around_TB = found_TB - found_TB.mean()
    bands = [f"{250 * b} Hz" for b in range(1, sound.BANDS + 1)]
    yield fr.grid(
        "frames",
        "Power in each band, as a logarithm, around its mean",
        (around_TB / np.abs(around_TB).max()).T[::-1],
        ("row", bands[::-1]),
        ("step", range(1, sound.FRAMES + 1)),
        Kind.STATE,
    )
    rows = (label_T, *(sound.labelled(n, found_TB[None])[0] for n in ("sound", "frame")))
    spoken, lstm, alone = ("".join(sound.LABELS[k] for k in row) for row in rows)
    yield fr.Code(
        _(
            "spoken      {spoken}\nLSTM        {lstm}\nframe alone {alone}",
            spoken=spoken,
            lstm=lstm,
            alone=alone,
        ),
        None,
    )
    right = sound_right(hiss)
    yield _(
        "Of 6,000 frames of other sounds at this hiss the LSTM labels **{told:.1%}** right, the net that sees one frame"
        " {alone:.1%}.",
        told=right["sound"],
        alone=right["frame"],
    )
    yield fr.Note(
        "Real speech has hundreds of such sounds, which flow into one another, and is labelled with words."
    )


PARTS = (wins, windows, outside, alarms, gapped, frames)
__all__ = ["HEAD", "PARTS"]
