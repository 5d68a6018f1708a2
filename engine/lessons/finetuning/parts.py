"""The page from top to bottom: what is said before and after, what moved in the weights, what it costs
and what is forgotten, how much text it saves, which numbers learn, and one's own.

Shapes    T = tokens, V = vocabulary, L = layers; dW (out, in) of one matrix
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import interval
from engine.core.trace import Kind
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.finetuning import changed, counted, results, split
from engine.lessons.finetuning.changed import Pair
from engine.models.abilities import Attends
from engine.runs.store import RunStore

NAMES = {
    "whole": "all weights",
    "last layer": "last layer and output",
    "output": "output alone",
    "adapters": "adapters",
    "lora": "LoRA, rank 8",
}
MATRICES = {
    "query": "query",
    "key": "key",
    "value": "value",
    "out": "attention, output",
    "up": "feed-forward, first",
    "gate": "feed-forward, gate",
    "down": "feed-forward, second",
    "input": "from the input",
    "state": "from the state before",
    "embed": "embedding",
    "head": "output",
    "output": "output",
}
TOP = 8
FURTHEST = "furthest"
PLACES = ("before", "after")
SENTENCE = "Long ago Gregor walked to the barn to look for"
SMALL = 1e-3  # a singular value that is below it, beside the first, counts as 0


def tunings(_others: Mapping[str, Any]) -> dict[str, str]:
    """The shipped ways, and the reader's own runs."""
    return {**NAMES, **changed.tuned()}


def opening(of: str) -> fr.Blocks:
    """Said before a run of the reader's is opened, which may be large."""
    if of not in NAMES and not changed.is_open(of):
        yield fr.Progress(0.0, "Opening both models …")


def pair(of: str) -> Pair:
    return changed.example(of) if of in NAMES else changed.own(of)


TUNED = fr.shared(fr.pick("What was tuned", tunings, "lora"))
TEXT = fr.shared(fr.typed("A sentence", SENTENCE, 200, width=420, live=True))


@fr.part("What it says, before and after")
def said(text: str = TEXT, of: str = TUNED) -> fr.Blocks:
    yield from opening(of)
    found = pair(of)
    traces = found.read(text, "probability")
    vocab = found.before.tokenizer.vocab
    p_MTV = [trace.field("probability").values for trace in traces]
    old, new = (int(p_TV[-1].argmax()) for p_TV in p_MTV)
    yield _(
        "Behind “{text}” the model now expects **{new}** ({p:.0%}); before, it was **{old}** ({q:.0%}).",
        text=_(escaped(text[-30:])),
        new=_(escaped(shown(vocab[new]))),
        p=float(p_MTV[1][-1, new]),
        old=_(escaped(shown(vocab[old]))),
        q=float(p_MTV[0][-1, old]),
    )
    most = max(float(p_TV[-1].max()) for p_TV in p_MTV)
    yield fr.Beside(
        [
            [fr.bars(name, title, p_TV[-1], ("next", vocab), top=TOP, end=most)]
            for name, title, p_TV in zip(PLACES, ("Before", "After"), p_MTV, strict=True)
        ]
    )
    ids, labels = traces[0].ids, traces[0].tokens
    if len(ids) > 1:
        bits_MT = np.array([surprise(p_TV, ids) for p_TV in p_MTV])
        yield fr.grid(
            "bits",
            "Surprise at each token of the sentence, in bits",
            bits_MT,
            ("method", PLACES),
            ("token", map(shown, labels[1:])),
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


def heads_of(others: Mapping[str, Any]) -> dict[str, fr.Words]:
    """By their numbers, layer and head, of a model that has any; it need not be open for that."""
    run = RunStore().find(changed.BASE if others["of"] in NAMES else others["of"])
    sizes = (int(run.note["config"].get(name, 0)) for name in ("layers", "heads"))
    return {FURTHEST: "changed most"} | {
        f"{layer + 1}.{head + 1}": _("layer {n}, head {m}", n=layer + 1, m=head + 1)
        for layer, head in product(*map(range, sizes))
    }


@fr.part("Its heads, before and after")
def heads(
    text: str = TEXT, of: str = TUNED, head: str = fr.pick("Head", heads_of, FURTHEST)
) -> fr.Blocks:
    yield from opening(of)
    found = pair(of)
    if not isinstance(found.before, Attends):
        raise ValueError("This model has no heads of attention.")
    traces = found.read(text, "attention")
    if len(traces[0].ids) < 2:
        raise ValueError("Type some words.")
    moved_LN = changed.turned(*traces)
    layers, many = moved_LN.shape
    furthest = divmod(int(moved_LN.argmax()), many)
    at = furthest if head == FURTHEST else tuple(int(n) - 1 for n in head.split("."))
    yield _(
        "On this sentence head {m} of layer {n} changed most: **{share:.0%}** of what its tokens take from others now"
        " comes from elsewhere. The mean of all heads is {mean:.0%}.",
        n=furthest[0] + 1,
        m=furthest[1] + 1,
        share=float(moved_LN.max()),
        mean=float(moved_LN.mean()),
    )
    yield fr.grid(
        "turned",
        "Share of a head's attention that moved",
        moved_LN.T,
        ("head", range(1, many + 1)),
        ("layer", range(1, layers + 1)),
        kind=Kind.ATTENTION,
        text=text,
        domain=(0.0, float(moved_LN.max()) or 1.0),
    )
    labels = [shown(label) for label in traces[0].tokens]
    yield fr.Beside(
        [
            [
                fr.grid(
                    f"head-{name}",
                    _("{when}: layer {n}, head {m}", when=_(title), n=at[0] + 1, m=at[1] + 1),
                    trace.field("attention").values[at],
                    ("query", labels),
                    ("key", labels),
                    kind=Kind.ATTENTION,
                    text=text,
                )
            ]
            for name, title, trace in zip(PLACES, ("Before", "After"), traces, strict=True)
        ]
    )
    yield fr.Note(
        "A row for each token: how much it takes from each token to its left, and from itself."
    )


def shown(token: str) -> str:
    return token.strip() or "␣" if token != "\n" else "↵"


def surprise(p_TV: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Bits of each token but the first."""
    p_T = p_TV[np.arange(len(ids) - 1), ids[1:]]
    found: np.ndarray = -np.log2(np.maximum(p_T, 1e-30))
    return found


def called(matrix: str) -> fr.Words:
    """A matrix by what it is for: query 2."""
    kind, _space, layer = matrix.rpartition(" ")
    if kind in MATRICES:
        return _("{matrix}, layer {n}", matrix=_(MATRICES[kind]), n=int(layer))
    return _(MATRICES.get(matrix, matrix))


def matrices(_others: Mapping[str, Any]) -> dict[str, fr.Words]:
    return {name: called(name) for name in pair("whole").matrices()}


@fr.part("What moved in one matrix")
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
    yield (
        "What training added to one matrix: on the left with all weights free, on the right with few. Each has colours"
        " of its own."
    )
    sides = {"full": (full_EI, "all weights"), "low": (low_EI, NAMES[of])}
    yield fr.Beside(
        [
            [heat(name, _("ΔW of {matrix}: {title}", matrix=called(matrix), title=_(title)), d_EI)]
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
        yield _("“{way}” leaves this matrix as it was.", way=_(NAMES[of]))
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


def heat(name: str, title: fr.Words, d_EI: np.ndarray) -> fr.Chart:
    small = changed.shrunk(d_EI)
    rows, columns = (changed.blocks(size)[:-1] for size in d_EI.shape)
    most = float(np.abs(small).max())
    note = _("{rows} × {columns} numbers", rows=d_EI.shape[0], columns=d_EI.shape[1])
    if small.shape != d_EI.shape:
        note = _("{numbers}, each cell the mean of a few", numbers=note)
    return fr.grid(
        name,
        title,
        small,
        ("row", rows.tolist()),
        ("column", columns.tolist()),
        kind=Kind.STATE,
        note=note,
        domain=(-most, most),
    )


@fr.part("Which layers moved")
def layers(of: str = TUNED) -> fr.Blocks:
    yield from opening(of)
    found = pair(of).matrices()
    moved = {n: float(np.linalg.norm(d) / np.linalg.norm(w)) for n, (w, d) in found.items()}
    split = [n.rpartition(" ") for n in moved if n.rpartition(" ")[2].isdecimal()]
    kinds = list(dict.fromkeys(k for k, _space, _layer in split if k))
    numbers = sorted({int(layer) for k, _space, layer in split if k})
    furthest = max(moved, key=moved.__getitem__)
    if any(moved.values()):
        yield _(
            "How long the change ΔW of each matrix is, beside the matrix W itself. Furthest moved: **{furthest}**,"
            " {share:.1%}.",
            furthest=called(furthest),
            share=moved[furthest],
        )
    else:
        yield "None of the model's own matrices changed."
    if kinds:
        grid_KL = np.array([[moved.get(f"{k} {n}", math.nan) for n in numbers] for k in kinds])
        yield fr.grid(
            "norms",
            "Length of the change",
            grid_KL,
            ("row", [_(MATRICES.get(kind, kind)) for kind in kinds]),
            ("layer", numbers),
            kind=Kind.LOSS,
            symbol="|ΔW| / |W|",
            domain=(0.0, max(moved.values()) or 1.0),
        )
    rest = [
        (called(name), share)
        for name, share in moved.items()
        if name.rpartition(" ")[0] not in kinds
    ]
    if rest:
        yield fr.table(("matrix", "moved by"), rest, forms={"moved by": fr.SHARE})
    added = {n for n, _p in pair(of).after.net.named_parameters()} - {
        n for n, _p in pair(of).before.net.named_parameters()
    }
    if added:
        yield fr.Note(
            _(
                "What learned was added behind them: {n} arrays of its adapters.",
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
        reduce(lambda a, b: _("{a} → {b}", a=a, b=b), (_(NAMES[one.name]) for one in ways)),
        log_x=True,
    )
    yield fr.Note(
        "Small Transformer with rotary positions, 322,176 numbers, the same windows and steps for all;"
        " the stories measured on follow those learned from. Its output layer is its embedding, so that"
        " “output alone” is a third of it."
    )


@fr.part("Trained before, or from scratch?")
def amount(
    by: str = fr.pick("Curves over", {"text": "characters of text", "labels": "labels"}, few=True),
) -> fr.Blocks:
    yield from labelled() if by == "labels" else more_text()


def labelled() -> fr.Blocks:
    """The charts have one height, so that they compare."""
    found = results.read_labelled()
    of = {(one.model, one.labels, one.scratch): one for one in found}
    counts = sorted({one.labels for one in found})
    titles = [one.model for one in found if one.scratch]
    yield (
        "Is a sentence from a blog, a newsgroup, an e-mail, a review, or an answer on the web? The same net with a head"
        " for these five kinds learns from more and more labelled sentences: from the weights of the shipped run, and"
        " from random ones. All weights learn."
    )
    lines = [("trained before", "", False), ("from scratch", "", True)]
    lines.append(("counted words", results.WORDS, False))
    yield fr.Beside(
        [
            [
                fr.curves(
                    f"labels-{model.lower()}",
                    model,
                    {
                        name: (counts, [of[one or model, n, scratch].mean for n in counts])
                        for name, one, scratch in lines
                    },
                    "labels",
                    "share right",
                    log_x=True,
                    low=0.2,
                    high=math.ceil(20 * max(one.mean for one in found)) / 20,
                )
            ]
            for model in dict.fromkeys(titles)
        ]
    )
    for model in dict.fromkeys(titles):
        pairs = [(of[model, n, False], of[model, n, True]) for n in counts]
        before, scratch = max(pairs, key=lambda two: two[0].mean - two[1].mean)
        apart = min(before.shares) > max(scratch.shares)
        yield _(
            "{model}: training before helps most with {n:,} labels, **{a:.0%}** ({least:.0%} to {most:.0%}) against"
            " **{b:.0%}** ({low:.0%} to {high:.0%})."
            if apart
            else "{model}: training before helps no more than chance. The largest difference, with {n:,} labels, is"
            " **{a:.0%}** ({least:.0%} to {most:.0%}) against **{b:.0%}** ({low:.0%} to {high:.0%}).",
            model=_(model),
            n=before.labels,
            a=before.mean,
            least=min(before.shares),
            most=max(before.shares),
            b=scratch.mean,
            low=min(scratch.shares),
            high=max(scratch.shares),
        )
        tuned, fresh = (of[model, counts[-1], way].mean for way in (False, True))
        if before.labels != counts[-1] and apart:
            yield _(
                "With {n:,} labels little of that is left: {a:.0%} against {b:.0%}."
                if tuned - fresh < (before.mean - scratch.mean) / 2
                else "With {n:,} labels it is {a:.0%} against {b:.0%}.",
                n=counts[-1],
                a=tuned,
                b=fresh,
            )
    yield _(
        "Counted words reach {share:.0%} with {n:,} labels, more than either net.",
        share=of[results.WORDS, counts[-1], False].mean,
        n=counts[-1],
    )
    yield fr.Note(
        _(
            "English Web Treebank, as many sentences of each kind, so that a guess is right in 20 %; {unseen} of pages"
            " that none has read judge. Means of {draws} drawings of sentences and of random weights; in brackets the"
            " least and the most. Counted words: a logistic regression on which words are there. The LSTM is the one"
            " that reads words.",
            unseen=found[0].unseen,
            draws=len(found[0].shares),
        )
    )


def more_text() -> fr.Blocks:
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
            _("output for two labels, and {n} {n|layer|layers} below it", n=unfrozen),
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


@fr.part("How many examples to keep back")
def kept(
    count: int = fr.number("Examples", 10, 100_000, 100),
    validation: int = fr.slider("For validation, %", 5, 45, 15, 5, width=200),
    test: int = fr.slider("For the test, %", 5, 45, 15, 5, width=200),
    rare: int = fr.slider("Have the rarer label, %", 1, 50, 10, width=220),
) -> fr.Blocks:
    ways = {
        "one cut, rounded": split.one_cut,
        "two cuts, as in scikit-learn": split.two_cuts,
        "largest remainders": split.hamilton,
    }
    sizes = {way: cut(count, validation / 100, test / 100) for way, cut in ways.items()}
    yield fr.table(
        ("way", "training", "validation", "test"),
        [(way, *size) for way, size in sizes.items()],
        width=560,
    )
    yield _(
        "The second of two cuts takes {v}/{rest} of what the first has left, and rounds up; so does the first. Of 100"
        " examples and 15 % each that is .15/.85 of 85, in floating point 15.000000000000002: 16.",
        v=validation,
        rest=100 - test,
    )
    tested, few = sizes["one cut, rounded"][2], max(1, round(count * rare / 100))
    low, high = split.drawn(count, few, tested)
    ends = interval.of_share(0.8 * tested, tested)
    yield _(
        "**{tested:,} to test on.** A model that gets 80 % of them right is right in **{a:.1%} to {b:.1%}** of all"
        " cases (95 %). Of {few:,} examples with the rarer label **{low:,} to {high:,}** come into the test by chance"
        " (95 % of all draws), {exact:,} if each label is split by itself (stratified).",
        tested=tested,
        a=ends[0],
        b=ends[1],
        few=few,
        low=low,
        high=high,
        exact=round(few * tested / count),
    )
    some = np.unique(np.geomspace(10, max(20, count), 40).round())
    half = [np.subtract(*interval.of_share(0.8 * n, n)[::-1]) / 2 * 100 for n in some]
    yield fr.curves(
        "test_size",
        "How exact a score of 80 % is",
        {"half of the 95 % interval": (some, half)},
        "examples to test on",
        "points",
        log_x=True,
    )
    yield fr.Link("corpora", "Here a text keeps back one passage in twenty: Your texts")


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


PARTS = (said, heads, moved, layers, price, amount, count, kept, yours)
