"""Below the live pictures of pooling: longer texts, attention behind an LSTM, and what layer norm does to a memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.language.message import _
from engine.lessons.pooling import carried, hybrid
from engine.lessons.pooling.hybrid import DIGITS, KINDS, LETTERS, PAIRS, Net
from engine.lessons.pooling.shown import CALLED
from engine.models.pooling import Pooling
from engine.text.corpora.marked import KINDS as LABELS
from engine.text.corpora.marked import LONGEST, written

SIZES = (5, 10, 20, 40, 80, 160, 320)
LINES, STEPS = 100, 30
OTHERS = np.array([2.0, 2.0, 5.0])


@fr.once
def measure_right(model: Pooling) -> list[float]:
    """Per size the share of lines, 0 to 1, whose label is right; their first word is marked."""
    rng = np.random.default_rng(5)
    return [
        model.judge([written(rng, size, 0) for _line in range(LINES)])["accuracy"] for size in SIZES
    ]


@fr.part("Longer than in training", was=("lengths",))
def lengths(models: Mapping[str, Pooling]) -> fr.Blocks:
    yield fr.curves(
        "lengths",
        "Lines answered correctly, by how many words follow the marked one",
        {CALLED[way]: ([n - 1 for n in SIZES], measure_right(of)) for way, of in models.items()},
        "words behind the marked one",
        "share right",
        _(
            "{lines} random lines of each length, the first word marked. In training no line had more than"
            " {most} words; a guess is right in 1 of {kinds}.",
            lines=LINES,
            most=LONGEST,
            kinds=len(LABELS),
        ),
        log_x=True,
        low=0,
        high=1,
    )


learned = fr.once(hybrid.learned)


@fr.part("Attention behind an LSTM", was=("hybrid_right", "hybrid_looks"))
def behind(
    hybrid_seed: int = fr.slider("Start", 1, 9, 1, width=180),
    hybrid_text: str = fr.typed(
        "Pairs, and a letter to look up", "a3 c1 f7 b2 h5 f", 60, width=320, live=True
    ),
) -> fr.Blocks:
    yield (
        "Letters and digits come in turn, then one of the letters again: which digit followed it? An **LSTM**"
        " sees what follows what, but has to keep all pairs in one state. **Attention** without positions can"
        " look anywhere, but does not see order. Put one behind the other, the LSTM writes into the state at a"
        " digit which letter stood before it, and attention finds that state. All three are trained here, now."
    )
    found: dict[str, tuple[Net, np.ndarray]] = {}
    for n, kind in enumerate(KINDS):
        yield fr.Progress(n / len(KINDS), "Learning …")
        found[KINDS[kind]] = learned(kind, hybrid_seed)
    yield fr.curves(
        "hybrid_right",
        "Share of held-out texts answered correctly, by step of training",
        {name: (hybrid.STEPS, right_S) for name, (_net, right_S) in found.items()},
        "step",
        "share right",
        _(
            "Start {seed}; {pairs} pairs, width {width}",
            seed=hybrid_seed,
            pairs=PAIRS,
            width=hybrid.WIDTH,
        ),
        low=0,
        high=1,
    )
    tokens = hybrid.read(hybrid_text)
    said = {name: hybrid.answer(net, tokens) for name, (net, _right) in found.items()}
    looks = {name: weight_T for name, (_p, weight_T) in said.items() if weight_T is not None}
    yield fr.grid(
        "hybrid_looks",
        "Where the last token looks",
        np.stack([*looks.values()]),
        ("label", looks),
        ("token", [(LETTERS + DIGITS)[token] for token in tokens]),
        Kind.ATTENTION,
        text=hybrid_text,
        fluid=True,
    )
    heads = "net", "its answer", "probability", "right of 1,000 texts"
    rows = (
        (name, DIGITS[int(p.argmax())], float(p.max()), float(found[name][1][-1]))
        for name, (p, _looks) in said.items()
    )
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[2:], fr.SHARE))
    yield fr.Note(
        _(
            "A guess among the {pairs} digits that are there is right in {share:.0%} of the texts, and attention alone"
            " cannot do better: exchange two digits, and it gets the same bag of vectors. An LSTM alone goes on"
            " learning, but far more slowly.",
            pairs=PAIRS,
            share=1 / PAIRS,
        )
    )


@fr.part("What layer norm does to a memory", was=("norm-memory", "norm-kept"))
def norms(keep: float = fr.slider("Forget gate", 0.5, 1.0, 1.0, 0.01, 200)) -> fr.Blocks:
    yield (
        "One unit counts: it forgets nothing and adds 1 at each step. Three others keep 2, 2 and 5. All gates"
        " are held, so only the norm makes a difference."
    )
    of = {words: carried.run(way, OTHERS, STEPS, keep)[0] for way, words in carried.WAYS.items()}
    charts = [
        fr.curves(
            name,
            title,
            {way: (range(STEPS + 1), memory[:, unit]) for way, memory in of.items()},
            "steps",
            "memory of the unit",
            whole=True,
        )
        for name, title, unit in (
            ("norm-memory", "The counting unit's memory", 0),
            ("norm-kept", "What the last unit keeps of its 5", 3),
        )
    ]
    yield fr.Beside([[chart] for chart in charts])
    heads = (
        "where the norm is",
        _("count after {n} steps", n=STEPS),
        "what was 5",
        "counts on until step",
    )
    rows = (
        (way, float(memory[-1, 0]), float(memory[-1, 3]), carried.told_apart(memory))
        for way, memory in of.items()
    )
    yield fr.table(tuple(map(str, heads)), rows, forms=dict.fromkeys(map(str, heads[1:3]), "%.2f"))
    yield fr.Note(
        "A norm of the output leaves the memory alone, and the state that goes on is not normalised: the last"
        " output and the last state are then two different things. A norm where the memory is shown is that of"
        " the layer-norm LSTM here. A norm of what is carried on overwrites the memory at every step."
    )


PARTS = (lengths, behind, norms)
