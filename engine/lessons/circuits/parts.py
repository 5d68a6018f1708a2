"""The circuit of a behaviour, how much of it it keeps, each part by itself, and two texts of one's own.

Shapes    E = edges, B = texts, S = senders
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind, Table
from engine.language.message import _
from engine.lessons.circuits import behaviours, circuit, dictionary, found
from engine.lessons.circuits.circuit import OTHERS, Other, Question
from engine.lessons.circuits.found import Effects, question
from engine.lessons.circuits.wires import Node, Wires, check
from engine.lessons.surgery.parts import PAIRS
from engine.live.markdown import escape
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.runs.store import Run
from engine.views import theme

LEAST = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0)  # thresholds, in per cent of the difference
LISTED = 12
SHOWN_TEXTS = 4
OTHER = fr.shared(fr.pick("What is cut is replaced by", OTHERS, "twin", width=260))
LEAST_SHARE = fr.shared(
    fr.pick(
        "Edges of at least",
        {one: f"{one:g} %" for one in LEAST},
        2.0,
        slide=True,
        width=260,
    )
)


@dataclass(frozen=True)
class Circuit:
    of: Question
    effects: Effects
    on_E: np.ndarray


def sought(
    model: Model[Any], run: Run, other: Other, least: float, start: bool
) -> fr.Taking[Circuit | None]:
    """None where it takes long, and nobody has asked."""
    net = check(model)
    if found.is_large(net) and found.known(run, other) is None and not start:
        return None
    effects = yield from found.effects(model=net, run=run.id, other=other)
    of = question(net, run.id, other)
    return Circuit(of, effects, circuit.chosen(of.wires, effects.mean_E, least / 100 * of.span))


def place(wires: Wires, node: Node) -> tuple[float, float]:
    """A column of heads, then one with the feed-forward part, layer after layer."""
    middle = (wires.heads - 1) / 2
    if node.head < -1:
        return (0.0 if node.layer < 0 else 2.0 * wires.layers + 1), middle
    return (
        (2.0 * node.layer + 1, float(node.head))
        if node.head >= 0
        else (2.0 * node.layer + 2, middle)
    )


def drawn(
    name: str, title: fr.Words, wires: Wires, on_E: np.ndarray, share_E: np.ndarray, note: fr.Words
) -> fr.Chart:
    """The graph of some edges; the three inputs of a head are one line, the strongest of them."""
    best: dict[tuple[Node, Node], float] = {}
    for n in np.flatnonzero(on_E):
        ends = wires.edges[n].sender, wires.edges[n].receiver
        if abs(share_E[n]) >= abs(best.get(ends, 0.0)):
            best[ends] = float(share_E[n])
    rows = [
        (a.short, b.short, *place(wires, a), *place(wires, b), 100 * value)
        for (a, b), value in best.items()
    ]
    columns = ("from", "to", "x", "y", "to_x", "to_y", "value")
    made = Table.of_rows(name, str(title), columns, rows)
    signs = {"signs": ("lost without it", "gained without it")}
    return fr.Chart(name, title, "graph", (made,), note, fluid=True, options=signs)


def edge_rows(of: Question, effects: Effects, on_E: np.ndarray, most: int = 40) -> fr.Rows:
    order = [n for n in np.argsort(-np.abs(effects.mean_E), kind="stable") if on_E[n]][:most]
    edges = of.wires.edges
    return fr.table(
        ("from", "to", "read as", "loses alone", "standard error"),
        [
            (
                edges[n].sender.short,
                edges[n].receiver.short,
                edges[n].into,
                effects.mean_E[n] / of.span,
                effects.error_E[n] / of.span,
            )
            for n in order
        ],
        forms={"loses alone": fr.SHARE, "standard error": fr.SHARE},
        tall=320,
    )


@fr.part("The circuit")
def the_circuit(
    model: Model[Any],
    run: Run,
    least: float = LEAST_SHARE,
    other: Other = OTHER,
    *,
    start: bool = fr.start("Search the circuit"),
) -> fr.Blocks:
    net, behaviour = check(model), behaviours.of_run(run.note)
    twins = question(net, run.id, "twin")
    yield _(
        "**{title}.** {says} {n} texts, each with a twin; every edge between two parts is cut by itself, and the net"
        " run anew.",
        title=_(behaviour.title),
        says=_(behaviour.says),
        n=len(twins.batch),
    )
    yield from examples(net, twins)
    made = yield from sought(model, run, other, least, start)
    if made is None:
        yield fr.Controls(["start"])
        yield fr.Note(
            _("{n:,} edges of a net of this size take minutes.", n=len(twins.wires.edges))
        )
        return
    of, on_E = made.of, made.on_E
    if not on_E.any():
        raise ValueError(
            "No way from the text to the answer has edges this strong; lower the threshold."
        )
    yield drawn(
        "circuit",
        "The edges of the circuit",
        of.wires,
        on_E,
        made.effects.mean_E / of.span,
        _("In per cent of the difference: what is lost where this edge alone is cut"),
    )
    yield from verdict(net, run, made, twins, least, other)


def verdict(
    net: Attends[Any], run: Run, made: Circuit, twins: Question, least: float, other: Other
) -> fr.Blocks:
    """How much the circuit keeps, beside random ones and the one found with twins."""
    of, on_E = made.of, made.on_E
    both = circuit.judge(of, np.stack([on_E, ~on_E]))
    before = circuit.judge(of, np.ones((1, len(on_E)), bool)).right[0]
    if before < 0.5:
        yield fr.Warn(
            _(
                "This net does it badly: even whole, the right answer is the likeliest after {right:.0%} of the texts."
                " What is explained below is a difference of {span:.2f} between the logits.",
                right=before,
                span=of.span,
            )
        )
    low, high = circuit.interval(of, both.gap_CB[0])
    rng = np.random.default_rng(circuit.SEED)
    random = circuit.judge(
        of,
        np.stack(
            [circuit.at_random(of.wires, int(on_E.sum()), rng) for _n in range(found.draws(net))]
        ),
    )
    yield _(
        "**{n:,} of {all:,} edges** keep **{share:.1%}** of the difference ({low:.1%} to {high:.1%}); the right answer"
        " is the likeliest after {right:.0%} of the texts (in the whole net {before:.0%}). Without these edges,"
        " {without:.1%} of it is left. {m} random circuits of as many edges keep {random:.1%} on average, the best"
        " {best:.1%}.",
        n=int(on_E.sum()),
        all=len(on_E),
        share=both.share[0],
        low=low,
        high=high,
        right=both.right[0],
        before=before,
        without=both.share[1],
        m=len(random.share),
        random=random.share.mean(),
        best=random.share.max(),
    )
    if other != "twin" and (by_twin := found.known(run)) is not None:
        twin_E = circuit.chosen(of.wires, by_twin.mean_E, least / 100 * twins.span)
        kept = circuit.judge(of, twin_E[None])
        yield _(
            "The circuit found with twins, of {n:,} edges, keeps only **{share:.1%}** here: where a head looks is the"
            " same in a text and its twin, so what makes it look there is not in that circuit.",
            n=int(twin_E.sum()),
            share=kept.share[0],
        )
    yield edge_rows(of, made.effects, on_E)


def examples(model: Attends[Any], of: Question) -> fr.Blocks:
    """A few of the texts, with their twins."""
    vocab, batch = model.tokenizer.vocab, of.batch
    marked = len(model.marks())
    joint = " " if model.tokenizer.id == "words" else ""
    rows = []
    for b in range(min(SHOWN_TEXTS, len(batch))):
        last = int(batch.last_B[b]) + 1
        said = (
            joint.join(theme.visible(vocab[i]) for i in ids_BT[b, marked:last].tolist())
            for ids_BT in (batch.ids_BT, batch.twin_BT)
        )
        answers = (theme.visible(vocab[int(i[b])]) for i in (batch.right_B, batch.wrong_B))
        rows.append((*said, *answers, float(of.ends[0][b]), float(of.ends[1][b])))
    heads = "text", "its twin", "right", "in the twin", "logits: text", "logits: twin"
    yield fr.table(heads, rows, widths={"text": 230, "its twin": 230})


@fr.part("How much it keeps")
def keeps(
    model: Model[Any],
    run: Run,
    other: Other = OTHER,
    least: float = LEAST_SHARE,
    *,
    start: bool = fr.start("Measure circuits of all sizes", ("other",)),
) -> fr.Blocks:
    yield (
        "Circuits of more and more of the strongest edges, each run with all other edges cut: what they keep"
        " (**faithfulness**), what the net keeps without them (**completeness**: 0 where all is in the circuit), and"
        " what random circuits of as many edges keep."
    )
    net = check(model)
    if found.is_large(net) and not start:
        yield fr.Controls(["start"])
        return
    made = yield from sought(model, run, other, least, True)
    assert made is not None
    rows = yield from found.curve(model=net, run=run.id, other=other)
    count, share, without, mean, low, high, right = np.array(rows).T
    lines = {
        "the circuit": (count, share),
        "the net without it": (count, without),
        "random circuits, mean": (count, mean),
        "random circuits, 2.5 %": (count, low),
        "random circuits, 97.5 %": (count, high),
        "right answer first": (count, right),
    }
    yield fr.curves(
        "kept",
        "Share of the difference that is kept, by edges",
        {name: (x, np.clip(y, -0.5, 1.5)) for name, (x, y) in lines.items()},
        "edges",
        "share kept",
        _("Cut edges carry {what}", what=_(OTHERS[other])),
        run.title,
        log_x=True,
    )
    enough = [int(n) for n, kept in zip(count, share, strict=True) if kept >= 0.9]
    if enough:
        yield _("**{n:,} edges** are enough for 90 % of the difference.", n=enough[0])
    else:
        yield _(
            "No circuit of these sizes keeps 90 %; the largest, of {n:,} edges, keeps {share:.0%}.",
            n=int(count[-1]),
            share=share[-1],
        )
    if found.is_large(net):
        return
    yield from pruned(made, least, other)


def pruned(made: Circuit, least: float, other: Other) -> fr.Blocks:
    """The same threshold, edge after edge from the answer back."""
    of = made.of
    on_E = np.ones(len(made.on_E), bool)
    for share, left_E in circuit.greedy(of, least / 100):
        on_E = left_E
        yield fr.Progress(share, "Pruning from the answer back")
    ways = np.stack([made.on_E, on_E])
    kept, left = circuit.judge(of, ways), circuit.judge(of, ~ways)
    yield (
        "Two ways to a circuit at this threshold: all edges at once, by what each loses alone; and **greedy** pruning"
        " (ACDC), from the answer back, where an edge goes if little is lost without it, given those that went before."
    )
    yield fr.table(
        ("way", "edges", "keeps", "right answer first", "left without it"),
        [
            (name, int(on.sum()), kept.share[n], kept.right[n], left.share[n])
            for n, (name, on) in enumerate(zip(("by each alone", "greedy"), ways, strict=True))
        ],
        forms={"keeps": fr.SHARE, "right answer first": fr.SHARE, "left without it": fr.SHARE},
    )


@fr.part("Each head and layer")
def each_part(
    model: Model[Any],
    run: Run,
    others: tuple[Other, ...] = fr.several("Replaced by", OTHERS, tuple(OTHERS), width=620),
    *,
    start: bool = fr.start("Replace each part"),
) -> fr.Blocks:
    yield (
        "All that one head or one feed-forward part writes is replaced (**ablation**), for everything that reads it:"
        " what the difference between right and wrong loses."
    )
    net = check(model)
    if found.is_large(net) and not start:
        yield fr.Controls(["start"])
        return
    if not others:
        raise ValueError("Choose what a part is replaced by.")
    wires, columns = Wires(net), {}
    for other in others:
        of = question(net, run.id, other)
        yield fr.Progress(
            others.index(other) / len(others), _("Replacing by {what}", what=_(OTHERS[other]))
        )
        columns[other] = circuit.nodes(of) / of.ends[0].mean()
    rows = []
    for s, node in enumerate(wires.senders[1:], 1):
        row: dict[str, Any] = {"part": node.short}
        for other, lost_SB in columns.items():
            row[OTHERS[other]] = float(lost_SB[s].mean())
            row[_("± {what}", what=_(OTHERS[other]))] = (
                1.96 * float(lost_SB[s].std(ddof=1)) / lost_SB.shape[1] ** 0.5
            )
        rows.append(row)
    for other, lost_SB in columns.items():
        lost_LN = lost_SB[1:].mean(1).reshape(wires.layers, wires.heads + 1)
        yield fr.grid(
            f"lost_{other}",
            _("Lost where a part is replaced by {what}", what=_(OTHERS[other])),
            lost_LN,
            ("layer", range(1, wires.layers + 1)),
            ("label", [*(_("head {n}", n=n + 1) for n in range(wires.heads)), "FFN"]),
            Kind.STATE,
            _(
                "1: the difference between right and wrong is gone; 2: it stands the other way round"
            ),
            run.title,
            fluid=True,
        )
    yield fr.Rows(rows, dict.fromkeys([name for name in rows[0] if name != "part"], "%.3f"))
    yield fr.Note(
        "Behind ± are 1.96 standard errors over the texts. The twin changes only the cause, so a part that looks at the"
        " same place in both loses little; zero and the mean take everything that it does."
    )


# -------------------------------------------------------------- two texts


def first_pair(given: fr.Others) -> tuple[str, str]:
    """What is typed above with its twin, or a text of the behaviour; of any other net two sentences that it tells
    apart, if it does."""
    behaviour = behaviours.of_run(given["run"].note)
    asked = map(behaviour.twin, [given["above"], *behaviour.texts(8, 3)])
    known = [(one.text, one.twin) for one in asked if one]
    for text, twin in (*known, *PAIRS.values()):
        try:
            typed_pair(given["model"], text, twin)
        except ValueError:
            continue
        return text, twin
    return known[0] if known else next(iter(PAIRS.values()))


@fr.part("Two texts of your own")
def own(
    model: Model[Any],
    run: Run,
    above: str,
    text: str = fr.typed("A text", lambda given: first_pair(given)[0], 200, live=True, width=420),
    twin: str = fr.typed("Its twin", lambda given: first_pair(given)[1], 200, live=True, width=420),
    *,
    start: bool = fr.start("Cut every edge", ("text", "twin")),
) -> fr.Blocks:
    net = check(model)
    yield (
        "Any two texts of as many tokens that are answered differently: each edge cut by itself, with what the other"
        " text has there, a head's query, key and value apart."
    )
    pair = typed_pair(net, text, twin)
    vocab = net.tokenizer.vocab
    of = Question(Wires(net), behaviours.batch([pair]))
    yield _(
        "After the text “{right}” leads “{wrong}” by **{gap:.2f}**, after its twin by **{twin:.2f}**.",
        right=escape(theme.visible(vocab[pair.right])),
        wrong=escape(theme.visible(vocab[pair.wrong])),
        gap=float(of.ends[0][0]),
        twin=float(of.ends[1][0]),
    )
    if found.is_large(net) and not start:
        yield fr.Controls(["start"])
        return
    effect_E = yield from cut(model=net, text=text, twin=twin)
    share_E = effect_E / of.span
    order = np.argsort(-np.abs(share_E), kind="stable")[:LISTED]
    on_E = np.zeros(len(share_E), bool)
    on_E[order] = True
    yield drawn(
        "pair",
        "The strongest edges between the two texts",
        of.wires,
        on_E,
        share_E,
        "In per cent of the difference",
    )
    rows = [
        (e.sender.short, e.receiver.short, e.into, float(share_E[n]))
        for n, e in ((n, of.wires.edges[n]) for n in order)
    ]
    yield fr.table(("from", "to", "read as", "loses alone"), rows, forms={"loses alone": fr.SHARE})


@fr.once_told
def cut(*, model: Attends[Any], text: str, twin: str) -> fr.Taking[np.ndarray]:
    of = Question(Wires(model), behaviours.batch([typed_pair(model, text, twin)]))
    effect_E, done = np.zeros(len(of.wires.edges)), 0
    for some, effect_EB in circuit.sweep(of):
        effect_E[some] = effect_EB[:, 0]
        done += len(some)
        yield fr.Progress(
            done / len(effect_E), _("Cutting {n:,} edges, one by one", n=len(effect_E))
        )
    return effect_E


def typed_pair(model: Attends[Any], text: str, twin: str) -> behaviours.Pair:
    """With what the model answers behind each.  ValueError where there is nothing to tell apart."""
    if not text.strip() or not twin.strip():
        raise ValueError("Type a text and its twin.")
    a, b = model.tokens(text), model.tokens(twin)
    if len(a) != len(b):
        raise ValueError(
            str(
                _(
                    "The text has {a} tokens, its twin {b}: they need as many.",
                    a=len(a) - 1,
                    b=len(b) - 1,
                )
            )
        )
    if model.context is not None and len(a) > model.context:
        raise ValueError("These texts are longer than the model looks back: shorten both.")
    if (a.ids == b.ids).all():
        raise ValueError("Both texts are the same: there is nothing to tell apart.")
    right, wrong = (
        int(model.trace(one, fields=("probability",)).field("probability").values[-1].argmax())
        for one in (text, twin)
    )
    if right == wrong:
        raise ValueError(
            "The model answers the same after both: choose texts that it answers differently."
        )
    return behaviours.Pair(a.ids.astype(np.int64), b.ids.astype(np.int64), right, wrong)


PARTS = (the_circuit, keeps, each_part, own, *dictionary.PARTS)
