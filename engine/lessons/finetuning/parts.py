"""The page from top to bottom: what is said before and after, what moved in the weights, what it costs
and what is forgotten, how much text it saves, which numbers learn, and one's own.

Shapes    T = tokens, V = vocabulary, L = layers; dW (out, in) of one matrix
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.language.message import _
from engine.lessons.finetuning import changed, counted, results
from engine.lessons.finetuning.changed import Pair
from engine.runs.store import RunStore

NAMES = {
    "whole": "all weights",
    "last layer": "last layer and output",
    "output": "output alone",
    "adapters": "adapters",
    "lora": "LoRA, rank 8",
}
TOP = 8
SENTENCE = "Long ago Gregor walked to the barn to look for"
SMALL = 1e-3  # a singular value that is below it, beside the first, counts as 0


def tunings(_others: Mapping[str, Any]) -> dict[str, str]:
    """The shipped ways, and the reader's own runs."""
    return {**NAMES, **changed.tuned()}


def pair(of: str) -> Pair:
    return changed.example(of) if of in NAMES else changed.own(of)


TUNED = fr.shared(fr.pick("What was tuned", tunings, "lora"))


@fr.part("What it says, before and after")
def said(
    text: str = fr.typed("A sentence", SENTENCE, 200, live=True),
    of: str = TUNED,
) -> fr.Blocks:
    found = pair(of)
    models = {"before": found.before, "after": found.after}
    traces = {
        name: model.trace(text, fields=("probability",)).field("probability").values
        for name, model in models.items()
    }
    vocab = found.before.tokenizer.vocab
    last = {name: p_TV[-1] for name, p_TV in traces.items()}
    yield _(
        "Behind “{text}” the model now expects **{new}** ({p:.0%}); before, it was **{old}** ({q:.0%}).",
        text=_(text[-30:]),
        new=_(shown(vocab[int(last["after"].argmax())])),
        p=float(last["after"].max()),
        old=_(shown(vocab[int(last["before"].argmax())])),
        q=float(last["before"].max()),
    )
    yield fr.Beside(
        [
            [likeliest(name, p_V, vocab, title)]
            for (name, p_V), title in zip(last.items(), ("Before", "After"), strict=True)
        ]
    )
    tokens = found.before.tokens(text)
    if len(tokens) > 1:
        bits_MT = np.array([surprise(p_TV, tokens.ids) for p_TV in traces.values()])
        yield fr.grid(
            "bits",
            "Surprise at each token of the sentence, in bits",
            bits_MT,
            ("method", traces),
            ("token", [shown(label) for label in tokens.labels[1:]]),
            kind=Kind.LOSS,
            text=text,
        )
        yield _(
            "The whole sentence cost {before:.1f} bits, and now costs **{after:.1f}**.",
            before=float(bits_MT[0].sum()),
            after=float(bits_MT[1].sum()),
        )
    if of in NAMES:
        yield fr.Note(
            "A small Transformer that learned from novels and Wikipedia, and what 50,000 characters of little stories"
            " made of it. Type a sentence of such a story, then one of a novel. Runs of yours that go on from another"
            " are among the choices."
        )


def shown(token: str) -> str:
    return token.strip() or "␣" if token != "\n" else "↵"


def likeliest(name: str, p_V: np.ndarray, vocab: tuple[str, ...], title: str) -> fr.Chart:
    labels = [shown(token) for token in vocab]
    return fr.bars(name, title, p_V, ("next", labels), top=TOP)


def surprise(p_TV: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Bits of each token but the first."""
    p_T = p_TV[np.arange(len(ids) - 1), ids[1:]]
    found: np.ndarray = -np.log2(np.maximum(p_T, 1e-30))
    return found


def matrices(others: Mapping[str, Any]) -> list[str]:
    return list(pair("whole").matrices())


@fr.part("What moved: ΔW, all of it and of low rank")
def moved(
    of: str = fr.pick(
        "Beside all weights",
        lambda _others: {k: v for k, v in NAMES.items() if k != "whole"},
        "lora",
    ),
    matrix: str = fr.pick("Matrix", matrices, "query 2"),
    rank: int = fr.slider("Rank", 1, 32, 8),
) -> fr.Blocks:
    whole, other = pair("whole").matrices(), pair(of).matrices()
    full_EI = whole[matrix][1]
    low_EI = other[matrix][1]
    yield "What training added to one matrix: on the left with all weights free, on the right with few."
    sides = {"full": (full_EI, "all weights"), "low": (low_EI, NAMES[of])}
    most = max(float(np.abs(changed.shrunk(d_EI)).max()) for d_EI, _title in sides.values())
    yield fr.Beside(
        [
            [
                heat(
                    name,
                    _("ΔW of {matrix}: {title}", matrix=_(matrix), title=_(title)),
                    d_EI,
                    most,
                )
            ]
            for name, (d_EI, title) in sides.items()
        ]
    )
    values = {title: changed.spectrum(d_EI) for d_EI, title in sides.values()}
    there = {title: v[v > SMALL * v[0]] for title, v in values.items() if v[0] > SMALL}
    full_R = values["all weights"]
    share = float(changed.held(full_R)[min(rank, len(full_R)) - 1])
    low_R = values[NAMES[of]]
    length = float(np.sqrt((low_R**2).sum()))
    yield _(
        "The best matrix of rank {rank} holds **{share:.1%}** of the full ΔW, by the sum of its squares.",
        rank=rank,
        share=share,
    )
    if NAMES[of] in there:
        yield _(
            "The one on the right has rank {own}, and is {times:.2f} times as long.",
            own=len(there[NAMES[of]]),
            times=length / float(np.sqrt((full_R**2).sum())),
        )
    else:
        yield _("{way} leaves this matrix as it was.", way=_(NAMES[of].capitalize()))
    yield fr.Beside(
        [
            [
                fr.curves(
                    "values",
                    "Singular values of ΔW",
                    {t: (range(1, len(v) + 1), v) for t, v in there.items()},
                    "number",
                    "size",
                    log_y=True,
                )
            ],
            [
                fr.curves(
                    "held",
                    "Share of the full ΔW that a rank holds",
                    {"full": (range(1, len(full_R) + 1), changed.held(full_R))},
                    "rank",
                    "share",
                )
            ],
        ]
    )


def heat(name: str, title: fr.Words, d_EI: np.ndarray, most: float) -> fr.Chart:
    small = changed.shrunk(d_EI)
    e, i = small.shape
    note = _(
        "{rows} × {columns} numbers, blocks of them averaged",
        rows=d_EI.shape[0],
        columns=d_EI.shape[1],
    )
    return fr.grid(
        name,
        title,
        small,
        ("row", range(e)),
        ("column", range(i)),
        kind=Kind.STATE,
        note=note,
        domain=(-most, most),
    )


@fr.part("Which layers moved")
def layers(of: str = TUNED) -> fr.Blocks:
    found = pair(of).matrices()
    moved = {n: float(np.linalg.norm(d) / np.linalg.norm(w)) for n, (w, d) in found.items()}
    split = [n.rpartition(" ") for n in moved if n.rpartition(" ")[2].isdecimal()]
    kinds = list(dict.fromkeys(k for k, _space, _layer in split if k))
    numbers = sorted({int(layer) for k, _space, layer in split if k})
    furthest = max(moved, key=moved.__getitem__)
    yield _(
        "Length of ΔW beside that of W. **{furthest}** moved furthest: {share:.1%}.",
        furthest=_(furthest),
        share=moved[furthest],
    )
    if kinds:
        grid_KL = np.array([[moved.get(f"{k} {n}", math.nan) for n in numbers] for k in kinds])
        yield fr.grid(
            "norms",
            "Length of the change",
            grid_KL,
            ("row", kinds),
            ("layer", numbers),
            kind=Kind.STATE,
            symbol="|ΔW| / |W|",
        )
    rest = [(name, share) for name, share in moved.items() if name.rpartition(" ")[0] not in kinds]
    if rest:
        yield fr.table(("matrix", "moved by"), rest, forms={"moved by": fr.SHARE})
    added = {n for n, _p in pair(of).after.net.named_parameters()} - {
        n for n, _p in pair(of).before.net.named_parameters()
    }
    if added:
        yield fr.Note(
            _(
                "Its adapters are no change of these matrices: {n} arrays were added behind them.",
                n=len(added),
            )
        )


@fr.part("What it costs, and what is forgotten")
def price() -> fr.Blocks:
    found = results.read()
    first = found.ways[0].rows[0]
    rows = [
        {
            "what learns": _(NAMES[one.name]),
            "numbers": one.learned,
            "share": one.learned / one.all,
            "new text": one.rows[-1][1],
            "old text": one.rows[-1][2],
        }
        for one in found.ways
    ]
    yield _(
        "Loss in nats per token, after {steps} steps on little stories. Before, it was {new:.2f} on such stories and"
        " {old:.2f} on a page of Austen: **every way that learns the new text well forgets the old one.**",
        steps=found.ways[0].rows[-1][0],
        new=first[1],
        old=first[2],
    )
    yield fr.Rows(
        rows, forms={"numbers": fr.WHOLE, "share": fr.SHARE, "new text": "%.2f", "old text": "%.2f"}
    )

    def drawn(column: int) -> fr.Series:
        return {
            NAMES[one.name]: ([r[0] for r in one.rows], [r[column] for r in one.rows])
            for one in found.ways
        }

    yield fr.Beside(
        [
            [fr.curves("new", "Loss on the new text", drawn(1), "step", "nats")],
            [fr.curves("old", "Loss on the old text", drawn(2), "step", "nats")],
        ]
    )
    ways = sorted(found.ways, key=lambda one: one.learned)
    shares = [one.learned / one.all for one in ways]
    yield fr.curves(
        "shares",
        "Loss by the share of numbers that learn",
        {
            "new text": (shares, [one.rows[-1][1] for one in ways]),
            "old text": (shares, [one.rows[-1][2] for one in ways]),
        },
        "share",
        "nats",
        ", ".join(str(_(NAMES[one.name])) for one in ways),
        log_x=True,
    )
    yield fr.Note(
        "Small Transformer with rotary positions, 322,176 numbers, the same windows and steps for all;"
        " the stories measured on follow those learned from. Its output layer is its embedding, so that"
        " “output alone” is a third of it."
    )


@fr.part("Trained before, or from scratch?")
def amount() -> fr.Blocks:
    found = results.read().amounts
    yield "The same net on more and more text: from the weights of the shipped run, and from random ones."
    titles = list(dict.fromkeys(one.model for one in found))

    def series(model: str) -> fr.Series:
        return {
            name: (
                [one.characters for one in found if one.model == model and one.scratch == scratch],
                [one.nats for one in found if one.model == model and one.scratch == scratch],
            )
            for name, scratch in (("trained before", False), ("from scratch", True))
        }

    yield fr.Beside(
        [
            [
                fr.curves(
                    f"amount-{model.lower()}",
                    model,
                    series(model),
                    "characters of text",
                    "nats per token",
                    log_x=True,
                )
            ]
            for model in titles
        ]
    )
    for model in titles:
        least = min(one.characters for one in found)
        before, scratch = (
            next(o.nats for o in found if (o.model, o.characters, o.scratch) == (model, least, s))
            for s in (False, True)
        )
        yield _(
            "{model}: with {least:,} characters {before:.2f} against {scratch:.2f} nats.",
            model=_(model),
            least=least,
            before=before,
            scratch=scratch,
        )
    yield fr.Note(
        "At most 120 steps, each training at the best of them on stories that none has read. The Transformer reads"
        " pieces of words, the LSTM characters, so their nats are not comparable."
    )


@fr.part("Which numbers learn")
def count(
    model: str = fr.pick("Model", {k: s.title for k, s in counted.MODELS.items()}, "base"),
    unfrozen: int = fr.slider("Layers unfrozen", 0, 12, 1),
    width: int = fr.slider("Adapter width", 1, 256, 64),
    rank: int = fr.slider("LoRA rank", 1, 64, 4),
    share: float = fr.slider("Rate of a layer, as a share of the one above", 0.5, 1.0, 0.8, 0.05),
) -> fr.Blocks:
    of = counted.MODELS[model]
    every = of.all + of.head(2)
    rows = [
        ("all weights", every),
        (
            _("output for two labels and the last {n} {n|layer|layers}", n=unfrozen),
            of.unfrozen(unfrozen, 2),
        ),
        (_("adapters of width {width} in each layer", width=width), of.adapters(width)),
        (_("LoRA of rank {rank} beside query and value", rank=rank), of.lora(rank, 2)),
    ]
    yield fr.Rows(
        [{"what learns": name, "numbers": n, "share": n / every} for name, n in rows],
        forms={"numbers": fr.WHOLE, "share": fr.SHARE},
    )
    yield _(
        "An adapter: 2 · {d:,} · {width} + {width} + {d:,} = {one:,}. LoRA of one square matrix: {rank} · 2 · {d:,} ="
        " {low:,}, instead of {square:,}.",
        d=of.width,
        width=width,
        one=of.adapters(width) // of.layers,
        rank=rank,
        low=2 * rank * of.width,
        square=of.width**2,
    )
    found = counted.rates(of.layers, 1.0, share)
    yield fr.curves(
        "rates",
        "Rate by layer, as a share of that of the output",
        {"rate": (range(len(found)), found)},
        "layer (0: embeddings, last: output)",
        "share",
        whole=True,
    )
    yield fr.Note(
        _(
            "Discriminative rates: the embeddings learn at {least:.1%} of the rate of the output. With gradual"
            " unfreezing the output begins, and layers join it from the top.",
            least=found[0],
        )
    )


@fr.part("Tune a run of your own")
def yours() -> fr.Blocks:
    yield (
        "Any finished language model goes on learning, on your own text: choose the way, then text and settings in"
        " the training room. It can be stopped and goes on like any training, and its run appears above."
    )
    there = {run.id for run in RunStore().all("transformer")}
    start = "smollm2" if "smollm2" in there else changed.BASE
    ways: Mapping[str, Mapping[str, Any]] = {
        "LoRA": {"tune": "lora"},
        "Adapters": {"tune": "adapters"},
        "Last layer": {"tune": "layers", "unfrozen": 1},
        "Layers, one by one": {
            "tune": "layers",
            "unfrozen": 2,
            "thaw_every": 50,
            "layer_decay": 0.8,
        },
        "All weights": {"tune": "whole"},
    }
    yield fr.Line(
        [
            fr.Train(settings, "transformer", "stories", words, start)
            for words, settings in ways.items()
        ]
    )
    yield fr.Code(
        f"python -m engine train transformer --start {start} --text my.txt --set tune=lora --out tuned\n"
        "python -m engine adapter tuned --out peft    # as the peft library keeps it",
        "bash",
    )


PARTS = (said, moved, layers, price, amount, count, yours)
