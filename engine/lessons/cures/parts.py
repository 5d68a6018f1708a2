"""The page from top to bottom: signal and gradient of fresh nets, one unit seen in three ways, and what each
cure does.

Shapes    L = layers, T = characters, H = units, N = steps
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from engine import frame as fr
from engine.analysis import cures, recall, starts
from engine.analysis.cures import Sizes, Switches
from engine.analysis.recall import Training
from engine.core.trace import Field, Kind, Table
from engine.language.message import Message, _
from engine.language.numbers import number
from engine.lessons.cures import clipped, normalised, one_unit
from engine.views.outlines import ARROW, OUTLINE

CELLS = {"rnn": "plain", "gru": "GRU", "lstm": "LSTM"}
ACTIVATIONS = {"tanh": "tanh", "sigmoid": "sigmoid", "relu": "ReLU"}
STARTS = {
    "torch": "±1/√H",
    "uniform": "±0.1",
    "xavier": "Xavier",
    "he": "He",
    "orthogonal": "orthogonal",
}
VERDICTS = {
    "vanishes": _("it vanishes"),
    "explodes": _("it explodes"),
    "flows": _("it flows"),
    "overflows": _("it overflows"),
}
KEYS = "the keys of the man are lost"
PLAIN = {"cell": "rnn", "residual": False}
EXAMPLES = {
    "28 steps: a forget bias of 3": {"text": KEYS, "layers": 4, "cell": "lstm", "forget": 3.0},
    "One step, 20 layers, residual connections": PLAIN
    | {"text": "a", "layers": 20, "residual": True},
    "Half as far again: is a bias of 3 still enough?": {
        "text": "the man who wrote the book she had read left",
        "cell": "lstm",
        "forget": 3.0,
    },
}
# what the parts on fresh nets share
WORDS = fr.shared(fr.typed("Text", KEYS, cures.MOST_STEPS, live=True))
LAYERS = fr.shared(fr.slider("Layers", 1, 20, 4))
SCALE = fr.shared(fr.slider("Weights times", 0.1, 4.0, 1.0, 0.1))
ACTIVATION = fr.shared(fr.pick("Activation", ACTIVATIONS, "tanh"))
BOTH = fr.Controls(["layers", "scale", "activation"], button="Both nets")


@fr.once
def sizes(chosen: Switches, text: str) -> Sizes:
    return cures.on_text(chosen, text)


@fr.part("Switches over a fresh net", was=("cured_text", "instead", "begin", "norm", "residual"))
def flow(
    text: str = WORDS,
    *,
    layers: int = LAYERS,
    scale: float = SCALE,
    activation: str = ACTIVATION,
    cell: str = fr.pick("Cure: cell", CELLS, "lstm", width=106),
    forget: float = fr.slider("Forget bias", 0.0, 5.0, 3.0, 0.5, width=96),
    instead: str = fr.pick("Activation", {"": "as it is", **ACTIVATIONS}, width=105),
    begin: str = fr.pick("Initial weights", STARTS, width=112),
    norm: str = fr.pick("Norm", cures.NORMS, width=106),
    residual: bool = fr.switch("Residual"),
) -> fr.Blocks:
    text = text or " "
    plain = Switches(activation=activation, scale=scale, layers=layers)
    more = {"lstm": ["forget"], "rnn": ["instead"]}.get(cell, [])
    yield fr.Controls(["cell", *more, "begin", "norm", "residual"])
    chosen = replace(
        plain,
        cell=cell,
        activation=(instead if cell == "rnn" else "") or activation,
        start=begin,
        norm=norm,
        residual=residual,
        forget_bias=forget if cell == "lstm" else 0.0,
    )
    names, before, after = name_cures(plain, chosen), sizes(plain, text), sizes(chosen, text)
    nets = {"plain": ("plain net", before), "cured": (names, after)}
    for kind, title in (("gradient", "Gradient"), ("signal", "Signal")):
        if kind == "signal":
            yield from compare_switches(names, before, after)
        yield fr.Beside(
            [[size_map(kind, which, title, it, text, of)] for which, (of, it) in nets.items()]
        )
    yield fr.Line([fr.Presets("Examples", EXAMPLES), BOTH])
    shown = dict([*nets.values()][: 1 if chosen == plain else 2])
    back = {of: (range(len(text)), it.share_LT[0][::-1]) for of, it in shown.items()}
    yield fr.curves(
        "back",
        "How much reaches the input",
        back,
        "characters back",
        "share",
        "Gradient of each character's vector, as a share of that at the end",
        log_y=True,
    )
    yield fr.Note(
        "Fresh nets of 32 units, measured as you type: every character enters as a vector of its own,"
        " the loss stands at the last character, and nothing is learned yet. The gradient of a state is"
        " what comes back from the next step of its layer plus what comes down from the layer above; here"
        " it is a share of that at the last character in the top layer: pale where it is as large (10⁰),"
        " blue where it is smaller, orange where it is larger. −∞ is exactly 0, too small for the"
        " computer's numbers. Batch norm reads 15 shuffles of the text beside it."
    )


def name_cures(plain: Switches, chosen: Switches) -> str:
    """The cures in words."""
    bias = (
        _(", forget bias {forget_bias:g}", forget_bias=chosen.forget_bias)
        if chosen.forget_bias
        else ""
    )
    other = chosen.cell == "rnn" and chosen.activation != plain.activation
    names = (
        _(CELLS[chosen.cell]) + bias if chosen.cell != plain.cell else "",
        ACTIVATIONS[chosen.activation] if other else "",
        _("start {starts}", starts=STARTS[chosen.start]) if chosen.start != plain.start else "",
        cures.NORMS[chosen.norm] if chosen.norm != plain.norm else "",
        "residual connections" if chosen.residual else "",
    )
    return _("; ").join(name for name in names if name) or "no cure"


def compare_switches(names: str, before: Sizes, after: Sizes) -> fr.Blocks:
    """What the switches do."""
    (first, lowest), (now, low) = (
        (float(it.share_LT[0, 0]), float(it.share_LT[1, -1])) for it in (before, after)
    )
    cured = _("No cure is switched on.")
    if names != "no cure":
        verdict = VERDICTS[cures.verdict(now)]
        cured = _(
            "With {names}, it is **{now}**: **{verdict}**.", names=names, now=now, verdict=verdict
        )
    yield _(
        "Of the gradient at the end, **{first}** reaches the first character in the plain"
        " net: **{verdict}**. {cured}",
        first=first,
        verdict=_(VERDICTS[cures.verdict(first)]),
        cured=cured,
    )
    yield _(
        "Down the layers at the last character, {lowest} of it reaches the lowest; with the cures {low}.",
        lowest=lowest,
        low=low,
    )
    for name, it in (("plain net", before), ("net with cures", after)):
        if it.broken:
            yield _(
                "In the {net} the signal overflows: at character {n} in layer {layer} it first exceeds"
                " 3.4 × 10³⁸, the largest number there; what is computed from it is ∞, or no number (?).",
                net=Message(name),
                n=it.broken[1] + 1,
                layer=it.broken[0],
            )
            return
        if not (sound_T := np.isfinite(it.gradient_LT).all(0)).all():
            yield _(
                "In the {net} the gradient overflows on its way back at character {n}; what is computed"
                " from it is ∞, or no number (?).",
                net=Message(name),
                n=int(np.flatnonzero(~sound_T).max()) + 1,
            )
            return


def size_map(kind: str, which: str, title: str, it: Sizes, text: str, of: str) -> fr.Chart:
    """By layer, the highest on top, and by character: powers of ten."""
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.log10(it.share_LT if kind == "gradient" else it.signal_LT)
    layers = ("input", *range(1, len(powers)))
    says = (
        _("{title}, plain net", title=_(title))
        if which == "plain"
        else _("{title}, with cures", title=_(title))
    )
    found = Field.of(
        f"{kind}.{which}",
        Kind.GRADIENT if kind == "gradient" else Kind.STATE,
        {"layer": layers[::-1], "token": text},
        powers[::-1],
        says,
        unit="10ⁿ",
        domain=(-6.0, 6.0),
    )
    return fr.Chart(f"{kind}-{which}", says, "heatmap", (found,), of, text, fluid=True)


STEPS, DESCENT = 30, 30
FROM = (0.0, 0.25, 0.5, 0.75, 1.0)
B = (-6.0, 3.0)
H0 = fr.shared(fr.slider("State at the start, h₀", 0.0, 1.0, 0.4, 0.01, width=165))


@fr.part("One unit, three views", was=("w", "b", "fixed", "network", "bifurcation", "cliff"))
def views(
    w: float = fr.slider("Weight w", -8.0, 8.0, 5.0, 0.1, width=165),
    b: float = fr.slider("Bias b", *B, -2.5, 0.01, width=165),
    h: float = H0,
) -> fr.Blocks:
    yield (
        "One recurrent unit, seen as a dynamical system, dh/dt = σ(w h + b) − h, as a network,"
        " h ← σ(w h + b), and as a loss to descend; the same sliders drive all three."
    )
    fixed, here = one_unit.fixed_points(w, b), f"w {w:g}, b {b:g}".replace("-", "−")
    at = np.linspace(0, 1, 101)
    lines: fr.Series = {"σ(w h + b)": (at, one_unit.squash(w * at + b)), "h": (at, at)}
    for name, held in (("Stable", True), ("Unstable", False)):
        xs = [x for x, slope in fixed if (abs(slope) < 1) is held]
        for n, x in enumerate(xs, 1):
            lines = {**lines, f"{name} ({n})" if len(xs) > 1 else name: ([x], [x])}
    folds = sorted(round(x, 4) for __, x in one_unit.folds(w))
    marks = {
        _("here {n}", n=n) if len(fixed) > 1 else "at this bias": ([b], [x])
        for n, (x, __) in enumerate(fixed, 1)
    }
    steps = range(STEPS + 1)
    span = np.linspace(*B, 181)
    crossing = _("{here}; they lie where the curve crosses the line", here=here)
    cost = {
        f"({one_unit.WANTED:g} − h(T))²": (span, one_unit.losses(w, span, h)),
        "at this bias": ([b], one_unit.losses(w, np.array([b]), h)),
    }
    pictures = (
        ("fixed", "System: its fixed points", lines, "h", "next h", crossing),
        (
            "bifurcation",
            "System: fixed points by bias",
            {**branches(w, *B), **marks},
            "bias b",
            "h",
            _("w {w:g}; the fixed points merge at b = {one} and {two}", w=w, one=folds[0], two=folds[1])
            if folds
            else _("w {w:g}: one fixed point at any bias", w=w),
        ),
        (
            "network",
            "Network: its gradient",
            {
                _("from {x:g}", x=x): (steps, one_unit.network(w, b, x, STEPS)[1])
                for x in [*dict.fromkeys((h, *FROM))][:5]
            },
            "steps",
            "gradient",
            _("{here}; how long a small change of the first state is after t steps", here=here),
        ),
        (
            "cliff",
            "Loss, by bias",
            cost,
            "bias b",
            "loss",
            _("w {w:g}, from {h:g}, after a time of {time:g}", w=w, h=h, time=one_unit.TIME),
        ),
    )  # fmt: skip
    drawn = [[fr.curves(*chart, log_y=chart[0] == "network")] for chart in pictures]
    yield fr.Beside(drawn[:2])
    yield summary(w, b, h)
    yield fr.Beside(drawn[2:])


def branches(w: float, low: float, high: float) -> fr.Series:
    """Fixed points by bias, from one bias to another."""
    return {
        name: (b_N[inside], h_N[inside])
        for name, (b_N, h_N) in one_unit.branches(w).items()
        if (inside := (b_N >= low) & (b_N <= high)).any()
    }


def summary(w: float, b: float, h: float) -> str:
    """What the three views say together."""
    fixed = one_unit.fixed_points(w, b)
    stable = sum(abs(slope) < 1 for __, slope in fixed)
    end = one_unit.system(w, b, h)
    left = float(one_unit.network(w, b, h, STEPS)[1][-1])
    held = _("{n} of them stable", n=stable) if len(fixed) > 1 else _("and it is stable")
    if not stable:
        held = _("and it is not stable: the network jumps between two states")
    becomes = _("it stays within reach")
    if not 1e-3 <= left <= 100:
        becomes = VERDICTS["vanishes" if left < 1e-3 else "explodes"]
    return _(
        "{n} fixed {n|point|points}, {held}. From {start} the system comes to {end}, where one step"
        " multiplies a small change by {slope}. Over {steps} steps the gradient of the network"
        " becomes {left}: **{becomes}**. The loss is {loss}.",
        n=len(fixed),
        held=held,
        start=h,
        end=end,
        slope=min(fixed, key=lambda point: abs(point[0] - end))[1],
        steps=STEPS,
        becomes=becomes,
        left=left,
        loss=(one_unit.WANTED - end) ** 2,
    )


@fr.part("One step: slope times weight", was=("factor", "fw", "fz", "fn", "depth"))
def factor(
    fw: float = fr.slider("Weight of each layer", -8.0, 12.0, 4.0, 0.1, width=200),
    fz: float = fr.slider("Sum z at each layer", -8.0, 8.0, 0.0, 0.1, width=200),
    fn: int = fr.slider("Layers", 1, 40, 10, width=200),
) -> fr.Blocks:
    yield (
        "A step back multiplies a gradient by w σ′(z). The slope of σ is **at most 0.25**, at z = 0. Does every"
        " step therefore shrink a gradient to a quarter, even with ideal weights? **No**: the factor is the slope"
        " times the **weight**, 1 at w = 4 and 2 at w = 8. But large weights drive z away from 0, where the slope"
        " ends: a weight above what the slope takes may make a gradient explode, and need not."
    )
    yield (
        "A **residual connection**, y = x + F(x), adds 1 to the factor. The gradient is held up where F′ is small,"
        " grows where F′ is positive in every layer, and is lost where F′ is about −1."
    )
    slope = float(one_unit.squash(fz) * (1 - one_unit.squash(fz)))
    layers, one = range(fn + 1), fw * slope
    curves = {
        "|w σ′(z)|ⁿ": abs(one),
        "σ′(z)ⁿ, without the weight": slope,
        "|1 + w σ′(z)|ⁿ, residual": abs(1 + one),
    }
    powers = {name: (layers, [by**n for n in layers]) for name, by in curves.items()}
    title, here = "The gradient, layer by layer", _("w {w:g}, z {z:g}", w=fw, z=fz)
    yield fr.curves("depth", title, powers, "layers", "gradient", here, log_y=True)
    plain, alone, added = (values[-1] for _x, values in powers.values())
    yield fr.Note(
        _(
            "One layer multiplies by {one}, {n} layers by {plain}, with residual connections by {added}; the"
            " slope alone would leave {alone}.",
            one=abs(one),
            n=fn,
            plain=plain,
            added=added,
            alone=alone,
        )
    )


@fr.part("A cliff in the loss, and clipping", was=("plane", "clipping", "surface"))
def cliff(
    pw: float = fr.slider("It begins at weight", 0.0, 8.0, 6.0, 0.1, width=165),
    pb: float = fr.slider("and bias", *B, -2.8, 0.01, width=165),
    prate: float = fr.slider("Rate, power of ten", -2.0, 2.0, 1.0, 0.1, width=165),
    pclip: float = fr.slider("Longest gradient", 0.01, 2.0, 0.1, 0.01, width=165),
    *,
    h: float = H0,
) -> fr.Blocks:
    yield (
        "A ball rolls down the loss of one unit and may change weight **and** bias. At the cliff its gradient is"
        " long, and points across it: without clipping one step throws it far off, where the loss is flat and"
        " nothing calls it back. Clipped by its norm, a step keeps its direction."
    )
    rate, wide = 10**prate, ((-2.0, 12.0), (-12.0, 6.0))
    paths = {
        name: one_unit.descend(pw, pb, h, rate, c, DESCENT, wide)
        for name, c in (("not clipped", 0.0), (_("clipped at {pclip:g}", pclip=pclip), pclip))
    }
    edge_w = np.linspace(4.01, 8, 60)
    edges = [[one_unit.folds(x)[n][1] for x in edge_w] for n in (0, 1)]
    way: fr.Series = {
        "cliff: fixed points merge": (edges[0], edge_w),
        "cliff, other side": (edges[1], edge_w),
        **{name: (b_N, w_N) for name, (w_N, b_N, _l) in paths.items()},
    }
    heights = {name: (range(len(loss_N)), loss_N) for name, (_w, _b, loss_N) in paths.items()}
    of = _("from w {w:g}, b {b:g}, rate {rate:.3g}", w=pw, b=pb, rate=rate)
    title = "Its way over weight and bias"
    yield fr.Beside(
        [
            [fr.curves("plane", title, way, "bias b", "weight w", of)],
            [fr.curves("plane_loss", "Its loss", heights, "step of descent", "loss", of)],
        ]
    )
    (w_N, b_N, free_N), (_w, _b, held_N) = paths.values()
    _loss, by_w, by_b = one_unit.slopes(pw, pb, h)
    yield fr.Note(
        _(
            "At the start the gradient is ({by_w}, {by_b}), for weight and bias. The longest step without"
            " clipping is {far} long. Loss at the end: {free} not clipped, {held} clipped.",
            by_w=by_w,
            by_b=by_b,
            far=float(np.hypot(np.diff(w_N), np.diff(b_N)).max(initial=0.0)),
            free=float(free_N[-1]),
            held=float(held_N[-1]),
        )
    )


WHY = {
    "no cure": "Every step back multiplies by the slope and by W_hh.",
    "orthogonal start": "Every singular value of W_hh is 1: only the slope shrinks the gradient.",
    "ReLU, He start": "The slope is 1 or 0, and the weights are larger: it may explode instead.",
    "residual connections": "They lead past layers, not past steps.",
    "layer norm": "It divides by the spread of the units: large weights saturate nothing.",
    "batch norm": "The same by the spread over the texts; the texts now depend on each other.",
    "GRU": "1 − z of the state stays; as it begins, z is about a half.",
    "LSTM": "The share f of the memory stays; as it begins, f is about a half.",
    "LSTM, forget bias 3": "f is about 0.95: the memory hands the gradient on.",
}


@fr.part("Each cure by itself")
def alone(
    text: str = WORDS, *, layers: int = LAYERS, scale: float = SCALE, activation: str = ACTIVATION
) -> fr.Blocks:
    yield (
        "The plain net with **one** change at a time. None of them is a guarantee: set other"
        " weights, another activation or more layers, and see which still hold."
    )
    yield BOTH
    plain = Switches(activation=activation, scale=scale, layers=layers)
    found = {
        name: sizes(one, text or " ")
        for name, one in {"no cure": plain, **cures.flipped(plain)}.items()
    }
    heads = ("cure", "first character", "gradient", "lowest layer", "signal at the end", "why")
    rows = [
        (
            name,
            number(first := float(it.share_LT[0, 0])),
            VERDICTS[cures.verdict(first)],
            number(float(it.share_LT[1, -1])),
            number(float(it.signal_LT[-1, -1])),
            WHY[name],
        )
        for name, it in found.items()
    ]
    yield fr.table(heads, rows)
    yield fr.Note(
        "First character: the share of the gradient at the end that reaches its vector. Lowest layer:"
        " the share that reaches the first layer at the last character. Gradient: vanishes below"
        " 0.001, explodes above 1,000."
    )


BIASES = (0.0, 1.0, 2.0, 3.0)


@fr.part("How weights begin", was=("spectrum",))
def weights_begin(
    text: str = WORDS,
    *,
    scale: float = SCALE,
    activation: str = ACTIVATION,
    spectrum: str = fr.pick("Initial weights", STARTS, "orthogonal", width=160),
) -> fr.Blocks:
    yield (
        "A step back multiplies the gradient by W_hh. Its **singular values** say by how much a vector"
        " can shrink or grow in one step; its **eigenvalues** what many steps come to. A gradient can"
        " explode only where the largest singular value is above 1 divided by the steepest slope: 1"
        " for tanh and ReLU, 4 for the sigmoid. Where it is, it need not."
    )
    yield fr.Controls(["scale", "activation"], button="Both nets")
    spectra = {kind: starts.spectrum(kind, scale) for kind in starts.KINDS}
    bound = (1 + 1e-6) / starts.SLOPES[activation]
    order = range(1, cures.H + 1)
    singular = {STARTS[kind]: (order, values) for kind, (_e, values) in spectra.items()}
    heads = (
        "start",
        "largest eigenvalue",
        "largest singular value",
        _("{activations}: can explode", activations=_(ACTIVATIONS[activation])),
    )
    rows = [
        (STARTS[kind], float(np.abs(e).max()), float(v[0]), "yes" if v[0] > bound else "no")
        for kind, (e, v) in spectra.items()
    ]
    note = _("Weights times {scale:g}, 32 units", scale=scale)
    x = "from the largest to the smallest"
    drawn = fr.curves("singular", "Singular values of W_hh", singular, x, "singular value", note)
    forms = dict.fromkeys(heads[1:3], "%.3f")
    yield fr.Beside([[drawn], [fr.table(heads, rows, forms=forms)]], (7, 5))
    yield "**The forget gate as it begins**:"
    yield fr.Controls(["spectrum"])
    edges = np.linspace(0, 1, 41)
    gates = forgotten(text or " ", spectrum)
    shares = {
        _("bias {bias:g}", bias=bias): (
            (edges[1:] + edges[:-1]) / 2,
            np.histogram(f, edges)[0] / len(f),
        )
        for bias, f in gates.items()
    }
    left = _("All units and steps of the text, one layer, start {start}", start=_(STARTS[spectrum]))
    title = "Forget gates of a fresh LSTM"
    yield fr.curves("forget-gates", title, shares, "forget gate", "share of all", left)
    means = ", ".join(f"{f.mean():.2f} ({bias:g})" for bias, f in gates.items())
    yield fr.Note(
        _(
            "Forget gates on average, by bias: {means}. A cell that has two biases needs the forget bias in one"
            " of them only: set in both, 1 acts as 2. Xavier keeps the variance where the activation is about"
            " linear around 0; He doubles it for ReLU, which lets half through. With residual connections every"
            " layer adds its own variance; weights divided by √N keep the sum of N layers small.",
            means=_(means),
        )
    )
    (xavier, spread), (he, _he) = (starts.bounds(300, 512)[kind] for kind in ("xavier", "he"))
    yield fr.Note(
        _(
            "For 300 inputs and 512 units Xavier draws ±{xavier} (standard deviation {spread}) and He ±{he};"
            " drawn over the four stacked gates of an LSTM at once, Xavier would be ±{stacked}, too small for"
            " each.",
            xavier=xavier,
            spread=spread,
            he=he,
            stacked=starts.bounds(300, 512, 4)["xavier"][0],
        )
    )


@fr.once
def forgotten(text: str, start: str) -> dict[float, np.ndarray]:
    return {bias: starts.gates(cures.inputs(text), bias, start) for bias in BIASES}


TEXTS, TIMES, UNITS = 4, 2, 3
NUMBERS = (
    (1, 4, -1), (3, 0, 2), (2, 4, 0), (0, 1, 2), (3, 1, 1), (5, 2, 0), (4, -1, 2), (1, 2, 3)
)  # fmt: skip
WAYS = {
    "batch": "batch norm, each step",
    "batch_time": "batch norm, all steps",
    "layer": "layer norm",
}
OVER = {
    "batch": Message("over the texts, for each step and each unit"),
    "batch_time": Message("over the texts and the steps, for each unit"),
    "layer": Message("over the units, for each text and each step"),
}
PLACES = [_("text {b}, step {t}", b=b + 1, t=t + 1) for b in range(TEXTS) for t in range(TIMES)]


@fr.part("Layer norm and batch norm", was=("over", "texts", "gain", "shift"))
def axes(
    over: str = fr.pick("Norm", WAYS, few=True),
    texts: int = fr.slider("Texts", 1, TEXTS, TEXTS, width=120),
    gain: float = fr.slider("Gain γ", 0.1, 10.0, 1.0, 0.1, width=150),
    shift: float = fr.slider("Shift β", -10.0, 10.0, 0.0, 0.5, width=150),
    *,
    numbers: fr.Matrix = fr.cells("Numbers", NUMBERS, PLACES, ("unit 1", "unit 2", "unit 3"), 420),
) -> fr.Blocks:
    yield (
        "Both subtract a mean and divide by a spread. They differ in **which numbers share a mean**:"
        " cells of one colour in the middle picture. Change a number, or the number of texts, and see"
        " which other cells change."
    )
    yield fr.Controls(["numbers"], button="Change the numbers")
    x_BTH = fr.array(numbers)[: texts * TIMES].reshape(texts, TIMES, UNITS)
    made = normalised.normalise(x_BTH, over, gain, shift)
    y = made.y_BTH
    yield fr.Beside(
        [
            [number_map(*one)]
            for one in (
                ("axes-before", "Input", x_BTH, "x", 6),
                ("axes-mean", "Mean", made.mean_BTH, "μ", 6),
                ("axes-after", "After", y, "y", max(2.0, gain * 2 + abs(shift))),
            )
        ]
    )
    values = x_BTH[made.group_BTH == made.group_BTH[0, 0, 0]]
    yield _(
        "Averaged {over}: for text 1, step 1, unit 1 over {n} {n|number|numbers}, mean {mean}, spread {spread}. A batch"
        " norm that no longer learns reads by running averages of both instead, so what stands beside a text no longer"
        " matters.",
        over=_(OVER[over]),
        n=len(values),
        mean=float(made.mean_BTH[0, 0, 0]),
        spread=float(made.deviation_BTH[0, 0, 0]),
    )
    slope = one_unit.squash(y) * (1 - one_unit.squash(y))
    if texts == 1 and over == "batch":
        yield (
            "With one text, batch norm at each step makes everything the shift: nothing is left of the text."
        )
    yield fr.Note(
        _(
            "Through a sigmoid these results have slopes between {least:.2g} and {most:.2g}, where 0.25 is the"
            " most: a large gain or shift, which are learned, saturates it again. Layer norm treats every text"
            " alone, also in a batch of one.",
            least=float(slope.min()),
            most=float(slope.max()),
        )
    )


def number_map(
    name: str, title: str, values_BTH: np.ndarray, symbol: str, reach: float
) -> fr.Chart:
    values = values_BTH.reshape(-1, UNITS)
    units = [_("unit {n}", n=n + 1) for n in range(UNITS)]
    found = Field.of(
        name,
        Kind.STATE,
        {"row": PLACES[: len(values)], "unit": units},
        values,
        title,
        symbol,
        domain=(-reach, reach),
    )
    return fr.Chart(name, title, "heatmap", (found,), fluid=True, options={"reading": False})


ROUND = np.linspace(0, 2 * np.pi, 97)
PROGRAM = """loss.backward()  # there is nothing to clip before
torch.nn.utils.clip_grad_norm_(model.parameters(), {0:g})  # by norm
# torch.nn.utils.clip_grad_value_(model.parameters(), {0:g})  # by value
optimizer.step()

keras.optimizers.Adam(0.001, global_clipnorm={0:g})  # by the norm of all gradients together
# keras.optimizers.Adam(0.001, clipvalue={0:g})  # by value"""


@fr.part("Clipping", was=("g1", "g2", "theta"))
def clipping(
    g1: float = fr.slider("First number", -15.0, 15.0, 0.5, 0.5, width=190),
    g2: float = fr.slider("Second number", -15.0, 15.0, 10.0, 0.5, width=190),
    theta: float = fr.slider("Threshold θ", 0.5, 15.0, 5.0, 0.5, width=190),
) -> fr.Blocks:
    yield (
        "A gradient of two numbers. **By norm**: an arrow that is longer than the circle is cut at"
        " it; the direction stays. **By value**: each number by itself stays within the square; the"
        " direction turns."
    )
    g = g1, g2
    by_norm, by_value = (clipped.arrow(g, kind, theta) for kind in ("norm", "value"))
    length = float(np.hypot(*g))
    share = min(1.0, theta / length) if length else 1.0
    numbers: list[fr.Block] = [
        fr.Formula(rf"|g| = \sqrt{{({g1:g})^2 + ({g2:g})^2}} = {length:.4g}"),
        fr.Formula(rf"\min\left(1, \frac{{{theta:g}}}{{{length:.4g}}}\right) = {share:.4g}"),
        fr.Formula(rf"\text{{by norm: }} {share:.4g}\,g = ({by_norm[0]:.4g}, {by_norm[1]:.4g})"),
        fr.Formula(rf"\text{{by value: }} ({by_value[0]:.4g}, {by_value[1]:.4g})"),
        _(
            "Clipping by norm turns the arrow by **{norm:.2f}°**, clipping by value by **{value:.2f}°**. A"
            " short gradient stays as it is: neither makes one longer.",
            norm=clipped.turned(g, by_norm),
            value=clipped.turned(g, by_value),
        ),
        fr.Behind("The same as a program", [fr.Code(PROGRAM.format(theta))]),
    ]
    corners = theta * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)], float)
    shapes = {
        "length θ": theta * np.stack([np.cos(ROUND), np.sin(ROUND)], 1),
        "each number θ": corners,
    }
    rows = [
        ("gradient", *g, ARROW),
        ("clipped by norm", *by_norm, ARROW),
        ("clipped by value", *by_value, ARROW),
        *((name, *point, OUTLINE) for name, points in shapes.items() for point in points),
    ]
    title = "One gradient, clipped"
    plane = fr.Chart(
        "arrow",
        title,
        "outlines",
        (Table.of_rows("arrow", title, ("series", "x", "y", "form"), rows),),
        _("Threshold {theta:g}", theta=theta),
        square=True,
        options={"x": "first number", "y": "second number"},
    )
    yield fr.Beside([numbers, [plane]], (6, 5))
    yield fr.Note(
        "An adaptive threshold follows the mean length of the gradients before, here twice that mean, so only what is"
        " unusual is clipped. The gradient itself must not enter the mean first: a spike would raise its own limit."
    )


LONG = 20  # steps of what is to be recalled


@fr.once
def trained(c: float, threshold: float, updates: int = recall.UPDATES) -> Training:
    return recall.train(c, threshold, LONG, updates)


@fr.part("What clipping cannot cure", was=("c_low", "c_high", "c_clip"))
def cannot(
    c_low: float = fr.slider("c below 1", 0.3, 0.9, 0.6, 0.1, width=170),
    c_high: float = fr.slider("c above 1", 1.1, 2.0, 1.6, 0.1, width=170),
    c_clip: float = fr.slider("Longest gradient", 0.5, 5.0, 1.0, 0.5, width=170),
) -> fr.Blocks:
    yield _(
        "One of four letters comes first, {blanks} blanks follow; at the end the net has to say"
        " which letter it was. Its recurrent weights begin as c times an orthogonal matrix, so a step"
        " back multiplies a gradient by at most c. Four trainings: c below 1 and above 1, each with"
        " and without clipping.",
        blanks=LONG - 1,
    )
    runs = {c: (trained(c, 0.0), trained(c, c_clip)) for c in (c_low, c_high)}
    for name, y in (("loss", "nats"), ("norm", "length")):
        title = "Loss, c = {c:g}" if name == "loss" else "Gradient before clipping, c = {c:g}"
        yield fr.Beside(
            [
                [
                    fr.curves(
                        f"{name}-{'low' if c < 1 else 'high'}",
                        _(title, c=c),
                        {
                            of: series
                            for label, one in zip(
                                ("not clipped", _("clipped at {c_clip:g}", c_clip=c_clip)),
                                pair,
                                strict=True,
                            )
                            for of, series in ended(label, getattr(one, f"{name}_N"))
                        },
                        "update",
                        y,
                        "32 units, ReLU, rate 0.1, batches of 32",
                        log_y=True,
                    )
                ]
                for c, pair in runs.items()
            ]
        )
    for c, (free, held) in runs.items():
        yield became(c, c_clip, free, held)


def ended(
    name: str, values_N: np.ndarray
) -> Iterable[tuple[str, tuple[Sequence[float], Sequence[float]]]]:
    """The curve, and where it ends, a point that says so."""
    sound = np.isfinite(values_N)
    many = len(sound) if sound.all() else int(sound.argmin())
    yield name, (range(1, many + 1), values_N[:many].tolist())
    if 0 < many < len(sound):
        last = float(values_N[many - 1])
        yield _("no finite number from update {many} on", many=many + 1), ([many], [last])


def became(c: float, threshold: float, free: Training, held: Training) -> str:
    """What became of the two."""
    without = _("it recalls {right:.0%} of the letters", right=free.right)
    if free.broken is not None:
        without = _(
            "the loss is no finite number from update {n} on, after a gradient of {length}",
            n=free.broken + 1,
            length=float(free.norm_N[: free.broken].max(initial=0.0)),
        )
    equal = np.array_equal(free.loss_N, held.loss_N)
    return _(
        "**c = {c:g}** ({c:g}^{steps} = {power}): without clipping {without}; clipped, in {clipped} of {all}"
        " updates, it recalls {right:.0%}; a guess is right in 25 %.{same}",
        c=c,
        steps=LONG - 1,
        power=c ** (LONG - 1),
        without=without,
        clipped=int((held.norm_N > threshold).sum()),
        all=len(held.norm_N),
        right=held.right,
        same=_(" The two runs are equal, number by number.") if equal else "",
    )


PARTS = (flow, views, factor, cliff, alone, weights_begin, axes, clipping, cannot)
