"""The next update on the typed text with all its numbers: what it asks, what the output layer answers,
which rows move, and what follows of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine import frame as fr
from engine.core.trace import Field, Kind, Table
from engine.language.message import _, refusal
from engine.lessons.word2vec.head import Now
from engine.live.markdown import escape
from engine.nn.word2vec import toy
from engine.nn.word2vec.chances import noise_probability
from engine.nn.word2vec.huffman import Tree
from engine.nn.word2vec.single import update

MOVED = 1e-12
HANDS = 6  # words and numbers that a written product can hold
FOUR, SIX = "%.4f", "%.6f"


def listed(numbers: np.ndarray, places: int = 4) -> str:
    return ", ".join(f"{x:.{places}f}" for x in numbers).replace("-", "−")


def cosines_of(table_VD: np.ndarray) -> np.ndarray:
    length_V1 = np.linalg.norm(table_VD, axis=1, keepdims=True)
    unit_VD = table_VD / np.where(length_V1 > 0, length_V1, 1)
    return np.clip(unit_VD @ unit_VD.T, -1, 1)


# ------------------------------------------------------------------ what is asked


@fr.part("", always=True)
def question(now: Now) -> fr.Blocks:
    yield fr.Beside([[*window(now)], [*lookup(now)]])
    yield (
        "A network that consists of just two tables learns to guess the words around a word. Its"
        " rows become the word vectors. This is **the next update on your text**, with all its"
        " numbers; the buttons above apply it and move on to the next word."
    )


def window(now: Now) -> fr.Blocks:
    m, near = now.setting.window, now.text.near(now.t, now.setting.window)
    line = now.text.at[now.t][0]
    here = [t for t in range(len(now.text.at)) if now.text.at[t][0] == line]
    h_D = now.done.h_D if now.done else now.tables[0][now.text.ids[now.t]]
    chance_V = toy.chances(now.tables[1], h_D, now.setting, now.text)
    columns = {
        "word": now.names(now.text.ids[t] for t in here),
        "centre": [t == now.t for t in here],
        "near": [t in near for t in here],
        "probability": [chance_V[now.text.ids[t]] for t in here],
    }
    table = Table.of("window", "What the output layer gives each word now", columns)
    yield now.chart("window", table, "", fluid=True)
    pairs = now.text.pairs(m)
    yield _(
        "**M = {m}** words on **each side**: this centre has **{near}** around it, and the text has"
        " **{pairs} pairs**. {makes}",
        m=m,
        near=len(near),
        pairs=len(pairs),
        makes=_(
            "CBOW makes one prediction from the window: all of it together predicts the centre."
            if now.setting.cbow
            else "Skip-gram makes one prediction per pair: the centre predicts the word of the window."
        ),
    )


def lookup(now: Now) -> fr.Blocks:
    """One-hot times matrix, and the same by looking."""
    in_VD, ids = now.tables[0], list(now.asked.input_I) if now.asked else [now.text.ids[now.t]]
    words = now.text.words
    onehot_V = np.bincount(ids, minlength=len(words)) / len(ids)
    axes = {"dim": ["x", *range(1, in_VD.shape[1] + 1)], "word": words}
    values = np.concatenate([onehot_V[None], in_VD.T])
    says = "The word that is read, x, above the input table"
    field = Field.of("lookup", Kind.STATE, axes, values, says, "W₁", domain=(-1, 1))
    yield now.chart("heatmap", field, _("After {n:,} updates", n=now.n), fluid=True)
    yield _(
        "Word k as a **one-hot** vector x has a 1 at place k and 0 elsewhere. W₁x then *is* column"
        " k: nothing needs to be multiplied, only looked up. Here that is {chosen}; {means}",
        chosen=", ".join(f"“{escape(words[i])}”" for i in dict.fromkeys(ids)),
        means=_(
            "x is the mean of their one-hot vectors, h the mean of their columns."
            if len(ids) > 1
            else "this column is h."
        ),
    )
    if len(words) <= HANDS and in_VD.shape[1] <= HANDS:
        w, x, h = (
            r"\\".join("&".join(f"{v:.3g}" for v in row) for row in rows)
            for rows in (in_VD.T, onehot_V[:, None], (in_VD.T @ onehot_V)[:, None])
        )
        made = " ".join(rf"\begin{{bmatrix}}{cells}\end{{bmatrix}}" for cells in (w, x))
        yield fr.Formula(rf"h = W_1 x = {made} = \begin{{bmatrix}}{h}\end{{bmatrix}}")


# ------------------------------------------------------------------ what is answered

FORMULAS = {
    "softmax": (
        r"z_k = o_k^\top h",
        r"p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}",
        r"L = -\sum_{\text{targets}} \ln p",
        r"\frac{\partial L}{\partial z_k} = n\,p_k - n_k",
    ),
    "negative": (
        r"z = o^\top h",
        r"s(z) = \frac{1}{1 + e^{-z}}",
        r"L = -\ln s(z_{\text{target}}) - \sum_{\text{noise}} \ln s(-z)",
        r"\frac{\partial L}{\partial z} = s - \text{right}",
    ),
    "hierarchical": (
        r"z = o_{\text{node}}^\top h",
        r"P(\text{left}) = s(z)",
        r"L = -\sum_{\text{path}} \ln P(\text{turn})",
        r"\frac{\partial L}{\partial z} = s - \text{left}",
    ),
}
HEADS = {
    "softmax": ("word", "p", "times it is a target"),
    "negative": ("word", "s(z)", "right"),
    "hierarchical": ("node", "P(left)", "left is right"),
}


@fr.part("Scores, probabilities, errors", always=True)
def scores(now: Now) -> fr.Blocks:
    done, asked = now.done, now.asked
    if done is None or asked is None:
        raise refusal(
            "“{centre}” is alone on its line, so there is nothing to predict. Do a step to go on.",
            centre=escape(now.text.words[now.text.ids[now.t]]),
        )
    yield fr.Line([fr.Formula(latex) for latex in FORMULAS[asked.output]])
    of, chance, right = HEADS[asked.output]
    rows = []
    for r, (row, target) in enumerate(zip(done.row_R.tolist(), done.of_R.tolist(), strict=True)):
        rows.append(
            ({} if asked.output == "softmax" else {"target": now.text.words[target]})
            | {
                of: now.text.words[row] if of == "word" else f"n{row + 1}",
                "score z": float(done.score_R[r]),
                chance: float(done.chance_R[r]),
                right: int(done.right_R[r]),
                "error ∂L/∂z": float(done.error_R[r]),
            }
        )
    yield fr.Rows(rows, dict.fromkeys(("score z", chance, "error ∂L/∂z"), SIX), bars=[chance])
    yield _(
        "h = ({h}). Loss, the sum over {n} {n|target|targets}: **{before:.6f}** nats before this"
        " update, **{after:.6f}** after it. ∂L/∂h = ({g}): the sum of error × row.",
        h=listed(done.h_D),
        n=len(asked.targets),
        before=done.loss,
        after=update(*now.after, asked).loss,
        g=listed(done.h_gradient_D),
    )


# ------------------------------------------------------------------ what moves


@fr.part("How the vectors move", always=True)
def rows(now: Now) -> fr.Blocks:
    if now.done is not None:
        tree = now.setting.output == "hierarchical"
        nodes = max(1, len(now.tables[1]) - 1) if tree else len(now.tables[1])
        labels = [f"n{n + 1}" for n in range(nodes)] if tree else list(now.text.words)
        names = ((0, "input", list(now.text.words)), (1, "output", labels))
        yield fr.Beside([[plane(now, side, name, of)] for side, name, of in names])
        moved = [
            int((np.abs(now.after[side] - now.tables[side])[: len(of)].max(1) > MOVED).sum())
            for side, _name, of in names
        ]
        yield _(
            "This update moves **{a} of {v}** rows of the input table and **{b} of {w}** rows of the"
            " output table; all others stay exactly the same.",
            a=moved[0],
            v=len(now.text.words),
            b=moved[1],
            w=nodes,
        )
        if now.setting.output == "softmax":
            yield (
                "A softmax pushes h away from its expectation, Σ p·o, and pulls it towards the"
                " target: vectors are shaped by repulsion as well as attraction."
            )
    loss_N = np.array(now.losses)
    if len(loss_N) < 2:
        yield fr.Note("The loss curve appears here after two updates.")
        return
    series = {"each update": (np.arange(1, len(loss_N) + 1), loss_N)}
    note = _("{n:,} updates, learning rate {rate:g}", n=now.n, rate=now.setting.rate)
    title, y = "Loss per target before each update", "loss (nats)"
    yield fr.curves("loss", title, series, "update", y, note, " ".join(now.text.words))


def plane(now: Now, side: int, name: str, labels: list[str]) -> fr.Block:
    """The rows of a table before and after; more than two numbers along two directions."""
    old_VD, new_VD = (tables[side][: len(labels)] for tables in (now.tables, now.after))
    d = old_VD.shape[1]
    axes_2D, x, y = np.eye(2, d), "first number", "second number"
    if d > 2:
        axes_2D = np.linalg.svd(old_VD, full_matrices=False)[2][:2]
        axes_2D = np.pad(axes_2D, ((0, 2 - len(axes_2D)), (0, 0)))
        x, y = "first direction of largest spread", "second direction"
    old, new = old_VD @ axes_2D.T, new_VD @ axes_2D.T
    columns = {"word": labels, "x": old[:, 0], "y": old[:, 1], "to_x": new[:, 0], "to_y": new[:, 1]}
    says = _("The {name} table: each row before and after this update", name=_(name))
    note = (
        _("{d} numbers per word, seen along two directions", d=d)
        if d > 2
        else "W₁W₂"[2 * side :][:2]
    )
    table = Table.of(f"moves-{name}", says, columns)
    return now.chart("plane", table, note, options={"x": x, "y": y})


# ------------------------------------------------------------------ one at a time


@fr.part("The output layer", was=("output",))
def output(now: Now) -> fr.Blocks:
    if now.setting.output == "softmax":
        yield _(
            "**Full softmax.** Each prediction uses **all {v} output rows** and moves all of them."
            " With a vocabulary of 100,000 words that is 100,000 products for one centre; negative"
            " sampling uses 1 + K rows per target, a tree about log₂ of the vocabulary. Choose"
            " another output layer in the settings.",
            v=len(now.text.words),
        )
    elif now.setting.output == "negative":
        yield from noise(now)
    elif now.text.tree is not None:
        yield from huffman(now, now.text.tree)


def noise(now: Now) -> fr.Blocks:
    count_V = now.text.counts
    columns = (count_V, count_V / count_V.sum(), noise_probability(count_V))
    shares = ("share of the text", "probability as noise")
    order = np.argsort(-count_V, kind="stable")
    rows = [(now.text.words[i], *(column[i].item() for column in columns)) for i in order]
    yield fr.table(
        ("word", "count", *shares), rows, forms=dict.fromkeys(shares, FOUR), bars=[shares[1]]
    )
    yield (
        "Noise words are drawn with probability proportional to **count^0.75**: rare words a"
        " little more often than their share, common ones a little less. If the target itself"
        " is drawn, the draw is repeated."
    )


def huffman(now: Now, tree: Tree) -> fr.Blocks:
    words, v = now.text.words, len(now.text.words)
    yield (
        "The two rarest nodes are joined, again and again, until one is left: the Huffman tree. The code of"
        " a word is the way to it from the top, left (0) to the rarer of two nodes, right (1) to the other."
    )
    heads = ("word", "count", "code (0 left, 1 right)")
    rows = [(word, int(now.text.counts[i]), tree.code(i)) for i, word in enumerate(words)]
    if now.done is None:
        yield fr.table(heads, rows)
        return
    chance_V = toy.chances(now.tables[1], now.done.h_D, now.setting, now.text)
    now_too = [(*row, float(p)) for row, p in zip(rows, chance_V, strict=True)]
    yield fr.table((*heads, "p now"), now_too, forms={"p now": SIX}, bars=["p now"])
    yield _(
        "The probability of a word is the product of the turns on its path; over all words"
        " these add up to **{whole:.6f}**. Common words have short codes:"
        " **{mean:.2f}** questions per word of this text on average, where a softmax uses {v}"
        " rows.",
        whole=chance_V.sum(),
        mean=float(now.text.counts @ tree.length_V / now.text.counts.sum()),
        v=v,
    )


@fr.part("Skip-gram and CBOW at this centre", was=("both",))
def both(now: Now) -> fr.Blocks:
    rows = []
    for name, cbow in (("Skip-gram", False), ("CBOW", True)):
        asked = toy.ask(now.text, replace(now.setting, cbow=cbow), now.t, now.n)
        if asked is None:
            raise ValueError("The centre is alone on its line: do a step to go on.")
        done = update(*now.tables, asked)
        moved = (int((np.abs(step_VD).max(1) > 0).sum()) for step_VD in (done.in_VD, done.out_VD))
        reads, predicts = (", ".join(now.names(ids)) for ids in (asked.input_I, asked.targets))
        mean = done.loss / len(asked.targets)
        rows.append((name, reads, predicts, listed(done.h_D, 3), float(mean), *moved))
    heads = ("model", "reads", "predicts", "h", "loss per target")
    moving = ("input rows moved", "output rows moved")
    yield fr.table((*heads, *moving), rows, forms={"loss per target": SIX})
    yield (
        "Skip-gram: one word in, each word of the window out. CBOW: the mean of the window in,"
        " its centre out. CBOW makes one prediction per centre, not one per pair, and each of"
        " the n averaged rows gets one n-th of the gradient. The rows of W₁ are word vectors"
        " in **both**, and in both **order is lost**: the words of the window reversed have the same loss."
    )


LOOKS = ("W₁, the input table", "W₂, the output table", "the mean of both")


@fr.part("Which table holds the word vectors?", was=("cosines",))
def tables(now: Now, table: str = fr.pick("Cosines of the rows of", LOOKS, few=True)) -> fr.Blocks:
    in_VD, out_VD = now.tables
    tree = now.setting.output == "hierarchical"
    chosen = LOOKS[0] if tree else table
    values = dict(zip(LOOKS, (in_VD, out_VD, (in_VD + out_VD) / 2), strict=True))[chosen]
    axes = {"source": now.text.words, "target": now.text.words}
    says = _("Cosines of the words in {chosen}", chosen=chosen)
    field = Field.of("cosines", Kind.COSINE, axes, cosines_of(values), says, "cos")
    yield now.chart("heatmap", field, _("After {n:,} updates", n=now.n), fluid=True)
    if tree:
        yield (
            "With a tree the output rows belong to **nodes**, not to words, so only the rows"
            " of W₁ can be word vectors."
        )
        return
    one_VV, two_VV = cosines_of(in_VD), cosines_of(out_VD)
    i, j = np.unravel_index(np.abs(one_VV - two_VV).argmax(), one_VV.shape)
    yield _(
        "The tables disagree most about “{a}” and “{b}”: cosine **{one}** in W₁, **{two}** in W₂."
        " Some texts take W₂ for CBOW and W₁ for skip-gram. Rows of W₂ *can* serve as word"
        " vectors, but so can those of W₁: the original program keeps W₁ for both models and"
        " throws W₂ away; some average the two.",
        a=escape(now.text.words[i]),
        b=escape(now.text.words[j]),
        one=listed(one_VV[i, j : j + 1], 6),
        two=listed(two_VV[i, j : j + 1], 6),
    )


PARTS = (question, scores, rows, output, both, tables)
