"""What stands below the live pictures: how well each score translates, a step by hand, filled places, what
attention costs, and what its own words cost a decoder.

Shapes    S = source words, H = units, V = words to write, T = steps
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.qkv.attend import softmax
from engine.analysis.soft_lookup import entropy
from engine.core.registry import scores
from engine.core.trace import Kind
from engine.frame import latex
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.scores import by_hand, filled, mixed_reading
from engine.lessons.scores.by_hand import CONCAT, DOT, GENERAL, GIVEN, SCALED
from engine.lessons.scores.filled import MASKED, OPEN, UNMASKED
from engine.lessons.scores.mixed_reading import Measured
from engine.lessons.scores.shown import SCOPE, called, chosen
from engine.models.seq2seq import AFTER, BEFORE, GLOBAL, HARD, LOCAL_M, LOCAL_P, Seq2seq
from engine.runs.store import Run
from engine.text.corpora.phrases import CORPUS as PHRASES
from engine.views.base import number as rounded

WHEN = {AFTER: "after the cell", BEFORE: "before the cell"}
COUNT = "numbers that the score learns"


@fr.part("How well each translates", always=True)
def measured(runs: Sequence[Run]) -> fr.Blocks:
    rows = []
    for looks in (AFTER, BEFORE, SCOPE):
        for name, run in chosen(runs, looks).items():
            config, of = run.note["config"], run.note.get("held_out", {})
            score = scores.get(config["attention"])
            if {"exact", "nats"} <= set(of) and name != GLOBAL:
                says = score.called if name in scores.ids() else f"{score.called}, {called(name)}"
                right, nats = _("{p:.1%}", p=of["exact"]), f"{of['nats']:.4f}"
                count = sum(p.numel() for p in score(int(config["units"])).parameters())
                rows.append(
                    (says, score.formula, WHEN[config.get("looks", AFTER)], right, nats, count)
                )
    if not rows:
        raise ValueError("None of the translators here was measured when it was trained.")
    heads = "score", "formula", "looks", "sentences right", "nats per word", COUNT
    yield fr.table(heads, rows, forms={COUNT: fr.WHOLE})
    yield fr.Note(
        "Sentences of the same grammar that were held out from training; right is a sentence whose"
        " every word is the likeliest. Each was trained once: small differences may change with"
        " another seed. The local and hard ones went on from the general score. In this grammar English and French"
        " have nearly the same order, which suits a window at its own place (local-m)."
    )


LENGTHS = (5, 10, 20, 50, 100, 200)


def pairs(source: int, steps: int, half: int) -> dict[str, int]:
    """Scores of all steps together; a window that is cut off at an end, or beyond it, has fewer."""
    at = range(1, steps + 1)
    window = sum(max(0, min(source, t + half) - max(1, t - half) + 1) for t in at)
    every = source * steps
    predicted = min(source, 2 * half + 1) * steps
    return {GLOBAL: every, LOCAL_M: window, LOCAL_P: predicted, HARD: every}


@fr.part("What attention over another text costs")
def cost(
    cost_n: int = fr.slider("Source words n", 1, 200, 50, width=240),
    cost_m: int = fr.slider("Steps m", 1, 200, 50, width=240),
    cost_d: int = fr.slider("Words to each side D", 1, 10, 2, width=240),
) -> fr.Blocks:
    yield (
        "A decoder that looks at all words computes a score for each pair of a source word and a step:"
        " n · m of them, n² only where both texts are equally long. A window of D words to each side needs"
        " at most (2D + 1) · m, whatever n is. The m steps follow one another all the same: each needs the"
        " state of the one before."
    )
    by_length = [pairs(n, cost_m, cost_d) for n in LENGTHS]
    yield fr.curves(
        "cost",
        _("Scores, by the length of the source, for {m} steps", m=cost_m),
        {called(k): (LENGTHS, [one[k] for one in by_length]) for k in (GLOBAL, LOCAL_M, LOCAL_P)},
        "source words n",
        "scores",
        "By formula; hard attention as global",
        low=0,
    )
    rows = [
        (called(k), f"{n:,}", f"{4 * n:,}", _("{p:.1%}", p=n / (cost_n * cost_m)))
        for k, n in pairs(cost_n, cost_m, cost_d).items()
    ]
    yield fr.table(("attention", "scores", "bytes kept for training", "of all pairs"), rows)


FORMULA = {
    DOT: r"e_s = q \cdot k_s",
    GENERAL: r"e_s = q^\top W_a\, k_s",
    CONCAT: r"e_s = v^\top \tanh(W_a [q;\, k_s])",
    SCALED: r"e_s = q \cdot k_s / \sqrt{2}",
}
CELL = "y", "W_s", "W_y", "W_c", "W_o"  # what the cell reads, and its weights


@fr.part("One step by hand", was=("part-the-shapes-of-one-step",))
def hand(
    hand_score: str = fr.pick("Score", by_hand.KINDS, GENERAL, width=160),
    *,
    keys: fr.Matrix = fr.cells("", GIVEN["keys"], "k"),
    query: fr.Matrix = fr.cells("", GIVEN["query"], "q"),
    general: fr.Matrix = fr.cells("", GIVEN["general"], "W_a"),
    concat: fr.Matrix = fr.cells("", GIVEN["concat"], "W_a"),
    v: fr.Matrix = fr.cells("", GIVEN["v"], "v"),
) -> fr.Blocks:
    yield (
        "Three keys, one query, and a plain cell: small enough for a pocket calculator. The old state"
        " looks; the cell reads what it found. Double-click a number to change it."
    )
    weights = {GENERAL: {"general": general}, CONCAT: {"concat": concat, "v": v}}
    typed_in = {"keys": keys, "query": query, **weights.get(hand_score, {})}
    yield fr.Controls([*typed_in])
    given = {name: np.array(values, float) for name, values in GIVEN.items()}
    given |= {name: fr.array(values) for name, values in typed_in.items()}
    last_H = given["keys"][-1]
    score_S = by_hand.scores(hand_score, given)
    weight_S = softmax(score_S)
    context_H = weight_S @ given["keys"]
    found, fixed = by_hand.output(context_H, given), by_hand.output(last_H, given)
    yield fr.Formula(FORMULA[hand_score])
    if hand_score == GENERAL:
        yield fr.Equations([(r"q^\top W_a", latex.matrix(given["query"] @ given["general"]))])
    look = [
        ("e", latex.matrix(score_S, places=6)),
        (r"\alpha = \mathrm{softmax}(e)", latex.matrix(weight_S, places=6)),
        (r"c = \textstyle\sum_s \alpha_s k_s", latex.matrix(context_H, places=6)),
    ]
    yield fr.Equations(look)
    yield _(
        "The weights have an entropy of **{entropy} bits**, of at most {most}: at 0 it looks at one"
        " word alone, at the most at all words alike. Attention that has collapsed stays at one of"
        " these ends, whatever it reads.",
        entropy=rounded(entropy(weight_S)),
        most=rounded(float(np.log2(len(score_S)))),
    )
    yield fr.Equations([(name, latex.matrix(given[name.lower()])) for name in CELL])
    answer = [
        (r"s = \tanh(W_s q + W_y y + W_c c)", latex.matrix(found.new_H, places=6)),
        (r"W_o [s;\, c]", latex.matrix(found.logit_V, places=6)),
        ("p", latex.matrix(found.p_V, places=6)),
    ]
    yield fr.Equations(answer)
    words = [_("word {n}", n=n + 1) for n in range(len(found.p_V))]
    ways = {"with attention": (context_H, found), "fixed: the last key": (last_H, fixed)}
    rows = [
        (says, "  ".join(rounded(float(x)) for x in context_H), *out.p_V.tolist())
        for says, (context_H, out) in ways.items()
    ]
    forms = dict.fromkeys(words, "%.6f")
    yield fr.table(["context", "c", *words], rows, forms=forms, bars=words)


TOKENS = 24
WAYS = {
    MASKED: "masked in both",
    OPEN: "encoder stops, scores unmasked",
    UNMASKED: "masked nowhere",
}


SHOWN = itemgetter("shown")


def usual_score(given: Mapping[str, Any]) -> str:
    return CONCAT if CONCAT in given["shown"] else next(iter(given["shown"]))


@fr.part("A shorter sentence in a batch: its filling and the mask")
def filling(
    shown: Mapping[str, Run],
    models: Mapping[str, Seq2seq],
    filling_text: str = fr.typed(
        "English to translate", "The black cat ate", 120, width=300, live=True
    ),
    filling_score: str = fr.pick("Score", SHOWN, usual_score, called, width=160),
    filling_places: int = fr.slider("Places of filling", 0, 8, 2, width=180),
    filling_way: str = fr.pick("Mask", WAYS, UNMASKED, width=280),
) -> fr.Blocks:
    yield (
        "In a batch all sentences have one length, so a shorter one is filled up, here with end marks."
        " Two places need a mask: the encoder must stop at the end of the sentence, and the scores of the"
        " filling must be minus infinity before the softmax, for a score of 0 is no weight of 0."
    )
    if not filling_text.strip():
        raise ValueError("Type a sentence to translate.")
    model = models[filling_score]
    vocab = model.tokenizer.vocab
    source_S = model.source(filling_text).ids
    source_S = np.append(source_S[:-1][:TOKENS], source_S[-1])

    alone = filled.write_sentence(model, filled.written(model, source_S, 0, MASKED)[0])
    found = {way: filled.written(model, source_S, filling_places, way) for way in WAYS}
    ids, look_TS = found[filling_way]
    places = [_("filling {n}", n=n + 1) for n in range(filling_places)]
    yield fr.grid(
        "filling",
        "Where each step looks, with the filling",
        look_TS,
        ("token", [vocab[i] for i in ids]),
        ("source", [*(vocab[i] for i in source_S), *places]),
        Kind.ATTENTION,
        WAYS[filling_way],
        filling_text,
        "α",
        shown[filling_score].id,
        fluid=True,
    )
    rows = []
    for way, (ids, look_TS) in found.items():
        said, share_T = filled.write_sentence(model, ids), look_TS[:, len(source_S) :].sum(1)
        mean, most = _("{p:.1%}", p=share_T.mean()), _("{p:.1%}", p=share_T.max())
        rows.append((WAYS[way], mean, most, said, "yes" if said == alone else "no"))
    heads = "which mask", "weight on the filling", "most at one step", "what it writes"
    yield fr.table((*heads, "as if alone"), rows)
    yield fr.Note(
        _(
            "Alone it is translated “{alone}”. These translators were trained with both masks; what one"
            " that learned without them would give the filling, they don't tell.",
            alone=escaped(alone),
        )
    )


SHARES, SENTENCES, SEED = (1.0, 0.75, 0.5, 0.25, 0.0), 400, 2
unseen = fr.once(PHRASES.unseen)


@fr.once
def read(model: Seq2seq, share: float) -> Measured:
    return mixed_reading.measured(model, model.numbered(unseen(SENTENCES, SEED)), share)


@fr.part(
    "What its own words cost it: new sentences, with fewer and fewer right words",
    was=("inputs", "part-input-feeding-and-scheduled-sampling-trained-here"),
)
def exposure(
    own: Seq2seq | None = fr.shipped("scope_own"),
    general: Seq2seq | None = fr.shipped("score_bilinear_after"),
    plain: Seq2seq | None = fr.shipped("seq2seq"),
) -> fr.Blocks:
    yield _(
        "{n} sentences that no model here learned from. At every step a coin decides"
        " whether the translator reads the right word or its own likeliest one. A mistake is read"
        " on, and the words behind it suffer: that is **exposure bias**. One of them went on from"
        " the first for 300 steps of training in which it read its own words too, 35 % at first"
        " and half of them at the end (scheduled sampling).",
        n=SENTENCES,
    )
    models = {
        "its own words too": own,
        "right words alone": general,
        "right words alone, no attention": plain,
    }
    found: dict[str, list[Measured]] = {name: [] for name, model in models.items() if model}
    for name, some in found.items():
        for share in SHARES:
            done = sum(map(len, found.values())) / len(found) / len(SHARES)
            yield fr.Progress(done, "Reading new sentences…")
            some.append(read(models[name], share))
    yield fr.curves(
        "exposure",
        "Loss per right word, by how many right words are read",
        {
            name: ([100 * m.share for m in some], [m.nats for m in some])
            for name, some in found.items()
        },
        "right words that are read, %",
        "nats per right word",
        _("{n} new sentences", n=SENTENCES),
    )
    rows = []
    for name, (forced, *__, free) in found.items():
        nats = f"{forced.nats:.4f}", f"{free.nats:.4f}"
        right = _("{p:.2%}", p=forced.right), _("{p:.2%}", p=free.right)
        rows.append((name, *nats, *right, _("{p:.1%}", p=free.whole)))
    heads = "learned from", "nats, forced", "nats, free", "words right, forced"
    yield fr.table((*heads, "words right, free", "sentences right"), rows)
    yield fr.Note(
        "A word is right where it is the right one at its place. A sentence without a mistake is"
        " the same under every coin, so that few mistakes make small differences."
    )


PARTS = (measured, hand, filling, cost, exposure)
