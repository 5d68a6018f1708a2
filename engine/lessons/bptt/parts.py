"""Below the unrolled net: how far back models can learn, what a step does to a gradient, learning, the sweep by hand,
and what can be learned across a wall.

Shapes    T = tokens, W = words, L = layers, S = numbers in a state, H = units
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import backpropagation, jacobians, recall
from engine.analysis.recall import Training
from engine.core.trace import Table
from engine.frame import latex
from engine.language.markdown import escaped
from engine.language.message import Message, _
from engine.language.numbers import number
from engine.lessons.bptt import LESSON, by_hand
from engine.lessons.bptt.by_hand import Net
from engine.models.neural import NeuralLanguageModel
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.text.tokenizers.base import Tokens
from engine.views import theme
from engine.views.outlines import OUTLINE, POINTS

Recurrent = RecurrentModel[Any]
Language = NeuralLanguageModel[Any]


def begins(given: fr.Others) -> str:
    """What the reader has typed above."""
    return str(given["mine"] or LESSON.example)


TEXT = fr.shared(fr.typed("Type a sentence", begins, 120, live=True, along=True))
LAYER = fr.shared(
    fr.pick(
        "Layer",
        lambda given: {
            n: _("layer {n}", n=n + 1) for n in reversed(range(given["model"].config.layers))
        },
        width=120,
    )
)


def read(model: Language, text: str, least: int = 2) -> Tokens:
    """As many tokens as the model sees; ValueError where nothing is predicted."""
    tokens = model.tokens(text)
    tokens = tokens[max(0, len(tokens) - (model.context or len(tokens))) :]
    if len(tokens) < least:
        raise ValueError("Type a few words: nothing goes back through a single token.")
    return tokens


def labels(tokens: Tokens) -> list[str]:
    return [theme.visible(label) for label in tokens.labels]


# ------------------------------------------------------------------ how far back


def by_word(model: Language, text: str) -> np.ndarray:
    """(W, W): the length of the gradient of what a word loses, all its tokens together, with respect to each
    word before it; no number where nothing predicts the word."""
    tokens = read(model, text)
    words = [
        [
            t
            for t, (a, b) in enumerate(tokens.spans)
            if b > 0 and a < word.end() and b > word.start()
        ]
        for word in re.finditer(r"\S+", text)
    ]
    lost = [[t for t in word if t] for word in words]
    known = [w for w, word in enumerate(lost) if word]
    found = np.full((len(words), len(words)), np.nan)
    size_KT = backpropagation.inputs(model, tokens, [lost[w] for w in known])
    for w, size_T in zip(known, size_KT, strict=True):
        found[w, :w] = [np.linalg.norm(size_T[word]) for word in words[:w]]
    return found


def falls(size_WW: np.ndarray) -> list[float]:
    """By distance, from 1: the geometric mean, over all words that have one so far back, of the gradient
    beside that one word back."""
    means = []
    for n in range(1, len(size_WW)):
        pairs = [(size_WW[w, w - 1], size_WW[w, w - n]) for w in range(n, len(size_WW))]
        logs = [np.log(far / near) for near, far in pairs if near > 0 and far > 0]
        means.append(float(np.exp(np.mean(logs))) if logs else np.nan)
    return means


@fr.part("How far back a model can learn", was=("arcs", "fall"))
def reach(
    model: Recurrent,
    run: Run,
    mine: str,
    elman: Language | None = fr.shipped("rnn_large"),
    lstm: Language | None = fr.shipped("lstm"),
    transformer: Language | None = fr.shipped("transformer"),
    text: str = TEXT,
    back: int = fr.slider("Loss of the word, from the last", 0, 12, 0),
) -> fr.Blocks:
    yield (
        "How much would a word's loss change with the vectors of the words before it? As shares of all that"
        " reaches them; and how fast the gradient falls with each word back. Gates and attention lose less on"
        " the way than a plain recurrent net."
    )
    shipped = {"Elman RNN": elman, "LSTM": lstm, "Transformer": transformer}
    nets: dict[str, Language] = {name: net for name, net in shipped.items() if net is not None}
    nets = {**({run.title: model} if model not in nets.values() else {}), **nets}
    words = re.findall(r"\S+", text)
    at = len(words) - 1 - back
    if at < 1:
        raise ValueError("Type a few words: nothing goes back through a single one.")
    found = {name: by_word(net, text) for name, net in nets.items()}
    rows = {name: size[at, :at] / (size[at, :at].sum() or 1.0) for name, size in found.items()}
    if not all(np.isfinite(share).all() for share in rows.values()):
        raise ValueError("The gradient is no finite number: this network has diverged.")
    title = _("Of the gradient of “{word}”, at each word before it", word=theme.visible(words[at]))
    yield fr.grid(
        "arcs",
        title,
        np.array([*rows.values()]),
        ("row", rows),
        ("column", [theme.visible(word) for word in words[:at]]),
        text=text,
        fluid=True,
    )
    yield fr.curves(
        "fall",
        "Gradient by distance",
        {name: (range(1, len(words)), falls(size)) for name, size in found.items()},
        "words back",
        "share of that one word back",
        "Averaged over all words of the text",
        text,
        log_y=True,
        whole=True,
    )


# ------------------------------------------------------------------ one step, and all of them

WIDEST, LONGEST = 256, 64  # numbers in a state, and steps, whose spectra are found at once
ROUND = np.linspace(0, 2 * np.pi, 97)
POWERS = (1, 10, 50)


@fr.part("One step, and all of them: the Jacobian", was=("spectrum", "reach.bound"))
def jacobian(
    model: Recurrent,
    mine: str,
    text: str = TEXT,
    layer: int = LAYER,
    back: int = fr.slider("Steps back from the last loss", 1, LONGEST, 10),
) -> fr.Blocks:
    yield (
        "A Jacobian says how the state after a step changes with the state before it. Eigenvalues inside the circle"
        " promise that many equal steps shrink a change in the end; the largest singular value bounds each step. The"
        " product over all steps, each with its own Jacobian, is what a gradient goes through."
    )
    cells: Any = model.net.layers
    size = sum(cells[layer].sizes())
    if size > WIDEST:
        yield fr.Note(
            _(
                "The state has {size} numbers; spectra are found of up to {most} while you type. Choose a smaller"
                " model above.",
                size=size,
                most=WIDEST,
            )
        )
    else:
        yield from spectra(model, text, layer, back)
    yield (
        "**The bound of a plain net.** A step reads the state before it in one place only, so the matrices multiply,"
        " the latest leftmost:"
    )
    yield fr.Formula(
        r"J_t = \frac{\partial h_t}{\partial h_{t-1}} = D_t\,U, \quad D_t = \mathrm{diag}(\varphi'(a_t)), \qquad"
        r" \left\lVert \frac{\partial L}{\partial h_k} \right\rVert \le"
        r" \bigl(\gamma\,\sigma_{\max}(U)\bigr)^{q-k} \left\lVert \frac{\partial L}{\partial h_q} \right\rVert"
    )
    yield (
        "γ is the largest slope of the activation: 1 for tanh and ReLU, a quarter for the logistic function. Where"
        " γ σ is below 1 the gradient **must** vanish. Above 1 it may explode, and need not: slopes below 1, and"
        " directions that U shortens, keep the curve under the line. The largest **eigenvalue** is no bound: over"
        " few steps a product can grow though every eigenvalue is below 1. In a net of several layers this is the"
        " way back within each layer; in the long run the largest of them decides."
    )
    bounds = backpropagation.bounds(model)
    if not bounds:
        yield fr.Note("This cell is no plain recurrent net; gates have other ways back.")
        return
    heads = ("layer", "largest singular value", "largest eigenvalue")
    lines = [
        (n + 1, bound, radius(cells[n]), *(number(bound**steps) for steps in POWERS))
        for n, bound in enumerate(bounds)
    ]
    over = [_("bound over {n} steps", n=n) if n > 1 else "bound over 1 step" for n in POWERS]
    forms = dict.fromkeys(heads[1:], "%.3f")
    yield fr.table((*heads, *over), lines, forms=forms)


def radius(cell: Any) -> float:
    """The largest modulus of an eigenvalue of the recurrent matrix."""
    recurrent_HH = cell.matrices()[1].detach().double().cpu().numpy()
    return float(np.abs(np.linalg.eigvals(recurrent_HH)).max())


def spectra(model: Recurrent, text: str, layer: int, back: int) -> fr.Blocks:
    """Of one step and of all up to the last loss."""
    tokens = read(model, text, 3)
    end = len(tokens) - 2
    begin = max(0, end - back)
    found = jacobians.spectrum(model, tokens, layer, begin, end)
    if not np.isfinite(found.product_S).all():
        raise ValueError("The states are not finite here: a step has no Jacobian.")
    rows = [("length 1", np.cos(x), np.sin(x), OUTLINE) for x in ROUND]
    rows += [("eigenvalue", float(x.real), float(x.imag), POINTS) for x in found.eigen_S]
    title = "Eigenvalues of one step"
    table = Table.of_rows("spectrum", title, ("series", "x", "y", "form"), rows)
    axes = {"x": "real part", "y": "imaginary part", "least": 1.0}
    order = range(1, len(found.step_S) + 1)
    values = {
        "one step": (order, found.step_S),
        f"all {end - begin} steps": (order, np.maximum(found.product_S, 1e-9)),
    }
    yield fr.Beside(
        [
            [
                fr.Chart(
                    "spectrum", title, "outlines", (table,), "", text, square=True, options=axes
                )
            ],
            [
                fr.curves(
                    "singular",
                    "Singular values",
                    values,
                    "from the largest to the smallest",
                    "singular value",
                    text=text,
                    log_y=True,
                )
            ],
        ],
        (5, 7),
    )
    first, last = (escaped(label) for label in (labels(tokens)[begin + 1], labels(tokens)[end]))
    yield _(
        "Reading “{first}”: largest eigenvalue {eigen}, largest singular value {step}. From the state before it to"
        " the one after “{last}” a change grows at most {product} times.",
        first=first,
        last=last,
        eigen=float(np.abs(found.eigen_S).max()),
        step=float(found.step_S[0]),
        product=float(found.product_S[0]),
    )


# ------------------------------------------------------------------ learning


@fr.part("Learning from this text", was=("descent", "rate", "times"))
def learning(
    model: Recurrent,
    mine: str,
    text: str = TEXT,
    rate: float = fr.slider("Learning rate, power of ten", -3.0, 1.0, -1.0, 0.1),
    steps: int = fr.slider("Steps", 1, 20, 1),
    cut: int = fr.slider("Truncated after, 0: never", 0, 64, 0),
) -> fr.Blocks:
    yield (
        "Gradient descent on this text alone, of all weights. The model itself stays as it is. The gradient says"
        " which way is down, not how far."
    )
    tokens = read(model, text)
    made = backpropagation.update(model, tokens, 10**rate, steps=steps)
    before_T, after_T = (nats_Q[1:] / np.log(2) for nats_Q in (made.before_Q, made.after_Q))
    places = range(1, len(tokens))
    yield fr.curves(
        "descent",
        "Surprisal of each token",
        {"before": (places, before_T), "after": (places, after_T)},
        "token",
        "bits",
        _("{n} {n|step|steps} of learning at a rate of {rate:.3g}", n=steps, rate=10**rate),
        text,
        whole=True,
    )
    before, after = float(before_T.mean()), float(after_T.mean())
    if made.broke:
        yield _(
            "{before} bits a token; after step {n} the loss is no finite number any more: the steps are too long,"
            " it diverges.",
            before=before,
            n=made.broke,
        )
    else:
        verdict = "better" if after <= before else "worse: the step was too long"
        yield _(
            "{before} → {after} bits a token after {n} {n|step|steps} ({verdict}). Length of the whole gradient:"
            " {norm}.",
            before=before,
            after=after,
            n=steps,
            verdict=Message(verdict),
            norm=made.norm,
        )
        name, share = max(made.changed.items(), key=lambda one: one[1])
        yield _(
            "Changed most: {name}, by {share:.2%} of its length.", name=f"`{name}`", share=share
        )
    if not cut:
        return
    whole, part = (backpropagation.truncated(model, tokens, chunk)[-1] for chunk in (None, cut))
    length = [float(np.linalg.norm(g)) for g in (whole, part)]
    yield _(
        "Truncated, the gradient of the recurrent weights is {share:.3g} % as long, at a cosine of {cosine}.",
        share=100 * length[1] / max(length[0], 1e-30),
        cosine=float((whole * part).sum()) / max(length[0] * length[1], 1e-30),
    )


# ------------------------------------------------------------------ by hand

UNITS, TOKENS = ("unit 0", "unit 1"), ("x₁", "x₂", "x₃")


@fr.part("By hand")
def hand(
    weights: fr.Matrix = fr.cells(
        "Recurrent weights, W_hh", by_hand.W_HH, UNITS, ("from 0", "from 1")
    ),
    inputs: fr.Matrix = fr.cells("Inputs", by_hand.X, TOKENS, ("0", "1", "2")),
) -> fr.Blocks:
    yield (
        "A network small enough to follow every product: two units, three tokens. Its output is wanted to be 1 at"
        " each token; the loss is the squared distance. Change a weight or an input."
    )
    net = Net(fr.array(weights), fr.array(inputs))
    ran, back, step_THH = by_hand.forward(net), by_hand.backward(net), by_hand.jacobians(net)
    matrix, written = latex.matrix, latex.number
    yield "**Forwards**, from the first token to the last: h = tanh(W_xh x + W_hh h + b)"
    for t, (y, loss) in enumerate(zip(ran.y_T, ran.loss_T, strict=True), 1):
        yield fr.Equations(
            (
                (f"a_{t}", matrix(ran.a_TH[t - 1][:, None])),
                (f"h_{t}", matrix(ran.h_TH[t][:, None])),
                (f"y_{t}", written(float(y))),
                (f"L_{t} = (y_{t} - 1)^2", written(float(loss))),
            )
        )
    yield (
        "**Backwards**, from the last token to the first: what comes from the loss of the token,"
        " and what comes back from the token after it. Each step adds its term to the gradient"
        " of the same weights."
    )
    yield fr.Formula(
        r"\delta h_t = w_{hy}\,\delta y_t + W_{hh}^\top\,\delta a_{t+1} \qquad"
        r" \delta a_t = \delta h_t \odot (1 - h_t^2) \qquad"
        r" \frac{\partial L}{\partial W_{hh}} = \sum_t \delta a_t\, h_{t-1}^\top"
    )
    for t in reversed(range(len(back.dy_T))):
        yield fr.Equations(
            (
                (rf"\delta y_{t + 1}", written(float(back.dy_T[t]))),
                (rf"\delta h_{t + 1}", matrix(back.dh_TH[t][:, None])),
                (rf"\delta a_{t + 1}", matrix(back.da_TH[t][:, None])),
                (rf"\delta a_{t + 1}\,h_{t}^\top", matrix(back.terms_THH[t])),
            )
        )
    yield fr.Equations(
        (
            (r"\frac{\partial L}{\partial W_{hh}}", matrix(back.dw_HH)),
            (r"\text{by central differences}", matrix(by_hand.differences(net))),
        )
    )
    yield (
        "**The same as a chain of factors**: what a step does to a small change of the state before it is its Jacobian,"
        " the slopes of tanh times W_hh, diag(1 − h²) W_hh. Over several steps they multiply, the latest leftmost."
    )
    whole_HH = by_hand.product(step_THH[1:])
    yield fr.Equations(
        (
            *(
                (rf"\frac{{\partial h_{t + 1}}}{{\partial h_{t}}}", matrix(step_THH[t]))
                for t in range(1, len(step_THH))
            ),
            (rf"\frac{{\partial h_{len(step_THH)}}}{{\partial h_1}}", matrix(whole_HH)),
        )
    )
    *each, product = (float(np.linalg.norm(m, 2)) for m in (*step_THH[1:], whole_HH))
    yield fr.Note(
        _(
            "Largest singular values: {one}, {two}; of the product {product}, at most {most}.",
            one=each[0],
            two=each[1],
            product=product,
            most=each[0] * each[1],
        )
    )
    yield fr.Note(
        "A wrong gradient is not always far off, so a net can train with it for a long time before anybody notices;"
        " that is what central differences are for."
    )


# ------------------------------------------------------------------ walls

UPDATES, CLIP = 200, 1.0


@fr.once
def trained(c: float, lag: int, chunk: int) -> Training:
    return recall.train(c, CLIP, lag, UPDATES, chunk)


@fr.part("What can be learned across a wall", was=("w_lag", "w_c", "w_k"))
def walls(
    w_lag: int = fr.slider("Steps of the text", 4, 20, 12, width=220),
    w_c: float = fr.slider("Size of the recurrent weights", 0.8, 1.8, 1.2, 0.1, width=220),
    w_start: bool = fr.start("Train", ("w_lag", "w_c")),
) -> fr.Blocks:
    yield (
        "One of four letters comes first, blanks follow; at the end the net has to say which it was. **A wall stops"
        " the gradient, not the state**: where walls stand between letter and answer nothing teaches the net to keep"
        " the letter. What the state keeps of itself, as its weights begin, can still be read out. What truncation"
        " saves is memory: the way back needs the states of one chunk only, where otherwise it needs all of them; it"
        " takes about as long for each token."
    )
    if not w_start:
        return
    chunks = range(1, w_lag + 1)
    right = []
    for chunk in chunks:
        yield fr.Progress((chunk - 1) / w_lag, "Training…")
        right.append(trained(w_c, w_lag, chunk).right)
    yield fr.curves(
        "walls",
        "Letters recalled, by steps between walls",
        {"recalled": (chunks, right), "a guess": (chunks, [0.25] * len(right))},
        "steps between walls",
        "share",
        _(
            "32 units, ReLU, {updates} updates, weights {c:g} times an orthogonal matrix",
            updates=UPDATES,
            c=w_c,
        ),
        whole=True,
    )
    yield fr.Note(
        _(
            "Without a wall between letter and answer {whole:.0%} are recalled, with walls on average {cut:.0%}."
            " Language models are trained with 20 to 50 steps between walls, and up to 100: choose it no shorter than"
            " what is to be learned. Make the weights larger: the state keeps more by itself, and short chunks begin to"
            " do.",
            whole=right[-1],
            cut=float(np.mean(right[:-1])),
        )
    )


PARTS = (reach, jacobian, learning, hand, walls)
