"""Two nets against each other on a board; below it a step by hand, the two losses of the generator, the best
discriminator, why steps circle, and digits.

Shapes    N = examples, K = outcomes, T = steps
"""

from __future__ import annotations

from urllib.parse import parse_qsl

import numpy as np

from engine import frame as fr
from engine.core.trace import Field, FieldSpec, Kind
from engine.frame.latex import number as n
from engine.language.message import _
from engine.lessons.convolution import images
from engine.lessons.gan import digits, small, text
from engine.lessons.gan.small import Pair
from engine.views import theme

# what a step of the first minute chooses: the board keeps the address by itself
ASKED = fr.shared(fr.typed("", "", 400))
SURFACE = FieldSpec("value", Kind.STATE, ("unit",), "")


@fr.part("", always=True)
def board(*, asked: str = ASKED) -> fr.Blocks:
    stops = {"light": theme.stops(SURFACE, False), "dark": theme.stops(SURFACE, True)}
    data = {"asked": dict(parse_qsl(asked)), "scale": {"low": 0.0, "high": 1.0, **stops}}
    yield fr.Section("gan", [fr.Board("gan/board.js", data, sheets=("gan/gan.css",))])
    yield fr.Note(
        "Both nets learn in your browser, with new points and new noise in every step. Divergence and best"
        " discriminator come from 2,000 points of each side, counted on a grid."
    )


REAL, NOISE = "1, 3", "-1, 1"
PAIR = fr.cells("Both nets", ((0.2, -0.1, 0.5, 0.0),), ("value",), ("w", "b", "a", "c"), 380)


def numbers(text: str) -> np.ndarray:
    try:
        found = np.array([float(part) for part in text.split(",")])
    except ValueError:
        found = np.zeros(0)
    if not 0 < len(found) <= 8 or not (np.abs(found) <= 50).all():
        raise ValueError("Type one to eight numbers from −50 to 50, with commas between them.")
    return found


@fr.part("One step by hand")
def by_hand(
    real: str = fr.typed("Real numbers", REAL, 80),
    noise: str = fr.typed("Noise z", NOISE, 80),
    rate: float = fr.slider("Rate", 0.05, 1.0, 0.1, 0.05),
    *,
    pair: fr.Matrix = PAIR,
) -> fr.Blocks:
    yield (
        "One number each: D(x) = σ(w x + b) says how likely x is real, G(z) = a z + c makes one from noise. First D"
        " takes a step up V, then G takes one, down V or up log D(G(z))."
    )
    before, x_N, z_N = Pair(*map(float, fr.array(pair)[0])), numbers(real), numbers(noise)
    d_w, d_b = before.slopes_of_d(x_N, z_N)
    after = Pair(before.w + rate * d_w, before.b + rate * d_b, before.a, before.c)
    lines = [
        fr.Formula(r"V = \frac{1}{N} \sum \ln D(x) + \frac{1}{N} \sum \ln (1 - D(G(z)))"),
        fr.Formula(rf"V = {n(before.value(x_N, z_N))}"),
        fr.Formula(rf"w \leftarrow {n(before.w)} + {n(rate)} \cdot ({n(d_w)}) = {n(after.w)}"),
        fr.Formula(rf"b \leftarrow {n(before.b)} + {n(rate)} \cdot ({n(d_b)}) = {n(after.b)}"),
        fr.Formula(rf"V = {n(after.value(x_N, z_N))}"),
    ]
    yield fr.Beside([[fr.Controls(["pair"])], lines], (2, 3))
    rows = []
    for saturating, name in ((True, "down ln(1 − D), minimax"), (False, "up ln D, non-saturating")):
        g_a, g_c = after.slopes_of_g(z_N, saturating)
        sign = -1 if saturating else 1
        a, c = after.a + sign * rate * g_a, after.c + sign * rate * g_c
        mean = Pair(after.w, after.b, a, c).judged(a * z_N + c).mean()
        rows.append((name, sign * g_a, sign * g_c, a, c, float(mean)))
    heads = ("step of G", "direction a", "direction c", "new a", "new c", "mean D(G(z)) then")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.6f"))
    (a_down, *_others), (a_up, *_more) = (row[1:] for row in rows)
    if a_down * a_up < 0:
        yield (
            "The two do not only differ in length: here they move **a** in opposite directions. They agree where D is"
            " fooled, not on the way."
        )


@fr.part("Why the loss of the generator matters")
def losses(
    d: float = fr.slider("D(G(z))", 0.01, 0.99, 0.01, 0.01),
) -> fr.Blocks:
    yield (
        "Early on D sees through everything: D(G(z)) is near 0. Then ln(1 − D) is flat, and G learns next to nothing"
        " from it; −ln D is steepest just there. Slopes are along the logit of D."
    )
    d_K = np.linspace(0.01, 0.99, 99)
    both = {"ln(1 − D), minimax": np.log1p(-d_K), "−ln D, non-saturating": -np.log(d_K)}
    yield fr.curves(
        "both", "What G loses", {name: (d_K, y) for name, y in both.items()}, "D(G(z))", "loss"
    )
    rows = [("ln(1 − D)", np.log1p(-d), -d), ("−ln D", -np.log(d), d - 1)]
    heads = ("loss of G", "value", "slope along the logit")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.6f"))
    yield _(
        "At D = {d:.2f} the second pulls **{times:.3g} times** as hard. Where D = 0.5 both pull with 0.5.",
        d=d,
        times=(1 - d) / d,
    )


SHARES = fr.cells(
    "Shares", ((0.5, 0.5, 0.0), (0.0, 0.5, 0.5)), ("data p", "made q"), ("1", "2", "3"), 320
)


@fr.part("The best discriminator")
def best(*, shares: fr.Matrix = SHARES) -> fr.Blocks:
    yield (
        "Three outcomes, and how often each comes in the data and from G. The best D is p / (p + q), and with it V is"
        " −ln 4 + 2 JS: what G goes down is then the Jensen-Shannon divergence. Rows are scaled to sum to 1."
    )
    held = fr.array(shares)
    if (held < 0).any() or not held.sum(1).all():
        raise ValueError(
            "Type shares that are not negative, at least one of them above 0 in each row."
        )
    p_K, q_K = held / held.sum(1, keepdims=True)
    found, js = small.best_discriminator(p_K, q_K), small.divergence(p_K, q_K)
    yield fr.Controls(["shares"])
    rows = [
        (k + 1, p, q, "never asked" if np.isnan(d) else f"{d:.6f}")
        for k, (p, q, d) in enumerate(zip(p_K, q_K, found, strict=True))
    ]
    yield fr.table(("outcome", "data p", "made q", "best D"), rows)
    yield fr.Formula(
        rf"V^* = -\ln 4 + 2 \cdot {n(js)} = {n(2 * js - np.log(4))}, \qquad 0 \le JS \le \ln 2 = {n(np.log(2))}"
    )
    yield "Where p = q everywhere, D is 0.5 everywhere, and V is −ln 4 = −1.386294: nothing is left to learn."


WAYS = {"simultaneous": "at once", "alternating": "one after the other"}


@fr.part("Why steps circle")
def circles(
    rate: float = fr.slider("Rate", 0.02, 0.3, 0.1, 0.02),
    steps: int = fr.slider("Steps", 20, 300, 100, 20),
) -> fr.Blocks:
    yield (
        "The smallest game: one side lowers x·y by x, the other raises it by y. The equilibrium is 0, 0. Steps taken at"
        " once lead away from it in a spiral, steps in turn go round it: neither arrives."
    )
    found = {words: small.circling(rate, steps, way) for way, words in WAYS.items()}
    far = {words: (np.arange(steps + 1), np.hypot(*xy.T)) for words, xy in found.items()}
    yield fr.curves("far", "Distance from the equilibrium", far, "step", "distance")
    rows = [(words, *xy[-1], far[words][1][-1]) for words, xy in found.items()]
    heads = ("steps", "x at the end", "y at the end", "distance")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.6f"))


@fr.part("Digits")
def drawn(
    loss: str = fr.pick("Loss of G", digits.LOSSES, "plain", width=220),
    steps: int = fr.slider("Steps", 200, 2000, 1000, 200),
    seed: int = fr.number("Seed", 0, 999, 1, width=120),
    begun: bool = fr.start("Train", ("loss", "steps", "seed")),
) -> fr.Blocks:
    yield (
        "The same game with 1,352 handwritten digits of 8 × 8 cells, in PyTorch. How many kinds it draws is counted by"
        " a classifier that learned from the real ones."
    )
    if not begun:
        return
    for share, last in digits.train(loss, steps, seed):
        yield fr.Progress(share, "Learning …")
        found = last
    axes = {
        "label": [_("made {n}", n=k + 1) for k in range(digits.SHOWN)],
        "row": range(images.SIDE),
        "column": range(images.SIDE),
    }
    made = found.made_N88[: digits.SHOWN]
    field = Field.of("made", Kind.PROBABILITY, axes, made, "Made digits")
    options = {"reading": False, "square": True, "columns": 10}
    yield fr.Chart("made", "What G makes of noise", "multiples", (field,), options=options)
    between = Field.of(
        "between",
        Kind.PROBABILITY,
        {"label": [f"{k / 9:.0%}" for k in range(10)], "row": range(8), "column": range(8)},
        found.between_K88,
        "Between two places of the noise",
    )
    yield fr.Chart(
        "between",
        "From one place of the noise to another",
        "multiples",
        (between,),
        options=options,
    )
    rows = [
        (k, real, of) for k, (real, of) in enumerate(zip(found.real_K, found.share_K, strict=True))
    ]
    heads = ("digit", "share of the real ones", "share of the made ones")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.3f"))
    yield _(
        "**{kinds} of 10** kinds have a fifth of their fair share or more; the divergence of the two columns is"
        " {js:.3f} nats.",
        kinds=int((found.share_K >= 0.2 * found.real_K).sum()),
        js=small.divergence(found.real_K, found.share_K),
    )


KINDS = {"likelihood": "likelihood", "adversary": "adversarial, Gumbel-softmax"}


@fr.part("Why text is hard")
def sentences(
    steps: int = fr.slider("Steps", 200, 2000, 600, 200),
    temperature: float = fr.slider("Temperature of the Gumbel-softmax", 0.5, 2.0, 1.0, 0.5),
    seed: int = fr.number("Seed", 0, 999, 1, width=120),
    begun: bool = fr.start("Train both", ("steps", "temperature", "seed")),
) -> fr.Blocks:
    yield _(
        "A word is chosen, not moved a little: no gradient of D passes through it. Gumbel-softmax draws a word, and"
        " gives back the gradient of its probabilities. A grammar of {n} sentences (“the dog sees two birds”) tells"
        " exactly what a net has learned from that, beside a twin that learns by likelihood.",
        n=len(text.SENTENCES),
    )
    if not begun:
        return
    found = {}
    for at, (kind, words) in enumerate(KINDS.items()):
        for share, last in text.train(kind, steps, temperature, seed):
            yield fr.Progress((at + share) / len(KINDS), "Learning …")
            found[words] = last
    right = {words: (of.step, of.right) for words, of in found.items()}
    kinds = {words: (of.step, of.kinds) for words, of in found.items()}
    title = "Sentences as even as its own (perplexity over the grammar)"
    yield fr.Beside(
        [
            [fr.curves("right", "Probability of the grammar, exact", right, "step", "share")],
            [fr.curves("kinds", title, kinds, "step", "sentences")],
        ]
    )
    heads = ("learned by", "probability of the grammar", "evenness, in sentences", "it says")
    rows = [(words, of.right[-1], of.kinds[-1], "; ".join(of.says)) for words, of in found.items()]
    yield fr.table(heads, rows, forms={heads[1]: "%.3f", heads[2]: "%.0f"}, folds=True)
    yield (
        "The adversary says right sentences late, and then ever fewer kinds of them: D asks whether a sentence is"
        " right, and hardly which are missing. Likelihood pays for each sentence that it leaves out."
    )


PARTS = (board, by_hand, losses, best, circles, drawn, sentences)
