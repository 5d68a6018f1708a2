"""How lines become one matrix, and what a training step keeps and computes, from top to bottom of the page."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.optimising import noise_scale
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons.batches import dropout, halves, memory, padding
from engine.lessons.batches.halves import FORMATS, Format, Shares
from engine.models.neural import NeuralLanguageModel, copy_apart
from engine.nn.windows import CHOICE
from engine.text import collection

SHEETS = ("batches/batches.css",)
Net = NeuralLanguageModel[Any]
SMALL = fr.shipped("lstm_small")
NOT_THERE = "The shipped runs are not there."


# ------------------------------------------------------------------ lines in one matrix

LONGEST, MOST, MANY = 64, 32, 256  # characters of a line; lines on the board, and for the meter
BEGINNING = 40_000  # characters that are read of a text
MODES = {"padded": "As they come", "sorted": "Sorted by length", "packed": "Packed"}


def texts(given: fr.Others) -> dict[str, str]:
    return {corpus.id: corpus.title for corpus in collection.list_all("text")}


@fr.once
def beginning(id: str) -> str:
    return str(collection.find(id).text())[:BEGINNING]


@fr.part("", always=True)
def lines(
    small: Net | None = SMALL,
    order: str = fr.pick("Order", MODES, width=190),
    size: int = fr.slider("Lines in a batch", 1, 16, 8, width=170),
    count: int = fr.slider("Lines of text", 2, MOST, 16, width=150),
    of_text: str = fr.pick("Text", texts, "stories", width=230),
    *,
    pool: int = fr.slider("Batches that are sorted together", 1, CHOICE, CHOICE, width=210),
    lines: str = fr.typed(
        "One row of the batch for each line; empty: the lines of the text", "", 4_000, tall=220
    ),
    longest: int = fr.slider("Longest line, characters", 5, LONGEST, LONGEST),
) -> fr.Blocks:
    together = [fr.Controls(["pool"])] if order == "sorted" else []
    yield fr.Line(
        [
            *together,
            fr.Controls(["lines", "longest"], button="Your own lines"),
            fr.Presets(
                "An example",
                {"Three lines with 20 % waste": {"lines": "ABCDE\nFGH\nIJKL", "order": "padded"}},
            ),
        ]
    )
    if small is None:
        raise ValueError(NOT_THERE)
    own = padding.lines_of(lines, MOST, longest)
    found = own or padding.lines_of(beginning(of_text), count, longest)
    cut = [(line, small.tokens(line)) for line in found]
    cut = [(line, tokens) for line, tokens in cut if len(tokens) > 1]
    if not cut:
        raise ValueError("This text has no lines to show. Choose another, or type your own.")
    labels = [[*tokens.labels][1:] for _line, tokens in cut]
    lengths = [len(one) for one in labels]
    batches = padding.batches(lengths, size, pool if order == "sorted" else 1)
    yield fr.Section(
        "lines", [fr.Board("batches/matrix.js", matrix(order, labels, batches), sheets=SHEETS)]
    )
    yield fr.Note(
        "The lines of a batch do not depend on each other, so a step reads them at once, as the rows of a"
        " matrix, in one product; only the steps wait for one another."
    )
    yield fr.Train({"passages": True, "batch": size}, text="stories")
    cut_first = [cut[i] for i in batches[0]]
    first = [line for line, _tokens in cut_first]
    many = own or padding.lines_of(beginning(of_text), MANY, longest)
    without = mask(small, first, [np.asarray(tokens.ids) for _line, tokens in cut_first])
    yield fr.Beside(
        [[fr.Section("mask", [*without])], [fr.Section("meter", [*meter(tuple(map(len, many)))])]]
    )


def matrix(order: str, labels: list[list[str]], batches: list[list[int]]) -> dict[str, Any]:
    """What the board draws."""
    found, lengths = [], [len(one) for one in labels]
    for n, some in enumerate(batches, 1):
        made = padding.packed([lengths[i] for i in some])
        width, real = max(lengths[i] for i in some), sum(lengths[i] for i in some)
        cells, places = width * len(some), {at: k for k, at in enumerate(made.at)}
        told = (
            _("{real:,} tokens and no padding; {width} steps", real=real, width=width)
            if order == "packed"
            else _(
                "{some} × {width} = {cells:,} cells, {cells_2:,} of them padding: {real:.0f} %",
                some=len(some),
                width=width,
                cells=cells,
                cells_2=cells - real,
                real=100 * (1 - real / cells),
            )
        )
        rows = [
            {
                "line": some[r] + 1,
                "tokens": labels[some[r]],
                "places": [places[r, t] for t in range(lengths[some[r]])],
            }
            for r in (made.order if order == "packed" else range(len(some)))
        ]
        found.append(
            {
                "name": _("Batch {n}", n=n),
                "told": told,
                "width": width,
                "sizes": made.sizes,
                "rows": rows,
            }
        )
    says = (
        _(
            "{lengths:,} tokens in {batches} batches, packed: no cell is empty. A step"
            " reads only the lines that still go on, the longest first.",
            lengths=sum(lengths),
            batches=len(batches),
        )
        if order == "packed"
        else _(
            "{lengths} of all cells are padding: they cost time and memory and teach nothing.",
            lengths=f"{padding.waste(lengths, batches):.0%}",
        )
    )
    words = ["token", "padding", "lines at work at each step"]
    return {"mode": order, "batches": found, "says": says, "words": words}


def mask(small: Net, lines: list[str], ids: list[np.ndarray]) -> fr.Blocks:
    losses, ends = padding.read(small, ids)
    yield "**Without a mask** (batch 1, read by a small LSTM)"
    yield fr.Formula(
        rf"\frac{{\sum m_t L_t}}{{\sum m_t}} = \frac{{{number(losses.total)}}}{{{losses.real}}}"
        rf" = {number(losses.by_tokens)}\ \text{{nats}}"
    )
    heads = "divided by", "loss", "if each token costs 1"
    yield fr.table(
        heads,
        (
            (_("{real} tokens", real=losses.real), losses.by_tokens, 1.0),
            (_("{every} cells", every=losses.every), losses.by_cells, losses.real / losses.every),
            (_("{rows} lines", rows=losses.rows), losses.by_lines, losses.real / losses.rows),
            ("padding taught as well", losses.taught, 1.0),
        ),
        forms=dict.fromkeys(heads[1:], "%.4f"),
    )
    worst = max(range(len(ends)), key=lambda n: ends[n].away)
    yield _(
        "The state at the last place of the matrix is not that of the line's last token. Of “{line}” the two"
        " differ by **{away}** times the length of the right one. At real tokens padding behind them changes"
        " nothing: {same}.",
        line=lines[worst][:30],
        away=ends[worst].away,
        same=max(end.same for end in ends),
    )


@fr.once
def meters(lengths: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, list[float]]:
    """Percent of padding for each size of a batch."""
    rows = {b: padding.batches(lengths, b) for b in sizes}
    waste = {
        "all as wide as the longest": [
            padding.waste(lengths, rows[b], max(lengths)) for b in sizes
        ],
        "as they come": [padding.waste(lengths, rows[b]) for b in sizes],
        "as the training room draws": [padding.drawn([n + 1 for n in lengths], b) for b in sizes],
        "all sorted": [
            padding.waste(lengths, padding.batches(lengths, b, len(lengths))) for b in sizes
        ],
        "packed": [0.0 for _b in sizes],
    }
    return {name: [100 * w for w in values] for name, values in waste.items()}


def meter(lengths: tuple[int, ...]) -> fr.Blocks:
    sizes = tuple(b for b in (1, 2, 4, 8, 16, 32, 64) if b <= len(lengths))
    yield fr.curves(
        "meter",
        "Padding, percent of all cells, over the size of a batch",
        {name: (sizes, values) for name, values in meters(lengths, sizes).items()},
        "lines in a batch",
        "percent padding",
        _("{n} lines", n=len(lengths)),
        log_x=True,
        low=0,
    )
    yield fr.Note(
        _(
            "The training room draws {choice} batches' worth of passages, sorts them by"
            " length and takes one batch of them: little padding, and the order stays"
            " random. Sorting all lines wastes least, but each epoch then has the same"
            " batches.",
            choice=CHOICE,
        )
    )


# ------------------------------------------------------------------ dropout

UNITS = 2_000
MOST_TRAINED = 0.7  # the training room takes no more
SHORT = {"layer": "between layers", "fresh": "fresh", "variational": "one mask"}
masked = fr.once(dropout.masks)


@fr.part("Dropout in time", was=("part-dropout-in-time",))
def dropped(
    p_drop: float = fr.slider("Share that is dropped", 0.0, 0.9, 0.3, 0.05),
    p_steps: int = fr.slider("Steps", 2, 60, 20),
    p_seed: int = fr.number("Seed", 0, 999_999, 0, width=120),
) -> fr.Blocks:
    yield (
        "In training, dropout silences units at random and makes the others larger, so that the mean stays. In a"
        " recurrent net it matters **when** the mask is drawn: a fresh one at each step of the state soon"
        " wipes out what the net remembers."
    )
    n = np.arange(p_steps + 1)
    series: dict[str, Any] = {}
    rows = list[tuple[Any, ...]]()
    for form, name in SHORT.items():
        held = dropout.memory(form, masked(form, p_drop, p_steps, UNITS, p_seed))
        alive, formula = (held > 0).mean(1), dropout.left(form, p_drop, p_steps)
        series |= {name: (n, alive), _("{name}: formula", name=name): (n, formula)}
        ends = formula[-1], alive[-1], held[-1].mean(), held[-1].max()
        rows.append((name, *map(float, ends)))
    heads = "form", "by formula", "left, drawn", "mean", "largest"
    title = "Share of the units that still hold what they held at the start"
    said: list[fr.Block] = [
        fr.Formula(
            rf"\text{{fresh: }} (1 - p)^n = {number(1 - p_drop)}^{{{p_steps}}} = {number((1 - p_drop) ** p_steps)}"
        ),
        fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.4g")),
        "A state that each step copies grows by 1 / (1 − p) wherever it goes on, in both recurrent forms. An LSTM"
        " escapes that: only what its gates read of h is masked, and its memory c goes on untouched.",
    ]
    note = _("share {p:g}, {units:,} units", p=p_drop, units=UNITS)
    drawn = fr.curves("left", title, series, "step", "share", note, low=0, high=1.05)
    yield fr.Beside([[drawn], said])
    most = min(p_drop, MOST_TRAINED)
    yield fr.Train({"dropout": most, "recurrent_dropout": most, "layers": 2}, text="stories")


# ------------------------------------------------------------------ half precision

POWERS = range(0, 41, 2)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@fr.once
def gradients(small: Net) -> np.ndarray:
    """Of the mean loss of a batch, as float32."""
    model = copy_apart(small)
    ids = noise_scale.windows(model, beginning("stories"), 32, noise_scale.SPAN, 0)
    return np.asarray(noise_scale.gradient(model, ids)[0].numpy())


@fr.once
def scaled(small: Net, id: str, power: int) -> Shares:
    return halves.shares(gradients(small), 2.0**power, FORMATS[id])


@fr.once
def best(small: Net) -> int:
    return halves.best(gradients(small), FORMATS["float16"])


@fr.part("Half precision", was=("part-half-precision",))
def bits(
    small: Net | None = SMALL,
    number: str = fr.typed("A number", "0.1", 40, width=200),
    h_power: int = fr.slider("Loss scale, 2 to the power of", 0, 40, 0),
) -> fr.Blocks:
    if small is None:
        raise ValueError(NOT_THERE)
    numbers = {name: {"number": name} for name in ("0.3333333333", "2e-8", "70000")}
    yield fr.Presets("Examples", numbers)
    try:
        x = float((number or "0.1").replace(",", "."))
    except ValueError:
        raise ValueError("A number only, such as 0.1 or 2e-8.") from None
    yield fr.table(
        ("format", "sign", "exponent", "digits", "value", ""),
        map(partial(cut, x), FORMATS.values()),
    )
    yield (
        "**Loss scale.** A small gradient becomes 0 in float16. The loss is multiplied by a number first, and so"
        " are all its gradients; before the step they are divided by it again."
    )
    half, brain = (scaled(small, id, h_power) for id in ("float16", "bfloat16"))
    yield _(
        "With a loss scale of {scale:,}, **{zero:.2%}** of the gradients of a shipped LSTM become 0 in float16,"
        " {short:.2%} lose digits, and {over:.2%} overflow. In bfloat16, which has the range of float32,"
        " {brain:.2%} become 0. The best scale for float16 is 2 to the power of {best}.",
        scale=2**h_power,
        zero=half.zero,
        short=half.short,
        over=half.over,
        brain=brain.zero,
        best=best(small),
    )
    parts = (
        ("0 in float16", "float16", "zero"),
        ("short in float16", "float16", "short"),
        ("too large for float16", "float16", "over"),
        ("0 in bfloat16", "bfloat16", "zero"),
    )
    series = {
        name: (POWERS, [100 * getattr(scaled(small, id, k), what) for k in POWERS])
        for name, id, what in parts
    }
    title = "Gradients that become 0 or overflow, percent"
    yield fr.curves("underflow", title, series, "loss scale, power of two", "percent")
    yield fr.Note(
        "One gradient that overflows spoils the step: it is left out, and the scale is halved. Before gradients are"
        " clipped, the scale has to be taken out of them."
    )
    yield fr.Train({"mixed": True}, text="stories")


def cut(x: float, of: Format) -> tuple[str, ...]:
    """A number in a format: its bits, its value, and what was lost."""
    held = halves.pattern(x, of)
    bits, made = f"{held:0{of.bits}b}", halves.value(held, of)
    parts = bits[0], bits[1 : 1 + of.exponent], bits[1 + of.exponent :]
    return (of.id, *parts, f"{made:.10g}", write_float(x, held, made, of))


def write_float(x: float, bits: int, made: float, of: Format) -> str:
    if np.isinf(made) and np.isfinite(x):
        return _("too large: the largest number is {largest:.6g}", largest=of.largest)
    if not np.isfinite(made):
        return "all bits of the exponent are 1: infinite, or no number"
    if made == 0 and x:
        return _("too small: the smallest number is {smallest:.3g}", smallest=of.smallest)
    e = bits >> of.digits & 2**of.exponent - 1
    m = bits & 2**of.digits - 1
    power = max(e, 1) - of.bias
    off = _("{made:.2g} off", made=made - x) if made != x else _("exact")
    sign = "−" if made < 0 else ""
    return (
        f"{sign}2{str(power).translate(RAISED)} · ({int(e > 0)} + {m:,} / {2**of.digits:,}); " + off
    )


# ------------------------------------------------------------------ fewer bits


@fr.part("Fewer bits", was=("part-fewer-bits",))
def fewer() -> fr.Blocks:
    yield "A trained net in fewer bits, pruned, or taught to a smaller one has a lesson of its own."
    yield fr.Link("smaller", "Smaller models")
    yield fr.Train({"bits": 4}, text="stories", words="Train with weights of 4 bits in mind")


# ------------------------------------------------------------------ checkpoints


@fr.once
def measured(layers: int, tokens: int) -> tuple[memory.Measured, memory.Measured]:
    return (
        memory.measured(False, layers, tokens=tokens),
        memory.measured(True, layers, tokens=tokens),
    )


@fr.part("Checkpoints", was=("part-checkpoints",))
def checkpoints(
    m_parts: int = fr.slider("Parts: layers or steps", 2, 64, 16, width=240),
    m_segments: int = fr.slider("Segments", 1, 64, 4, width=240),
    *,
    m_layers: int = fr.slider("Layers", 1, 8, 6, width=200),
    m_tokens: int = fr.pick("Tokens", (32, 64, 128), 64, few=True),
) -> fr.Blocks:
    yield (
        "The way back needs what the way forward computed, so all of it is kept. With checkpoints only what goes into"
        " each segment is kept, and on the way back one segment at a time is computed once more."
    )
    segments = min(m_segments, m_parts)
    held = {
        "all kept": [m.size(1) for m in memory.timeline(m_parts, 0)],
        _("{segments} segments", segments=segments): [
            m.size(1) for m in memory.timeline(m_parts, segments)
        ],
    }
    again = sum(m.what == "again" for m in memory.timeline(m_parts, segments))
    yield fr.curves(
        "timeline",
        "What is held while one step is computed, in parts",
        {name: (range(1, len(sizes) + 1), sizes) for name, sizes in held.items()},
        "parts computed",
        "held",
        _(
            "{parts} parts; on the way {again} are computed a second time",
            parts=m_parts,
            again=again,
        ),
        low=0,
    )
    least = max(1, round(math.sqrt(m_parts)))
    yield fr.Formula(
        rf"s + \frac{{N}}{{s}} = {segments} + \frac{{{m_parts}}}{{{segments}}} ="
        rf" {number(segments + m_parts / segments)}, \qquad"
        rf" \text{{least at }} s = \sqrt{{N}} = {number(math.sqrt(m_parts))}"
    )
    yield _(
        "All kept, {parts} parts are held; with {segments} segments at most **{most:g}**, with {best} segments"
        " {least:g}.",
        parts=m_parts,
        segments=segments,
        most=memory.peak(m_parts, segments),
        best=least,
        least=memory.peak(m_parts, least),
    )
    yield "**A real step** of the engine's own LSTM layers, 64 units, 16 lines"
    yield fr.Controls(["m_layers", "m_tokens"])
    plain, put = measured(m_layers, m_tokens)
    yield fr.curves(
        "measured",
        "Memory held during one step, megabytes",
        {
            name: ([1000 * t for t in one.at], [b / 1e6 for b in one.held])
            for name, one in (("all kept", plain), ("recomputed", put))
        },
        "milliseconds, with the profiler",
        "megabytes",
        _(
            "{layers} layers, {tokens} tokens: every allocation on the processor",
            layers=m_layers,
            tokens=m_tokens,
        ),
        low=0,
    )
    yield _(
        "The peak falls to **{share:.0%}**, {most:.2f} MB in place of {all:.2f}; the step takes {times} times as long,"
        " and the length of the gradient is the same, {again:.6g} and {gradient:.6g}.",
        share=put.peak / plain.peak,
        most=put.peak / 1e6,
        all=plain.peak / 1e6,
        times=put.seconds / plain.seconds,
        again=put.gradient,
        gradient=plain.gradient,
    )
    yield fr.Train({"recompute": True, "layers": m_layers, "units": 64}, text="stories")


PARTS = (lines, dropped, bits, fewer, checkpoints)
