"""One output layer for a whole vocabulary, or a net for each word: parameters, memory, and one word's
logit alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
import torch

from engine.analysis.costs import output
from engine.core.trace import Table
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, plate, rows, typed
from pages.ui.address import begin
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.abilities import Attends

WIDTHS = (64, 128, 192, 256, 512, 768, 1024, 2048, 4096, 8192, 12_288)
WORDS = (100, 1000, 4096, 10_000, 30_000, 50_000, 50_257, 100_000, 250_000)
HIDDEN = (0, 1, 8, 64, 512)
TYPES = {4: "float32, 4 bytes each", 2: "bfloat16, 2 bytes each", 1: "int8, 1 byte each"}
MOST, LARGEST, OFFERED = 300, 10, 8  # characters, addends shown, likeliest words offered


def show(run: Run, model: Attends[Any], example: str) -> None:
    st.subheader("One output layer, or a net for each word?", anchor=False)
    st.markdown(
        "A vocabulary of 50,000 words needs 50,000 logits. One layer gives them all: each word has"
        " a column of its weights and a bias. A net of its own for each word, with one output,"
        " would have just that column and that bias. It is the same thing written twice, as long"
        " as there is no hidden layer that the words could share."
    )
    line = ask.line()
    width = ask.pick("d, width", written(WIDTHS), "out_width", 512, line, width=130)
    words = ask.pick("V, words", written(WORDS), "out_words", 50_000, line, width=130)
    hidden = ask.pick("Hidden units before it", HIDDEN, "out_hidden", 0, line, width=190)
    each = ask.pick("Stored as", TYPES, "out_bytes", 4, line, width=210)
    one, many = output.shared(width, words, hidden), output.separate(width, words, hidden)
    megabytes = [n * each / 1e6 for n in (one, many)]
    table = {
        "": ["one layer", f"{words:,} nets"],
        "parameters": [one, many],
        "megabytes": megabytes,
        "logits of 10 tokens": [10 * words] * 2,
    }
    of, both = f"d = {width:,}, V = {words:,}, {TYPES[each]}", ("one layer", f"{words:,} nets")
    plate.row(
        bars("parameters", "Parameters", both, [n / 1e6 for n in (one, many)], of, "millions"),
        bars("memory", "Memory", both, megabytes, of, "megabytes"),
    )
    rows.show(
        table,
        "output.table",
        {"parameters": rows.WHOLE, "megabytes": "%.1f", "logits of 10 tokens": rows.WHOLE},
    )
    st.markdown(said(width, words, hidden, one, many))
    alone(run, model, example)


def written(sizes: Iterable[int]) -> dict[int, str]:
    return {size: f"{size:,}" for size in sizes}


def bars(
    id: str, says: str, names: Sequence[str], values: Sequence[float], of: str, unit: str
) -> Plate:
    columns = {"step": names, "before": [0.0] * len(names), "after": values}
    made, options = Table.of(id, says, columns), {"axis": unit, "named": True}
    return Plate(f"output.{id}", "waterfall", (made,), "output", of, options=options, fluid=True)


def said(width: int, words: int, hidden: int, one: int, many: int) -> str:
    guess = f"Before training each word has 1/{words:,}: a loss of ln {words:,} = {math.log(words):.6f} nats."
    if not hidden:
        return (
            f"{width:,} · {words:,} = {width * words:,} weights and {words:,} biases, together"
            f" **{one:,}**, either way. {guess}"
        )
    return (
        f"With {hidden:,} hidden units one layer of them serves all words: **{one:,}** parameters. A"
        f" net for each word has to learn its own: **{many:,}**, {number(many / one)} times as many."
        f" {guess}"
    )


def alone(run: Run, model: Attends[Any], example: str) -> None:
    """One word's logit from its own weights, beside the whole layer's."""
    st.markdown("##### One word alone, in the model above")
    found = model.output()
    if found is None:
        st.info("This model's output is more than one product and a sum.")
        return
    begin(out_text=typed.own(MOST) or example)
    left, right = st.columns((3, 1))
    text = ask.text("Text", "out_text", MOST, where=left, live="150ms")
    trace = model.trace(text, fields=("residual", "logits"))
    if not len(trace):
        st.info("Type at least one word.")
        return
    weight_VD, bias_V = (part.detach().float().cpu().numpy() for part in found)
    norm, last_D = model.tower.norm, trace.field("residual").values[-1, -1]
    with torch.inference_mode():
        x = torch.from_numpy(np.array(last_D, np.float32)).to(next(model.net.parameters()))
        x_D = (x if norm is None else norm(x)).float().cpu().numpy()
    logit_V = trace.field("logits").values[-1]
    best = [int(v) for v in np.argsort(-logit_V, kind="stable")[:OFFERED]]
    vocab = model.tokenizer.vocab
    rank = ask.slider("Word, by its rank", "out_rank", 1, len(best), 1, 1, right)
    word = best[rank - 1]
    kept, others = output.addends(x_D, weight_VD[word], LARGEST)
    total, steps = 0.0, []
    rest = len(x_D) - len(kept)
    parts = [(f"{k + 1}: {x_D[k]:.3f} · {weight_VD[word, k]:.3f}", v) for k, v in kept]
    if rest:
        parts.append((f"the other {rest} products", others))
    for name, value in (*parts, ("bias", float(bias_V[word]))):
        steps.append((name, total, total + value))
        total += value
    made = Table.of_rows(
        "word", "The logit of one word, added up", ("step", "before", "after"), steps
    )
    label = theme.visible(vocab[word])
    of, options = f"{run.title}, “{label}”", {"axis": "logit so far", "named": True}
    plate.show(Plate("word", "waterfall", (made,), run.id, of, text, options, model=run.model))
    st.markdown(
        f"From the {len(x_D)} weights and the bias of “{escape(label)}” alone: **{total:.4f}**; the"
        f" bars begin with the {len(kept)} largest of the {len(x_D)} products. The"
        f" whole layer of {len(vocab):,} words says {logit_V[word]:.4f} for it. What makes a"
        " probability of it needs all words: the sum in the softmax. One product of matrices gives"
        f" all {len(vocab):,} logits at once, which is why nobody writes so many nets."
    )
