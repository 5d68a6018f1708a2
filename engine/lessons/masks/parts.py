"""What stands below the live pictures: what each pattern costs, what a mask's shape and its number can
spoil, and heads that share keys and values.

Shapes    B = texts, N = heads, S = tokens looked at, M = scores of one row
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.qkv.attend import softmax
from engine.core.trace import Kind
from engine.language.message import _
from engine.lessons.masks import imposed, shared
from engine.lessons.masks.hide import FORMATS, WAYS, hide, naive
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.kvcache import MODELS, divisors
from engine.lessons.masks.live import GALLERY, LONGEST, run_masked
from engine.lessons.masks.patterns import PATTERNS
from engine.lessons.masks.shapes import PAD, SHAPES, Laid, find_real, lay_mask
from engine.models.transformer import Transformer
from engine.runs.store import Run

WORDS = (("cats", "sleep", "all", "day"), ("dogs", "bark"), ("rain",), ("birds", "sing", "early"))
PADDED = [[*line, *["·"] * (max(map(len, WORDS)) - len(line))] for line in WORDS]
CASES = {
    "one of three is hidden": ((1.0, 2.0, 3.0), (False, False, True)),
    "all are hidden": ((1.0, 2.0, 3.0), (True, True, True)),
    "the hidden one scores 12,000": ((0.0, 12_000.0), (False, True)),
    "the hidden one scores 5,000": ((0.0, 5_000.0), (False, True)),
}
OVERFLOW = ((1.0, 2.0, 3.0), (10.0, 11.0, 12.0), (1000.0, 1001.0, 1002.0))
TOKENS = {n: f"{n:,}" for n in (1_024, 2_048, 4_096, 8_192, 32_768, 131_072)}
SAMPLE = "The king spoke to the queen, and she said nothing at all before the end of the day."


def begins(given: fr.Others) -> str:
    """What the reader has typed on another page, or the lesson's example."""
    return str(given["mine"] or given["lesson"].example)


@fr.part("What each pattern costs", was=("costs",))
def costs(
    model: Transformer,
    run: Run,
    lesson: Any,
    mine: str,
    text: str = fr.typed("Text", begins, 300, live=True),
    size: int = fr.slider("Size", 1, 16, 4),
) -> fr.Blocks:
    yield (
        "Each pattern put on every layer and head. The model was trained to look at everything before"
        " a token; one that was trained with a pattern would lose less."
    )
    ids_T = model.tokens(text).ids[: LONGEST + 1]
    if len(ids_T) < 2:
        raise ValueError("Type at least one word.")
    every = len(ids_T) * (len(ids_T) + 1) / 2
    masks = [Mask(pattern, size) for pattern in GALLERY]
    bits = [run_masked(run, model, ids_T, mask).mean for mask in masks]
    pairs = (imposed.pairs(mask, len(ids_T)) / every for mask in masks)
    each = [PATTERNS[pattern] for pattern in GALLERY]
    table = fr.table(
        ("mask pattern", "who may look at whom", "share of the pairs", "bits per token"),
        [(_(of.title), _(of.says), *row) for of, *row in zip(each, pairs, bits, strict=True)],
        forms={"share of the pairs": fr.SHARE, "bits per token": "%.2f"},
    )
    says, names = "Bits per token under each pattern.", [of.title for of in each]
    drawn = fr.bars("costs", says, np.array(bits), ("method", names), Kind.LOSS, text=text)
    yield fr.Beside([[table], [drawn]], (5, 6))


@fr.part("Shapes of masks")
def laid(
    texts: int = fr.slider("Texts", 2, len(WORDS), 4),
    heads: int = fr.slider("Heads", 1, 4, 4),
    shape: str = fr.pick("Shape of the mask", SHAPES, few=True),
    adds: bool = fr.switch("The attention adds an axis for the heads: mask.unsqueeze(1)", True),
) -> fr.Blocks:
    yield (
        "Texts in a batch are filled up to the longest. Scores have the shape (texts, heads, from, to); a"
        " mask has fewer axes, and torch matches them **from the last one backwards**."
    )
    lines = PADDED[:texts]
    ids = [[PAD if word == "·" else n + 1 for n, word in enumerate(line)] for line in lines]
    found = lay_mask(find_real(ids), heads, shape, adds)
    yield tell_outcome(found, shape, (texts, heads, len(ids[0]), len(ids[0])))
    if found.may_BNTS is None:
        return
    last_BNS = found.may_BNTS[:, :, -1]
    rows = []
    for line, wrong_N, may_NS in zip(lines, found.wrong_BN, last_BNS, strict=True):
        seen = [" ".join(np.where(may_S, line, "–")) for may_S in may_NS]
        marked = ["✗ " * int(wrong) + may for wrong, may in zip(wrong_N, seen, strict=True)]
        rows.append((" ".join(line), *marked))
    yield fr.table(("text", *(_("head {n}", n=n + 1) for n in range(heads))), rows)
    yield fr.Note(
        "In a cell what the last place may look at in this text; · is filling, – what is hidden, ✗ a head"
        " that has got the wrong mask."
    )


def tell_outcome(found: Laid, shape: str, scores: tuple[int, ...]) -> str:
    """What becomes of such a mask."""
    of = {"given": str(found.given), "scores": str(scores)}
    if found.may_BNTS is None:
        return _(
            "Mask {given}, scores {scores}: **torch refuses**. “{problem}” That is the better luck.",
            problem=found.problem,
            **of,
        )
    if not found.wrong_BN.any():
        return _(
            "Mask {given}, scores {scores}: **right**, every head of every text gets what was meant.",
            **of,
        )
    return _(
        "Mask {given}, scores {scores}: nothing fails, and **{count} of {all} heads are wrong**. {why}",
        count=int(found.wrong_BN.sum()),
        all=found.wrong_BN.size,
        why=_(
            "The axis of the texts has landed on that of the heads."
            if shape == "BS"
            else "An axis has landed on another that happens to be as long."
        ),
        **of,
    )


@fr.part("The number that hides")
def number(case: str = fr.pick("One row of scores, in which", [*CASES], few=True)) -> fr.Blocks:
    yield (
        "To mask a token, its score is made so low that the softmax gives it no weight. Three"
        " values are common: −10,000, −1,000,000,000 and −∞. They do not behave alike. Each"
        " cell below is exactly what torch returns."
    )
    score_M, hidden_M = map(np.array, CASES[case])
    yield _(
        "Scores {scores}; a hidden one in brackets.",
        scores=", ".join(
            f"({score:g})" if hidden else f"{score:g}"
            for score, hidden in zip(score_M, hidden_M, strict=True)
        ),
    )
    yield fr.table(
        ("way", *FORMATS),
        [(way, *(weights(score_M, hidden_M, way, form) for form in FORMATS)) for way in WAYS],
    )
    yield from verdict(score_M, hidden_M)
    yield (
        "**And without any mask: the softmax itself overflows.** $e^{s}$ of a large score"
        " overflows. Subtracting the maximum first leaves the weights unchanged."
    )
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "textbook formula, float32": naive,
        "textbook formula, float16": partial(naive, format="float16"),
        "maximum subtracted first": softmax,
    }
    rows = [
        (", ".join(f"{x:g}" for x in row), *(shares(of(np.array(row))) for of in ways.values()))
        for row in OVERFLOW
    ]
    yield fr.table(("scores", *ways), rows)
    yield fr.Note(
        "float16 ends at 65,504, and e¹² is larger. bfloat16 reaches as far as float32 with fewer"
        " digits."
    )


def weights(score_M: np.ndarray, hidden_M: np.ndarray, way: str, format: str) -> str:
    found = hide(score_M, hidden_M, way, format)
    return "an error" if found.weight_M is None else shares(found.weight_M)


def shares(weight_M: np.ndarray) -> str:
    return "  ".join("NaN" if np.isnan(w) else f"{w:.4f}" for w in weight_M)


def verdict(score_M: np.ndarray, hidden_M: np.ndarray) -> fr.Blocks:
    """What goes wrong with these scores; every sentence is looked up in what came out."""
    found = {way: hide(score_M, hidden_M, way, "float32").weight_M for way in WAYS}
    leaks = [way for way, w_M in found.items() if w_M is not None and w_M[hidden_M].max() > 1e-6]
    if hidden_M.all():
        yield (
            "If everything is masked, −∞ gives NaN, and a large negative number gives equal"
            " weights. Adding −10,000 to all scores changes nothing: in float32 the weights are those"
            " without a mask. Adding −1,000,000,000 loses the scores to rounding. This program fills"
            " with −∞ and gives a fully masked row weights of 0."
        )
    elif leaks:
        yield _(
            "A masked key gets weight with: {ways}. Its score is so high that the mask value is not"
            " low enough.",
            ways=", ".join(leaks),
        )
    else:
        yield "In float32 every mask value works."
    if problem := hide(score_M, hidden_M, "fill −1e9", "float16").problem:
        yield _(
            "In float16 −1,000,000,000 does not exist. torch refuses to fill with it: “{problem}”.",
            problem=problem.splitlines()[0],
        )


@fr.part("Shared keys and values", was=("fold.shared",))
def grouped(
    model: Transformer, run: Run, tokens: int = fr.pick("Tokens read", TOKENS, 4_096, slide=True)
) -> fr.Blocks:
    yield (
        "To write a token, a Transformer reads the keys and values of all tokens before it again. They are"
        " kept: the **KV cache**. Its size is 2 · layers · groups · width of a head · tokens · bytes. Heads"
        " that share keys and values (**grouped-query**; with one group **multi-query**) keep less of them."
    )
    heads = "model", "layers", "attention heads", "groups of heads", "width of a head"
    forms = {"cache, GiB": "%.2f", "with a group for each head": "%.2f", "memory saved": fr.SHARE}
    gib = 2**30 / 2  # of two bytes each
    rows = []
    for of in MODELS:
        cache, apart = (of.numbers(tokens, groups) / gib for groups in (of.groups, of.heads))
        shape = of.name, of.layers, of.heads, of.groups, of.dim
        rows.append((*shape, cache, apart, 1 - of.groups / of.heads))
    yield fr.table((*heads, *forms), rows, forms=forms)
    yield fr.Note("One text in float16. A server that answers many keeps as much for each of them.")
    yield _(
        "**A trained model, its heads pooled**: {run}, each group's keys and values replaced by their"
        " mean, nothing trained anew. “{text}”",
        run=run.title,
        text=SAMPLE,
    )
    most = model.tower.design.groups or model.tower.design.heads
    bits = [pooled(model, groups) for groups in divisors(most)]
    yield fr.table(
        ("groups of heads", "share of the cache", "bits per token"),
        [(g, g / most, b) for g, b in zip(divisors(most), bits, strict=True)],
        forms={"share of the cache": fr.SHARE, "bits per token": "%.2f"},
    )
    yield fr.Note(
        _(
            "From {all:.2f} to {one:.2f} bits: heads that were trained apart cannot simply be merged. A"
            " model that is to share them is trained so, or trained on after the merging.",
            all=bits[-1],
            one=bits[0],
        )
    )


@fr.once
def pooled(model: Transformer, groups: int) -> float:
    return shared.bits(model, model.tokens(SAMPLE).ids, groups)


PARTS = (costs, laid, number, grouped)
