"""A restricted Boltzmann machine that learns on a board; below it energy term by term, a step of contrastive
divergence, what it gets wrong, words that go together, and machines on top of each other."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from engine import frame as fr
from engine.core.trace import Field, FieldSpec, Kind
from engine.frame.latex import number as n
from engine.language.message import _
from engine.lessons.boltzmann import machine as rbm
from engine.lessons.boltzmann import stack, words
from engine.lessons.boltzmann.machine import METHODS, Machine
from engine.lessons.boltzmann.words import Sentences
from engine.lessons.convolution import images
from engine.views import theme

# what a step of the first minute chooses: the board keeps the address by itself
ASKED = fr.shared(fr.typed("", "", 400))
TYPED = fr.shared(fr.typed("Your text", words.TEXT, 4_000, tall=120))
DIGITS, HELD = 600, 200  # that the board gets


def colours(kind: Kind) -> dict[str, Any]:
    """Of a probability from 0 to 1, or of a number to both sides of 0."""
    spec = FieldSpec("value", kind, ("unit",), "")
    low = 0.0 if kind is Kind.PROBABILITY else -1.0
    return {
        "low": low,
        "high": 1.0,
        "light": theme.stops(spec, False),
        "dark": theme.stops(spec, True),
    }


def bits(v_NV: np.ndarray) -> list[str]:
    return ["".join(map(str, row)) for row in v_NV.astype(int).tolist()]


@fr.once
def digits() -> dict[str, Any]:
    """Handwritten digits whose cells are on or off."""
    learned, held = images.split()
    rows, others = (stack.binary(of.cells) for of in (learned, held))
    return {"rows": bits(rows[:DIGITS]), "held": bits(others[:HELD]), "across": images.SIDE}


@fr.part("", always=True)
def machine(*, asked: str = ASKED, text: str = TYPED) -> fr.Blocks:
    sent: dict[str, Any] = {"digits": digits()}
    try:
        found = words.read(text)
        across = next(k for k in (6, 5, 4, 3, 2, 1) if k * k <= max(4, len(found.words)))
        sent["words"] = {
            "rows": bits(found.has_NV),
            "held": [],
            "across": across,
            "names": found.words,
        }
    except ValueError:
        pass  # the board says what is missing
    scales = {"ink": colours(Kind.PROBABILITY), "weights": colours(Kind.STATE)}
    data = {"asked": dict(parse_qsl(asked)), "sent": sent, "scales": scales}
    sheets = ("boltzmann/boltzmann.css",)
    yield fr.Section("boltzmann", [fr.Board("boltzmann/board.js", data, sheets=sheets)])
    yield fr.Note(
        "It learns in your browser. With at most 12 hidden units all their 4,096 states are summed at every step, so"
        " that probabilities are exact."
    )


W = ((0.5, -0.3), (0.2, 0.4), (-0.6, 0.1))
WEIGHTS = fr.cells("Weights W", W, ("v₁", "v₂", "v₃"), ("h₁", "h₂"), 200)
VISIBLE = fr.cells("Biases b", ((0.1, -0.2, 0.0),), ("b",), ("v₁", "v₂", "v₃"), 260)
HIDDEN = fr.cells("Biases c", ((0.05, -0.1),), ("c",), ("h₁", "h₂"), 200)
V = {"101": "1, 0, 1"} | {"".join(map(str, v)): ", ".join(map(str, v)) for v in np.ndindex(2, 2, 2)}
H = {"10": "1, 0"} | {"".join(map(str, h)): ", ".join(map(str, h)) for h in np.ndindex(2, 2)}


def typed_machine(w: fr.Matrix, b: fr.Matrix, c: fr.Matrix) -> Machine:
    return Machine(fr.array(w), fr.array(b)[0], fr.array(c)[0])


def read(configuration: str) -> np.ndarray:
    return np.array([*map(float, configuration)])


def written(v: np.ndarray) -> str:
    return ", ".join(f"{one:.0f}" for one in v)


@fr.part("Energy, term by term")
def energy(
    visible: str = fr.pick("Visible units", V, "101", width=140),
    hidden: str = fr.pick("Hidden units", H, "10", width=140),
    *,
    w: fr.Matrix = WEIGHTS,
    b: fr.Matrix = VISIBLE,
    c: fr.Matrix = HIDDEN,
) -> fr.Blocks:
    yield (
        "Three visible and two hidden units have 32 configurations. Each has an energy, and the lower it is, the more"
        " probable the configuration. There are no weights within a layer: that is the restriction."
    )
    of, v, h = typed_machine(w, b, c), read(visible), read(hidden)
    parts, z = of.energy(v, h), np.exp(of.log_z())
    total = sum(parts)
    lines = [
        fr.Formula(r"E = -\sum_i b_i v_i - \sum_j c_j h_j - \sum_{ij} v_i W_{ij} h_j"),
        fr.Formula(rf"E = ({n(parts[0])}) + ({n(parts[1])}) + ({n(parts[2])}) = {n(total)}"),
        fr.Formula(
            rf"P = \frac{{e^{{{n(-total)}}}}}{{Z}} = \frac{{{n(np.exp(-total))}}}{{{n(z)}}} = {n(np.exp(-total) / z)}"
        ),
    ]
    yield fr.Beside([[fr.Controls(["w", "b", "c"])], lines], (2, 3))
    rows = sorted(
        (sum(of.energy(v, h)), written(v), written(h))
        for v in rbm.all_states(3)
        for h in rbm.all_states(2)
    )
    heads = ("v", "h", "energy", "e to the −energy", "probability")
    ranked = [(v, h, e, np.exp(-e), np.exp(-e) / z) for e, v, h in rows]
    forms = dict.fromkeys(heads[2:], "%.6f")
    yield fr.table(heads, ranked, forms=forms, bars=("probability",))
    free = float(of.free_energy(read(visible)[None])[0])
    yield _(
        "Summed over the hidden units, v = ({v}) has the free energy **{free}** and the probability **{p}**. Z has 32"
        " terms here; with 784 visible and 500 hidden units it would have 2¹²⁸⁴.",
        v=V[visible],
        free=free,
        p=np.exp(-free) / z,
    )


SIGNS = {1: "same", -1: "opposite", 0: "one is 0"}


@fr.part("A step of contrastive divergence")
def one_step(
    visible: str = fr.pick("Pattern v₀", V, "101", width=140),
    hidden: str = fr.pick("Hidden units drawn, h₀", H, "10", width=150),
    again: str = fr.pick("Visible units drawn, v₁", V, "110", width=150),
    rate: float = fr.slider("Learning rate", 0.05, 1.0, 0.1, 0.05),
    *,
    w: fr.Matrix = WEIGHTS,
    b: fr.Matrix = VISIBLE,
    c: fr.Matrix = HIDDEN,
) -> fr.Blocks:
    yield (
        "From the pattern to the hidden units and back once: the products v h of the pattern are strengthened, those"
        " of the reconstruction weakened. It is a difference of correlations, not of pattern and reconstruction."
    )
    of, v0, h0, v1 = typed_machine(w, b, c), read(visible), read(hidden), read(again)
    steps = (
        ("P(h = 1 | v₀)", of.hidden(v0[None])[0]),
        ("h₀, drawn", h0),
        ("P(v = 1 | h₀)", of.visible(h0[None])[0]),
        ("v₁, drawn", v1),
        ("P(h = 1 | v₁)", of.hidden(v1[None])[0]),
    )
    yield fr.table(
        ("step", "numbers"),
        [(name, ", ".join(f"{x:.6f}".rstrip("0").rstrip(".") for x in row)) for name, row in steps],
    )
    seen = of.seen(v0[None])
    cd, exact = seen - of.seen(v1[None]), seen - of.expected()
    names = [f"W {v}{h}" for v in ("v₁", "v₂", "v₃") for h in ("h₁", "h₂")]
    names += ["b v₁", "b v₂", "b v₃", "c h₁", "c h₂"]
    rows = [
        (name, rate * a, rate * e, _(SIGNS[np.sign(a * e)]))
        for name, a, e in zip(names, cd.flat, exact.flat, strict=True)
    ]
    heads = ("parameter", "step of CD-1", "step along the exact gradient", "sign")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:3], "%.6f"))
    if not cd.flat.any():
        yield "The reconstruction is the pattern itself: CD-1 changes nothing, though the exact gradient is not 0."
        return
    wrong = int((cd.flat * exact.flat < 0).sum())
    yield _(
        "The two steps point **{angle:.0f}°** apart; {wrong} of {all} numbers move the other way. Here one draw stands"
        " for the model; the mean of many draws still points elsewhere, as the next part shows.",
        angle=rbm.angle(cd.flat, exact.flat),
        wrong=wrong,
        all=len(rows),
    )


learned = fr.once(lambda *asked: [*rbm.train(rbm.bars(), *asked)])


@fr.part("What contrastive divergence gets wrong")
def bias(
    methods: tuple[str, ...] = fr.several("Gradient", METHODS, ("cd1", "cd5", "pcd", "exact")),
    units: int = fr.slider("Hidden units", 2, 10, 8),
    rate: float = fr.slider("Learning rate", 0.1, 1.0, 0.5, 0.1),
    steps: int = fr.slider("Steps", 100, 1000, 600, 100),
    seed: int = fr.number("Seed", 0, 999, 1, width=120),
) -> fr.Blocks:
    yield (
        "Bars and stripes, 30 patterns of 16 cells, all in each step. At first all methods climb alike. Then the chains"
        " of CD-1 hardly leave the patterns that they start from, and probability stays where no chain comes."
    )
    if not methods:
        raise ValueError("Choose a method.")
    found = {METHODS[one]: learned(units, one, rate, steps, seed) for one in methods}
    best = -float(np.log(len(rbm.bars())))
    climbed = {
        name: ([r.step for r in of], [r.likelihood for r in of]) for name, of in found.items()
    }
    every: dict[str, Any] = climbed | {"the most possible": ([0, steps], [best, best])}
    yield fr.curves("climbed", "ln P of a pattern, exact", every, "step", "nats")
    rows = [
        (name, max(r.likelihood for r in of), of[-1].likelihood, np.exp(of[-1].likelihood - best))
        for name, of in found.items()
    ]
    heads = ("gradient", "best ln P", "last ln P", "last, as a share of the most possible P")
    yield fr.table(heads, rows, forms={heads[1]: "%.3f", heads[2]: "%.3f", heads[3]: "%.3f"})


@fr.once
def of_text(text: str, units: int, steps: int) -> tuple[Sentences, rbm.Reached]:
    found = words.read(text)
    *_others, last = rbm.train(found.has_NV, units, "exact", 0.3, steps, 1, steps)
    return found, last


@fr.part("Words that go together")
def go_together(
    units: int = fr.slider("Hidden units", 1, 8, 4),
    steps: int = fr.slider("Steps", 100, 2000, 800, 100),
    word: str = fr.typed("Word", "storm", 30),
    *,
    text: str = TYPED,
) -> fr.Blocks:
    yield fr.Controls(["text"])
    found, last = of_text(text, units, steps)
    own = last.machine
    yield _(
        "{n} sentences, {v} words. Each hidden unit learns which words tend to stand together:",
        n=len(found.has_NV),
        v=len(found.words),
    )
    rows = []
    for j, column in enumerate(own.W_VH.T):
        order = np.argsort(-column).tolist()
        most = ", ".join(f"{found.words[i]} {column[i]:+.1f}" for i in order[:4])
        least = ", ".join(f"{found.words[i]} {column[i]:+.1f}" for i in order[:-4:-1])
        rows.append((f"h{j + 1}", most, least))
    yield fr.table(("unit", "turned on by", "turned off by"), rows)
    if word.lower().strip() not in found.words:
        yield _("Choose one of these words: {words}.", words=", ".join(found.words))
        return
    at = found.words.index(word.lower().strip())
    model_V, count_V = words.together(own)[at], words.counted(found.has_NV)[at]
    beside = [i for i in np.argsort(-model_V).tolist() if i != at][:10]
    heads = ("beside it", "P by the machine, exact", "share of the sentences")
    yield _("Where “{word}” stands:", word=found.words[at])
    listed = [(found.words[i], model_V[i], count_V[i]) for i in beside]
    yield fr.table(heads, listed, forms=dict.fromkeys(heads[1:], "%.3f"))


SIZES = {"64": "64", "64-32": "64, then 32", "100-50": "100, then 50"}
SEEDS = 3
piled = fr.once(lambda sizes: stack.pile(stack.binary(images.split()[0].cells), sizes, 0))


@fr.part("A stack of machines")
def deep(
    sizes: str = fr.pick("Layers", SIZES, "100-50", width=160),
    labels: int = fr.pick("Labels of each digit", (2, 5, 20, 100), 5, width=160),
    turns: int = fr.pick("Turns before a dream", (1, 10, 100, 1000), 100, slide=True),
    *,
    compares: bool = fr.start("Fine-tune both", ("sizes", "labels")),
) -> fr.Blocks:
    yield (
        "A deep belief net: one machine learns from digits, the next from what the first one’s hidden units make of"
        " them. Below, its two highest layers draw in turn, and what comes out is passed down to the cells."
    )
    yield fr.Progress(0, "Learning …")
    layers = tuple(map(int, sizes.split("-")))
    dreams = stack.dream(piled(layers), 20, turns, 1).reshape(-1, images.SIDE, images.SIDE)
    axes = {
        "label": [_("dream {n}", n=k + 1) for k in range(len(dreams))],
        "row": range(images.SIDE),
        "column": range(images.SIDE),
    }
    drawn = Field.of("dreams", Kind.PROBABILITY, axes, dreams, "Dreams")
    options = {"reading": False, "square": True, "columns": 10}
    yield fr.Chart("dreams", "Dreams of the top layer", "multiples", (drawn,), options=options)
    yield (
        "Then a softmax stands on top, and backpropagation goes on through all layers (fine-tuning), here beside the"
        " same net begun with random weights."
    )
    yield fr.Controls(["compares"])
    if compares:
        for share, found in stack.compare(layers, labels, SEEDS):
            yield fr.Progress(share, "Learning …")
            last = found
        yield from begun(last, labels)
    yield (
        "This is history: in 2006 it was the first way to train deep nets at all. ReLU, better first weights and more"
        " labels have replaced it; that unlabelled data helps when labels are few is what holds, and what BERT and GPT"
        " live on."
    )


def begun(found: stack.Tuned, labels: int) -> fr.Blocks:
    """What a start layer by layer is worth."""
    series = {name: (found.step_T, right_ST.mean(0)) for name, right_ST in found.right.items()}
    title = _("Held-out digits right, with {labels} labels of each digit", labels=labels)
    yield fr.curves("tuned", title, series, "step of fine-tuning", "share right")
    heads = ("begun with", "right, mean of three seeds", "lowest", "highest")
    lasts = {name: right_ST[:, -1] for name, right_ST in found.right.items()}
    rows = [(name, last_S.mean(), last_S.min(), last_S.max()) for name, last_S in lasts.items()]
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.3f"))


PARTS = (machine, energy, one_step, bias, go_together, deep)
