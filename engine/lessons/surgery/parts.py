"""Activation patching, below the live pictures: where the difference between two sentences sits."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.course import planted
from engine.language.message import _
from engine.lessons.surgery import patch
from engine.live.markdown import escape
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.runs.store import Run
from engine.views import theme

PAIRS = {
    "a girl or a boy": (
        "The girl looked at the old man and shook",
        "The boy looked at the old man and shook",
    ),
    "her hat or his": ("She took her hat, and put it on", "He took his hat, and put it on"),
    "United or New": ("The president of the United", "The president of the New"),
}
MOST = 300


def pair_of(given: fr.Others) -> tuple[str, str]:
    """The texts of a run that learned a planted text, or the first of PAIRS."""
    return planted.PAIRS.get(planted.text(given["run"].note)) or next(iter(PAIRS.values()))


paired = fr.once(patch.pair)


@fr.once_told
def swept(*, model: Attends[Any], clean: str, corrupted: str, part: str) -> fr.Taking[np.ndarray]:
    """How much each place restores: (layer, token), for heads (layer, head)."""
    both = paired(model, clean, corrupted)
    heat = np.zeros(both.clean.field(part).values.shape[:2], np.float32)
    done = 0
    for places, logit_B2 in patch.sweep(model, both, part):
        heat[tuple(zip(*places, strict=True))] = both.restored(logit_B2)
        done += len(places)
        yield fr.Progress(
            done / heat.size, _("Patching: {n} of {all} places", n=done, all=heat.size)
        )
    return heat


@fr.part("Two sentences", always=True, was=("patching_part", "restored"))
def sentences(
    run: Run,
    model: Model[Any],
    other: Attends[Any] | None = fr.shipped("transformer"),
    clean: str = fr.typed("Clean text", lambda given: pair_of(given)[0], MOST, width=420),
    corrupted: str = fr.typed("Corrupted text", lambda given: pair_of(given)[1], MOST, width=420),
    copied: str = fr.pick("What is copied", patch.PARTS, "residual", few=True),
) -> fr.Blocks:
    yield (
        "Two sentences that differ in a word make the model answer differently. **Activation patching** runs the"
        " second, **corrupted** sentence, but copies one activation from the first, **clean** run: one layer, one token"
        " at a time. Where the clean answer returns, that activation holds the difference."
    )
    of = model if isinstance(model, Attends) else other
    if of is None or not of.causal:
        raise ValueError(
            "Patching compares the next word after two texts. Choose a Transformer that writes."
        )
    if of is not model:
        yield fr.Note(
            "Of the shipped Transformer: patching needs layers that read all tokens at once."
        )
    if not planted.text(run.note):
        yield fr.Presets(
            "Pairs of sentences",
            {words: {"clean": a, "corrupted": b} for words, (a, b) in PAIRS.items()},
        )
    both = paired(of, clean, corrupted)
    a, b = (escape(theme.visible(of.tokenizer.vocab[i])) for i in both.answers)
    yield _(
        "Clean: after it comes “{a}” with **{aa:.2%}**, “{b}” with {ab:.2%}. Corrupted: “{a}” with {ba:.2%}, “{b}” with"
        " **{bb:.2%}**. The tokens differ at {n} of {all} places.",
        a=a,
        b=b,
        n=len(both.differs),
        all=len(both.clean.ids),
        **dict(zip(("aa", "ab", "ba", "bb"), both.p.ravel().tolist(), strict=True)),
    )
    heat = yield from swept(model=of, clean=clean, corrupted=corrupted, part=copied)
    heads, each = copied == "reading", range(1, heat.shape[1] + 1)
    columns = ("head", [_("head {n}", n=n) for n in each]) if heads else ("token", both.labels)
    yield fr.grid(
        "restored",
        "How much of the clean answer each patch restores: 0 none, 1 all",
        heat,
        ("layer", range(1, len(heat) + 1)),
        columns,
        Kind.STATE,
        _("Copied: {part}; by the difference of the logits", part=_(patch.PARTS[copied])),
        f"{clean} | {corrupted}",
        source=run.id if of is model else "transformer",
    )
    yield tell_best(both, heads, heat, columns[1])
    yield fr.Note(
        "Below 0, the patch moves the answer further away. The values do not add up to 1: later layers read what"
        " earlier ones write, and write it again."
    )


def tell_best(both: patch.Pair, heads: bool, heat: np.ndarray, names: list[str]) -> fr.Words:
    """Where most comes back.  At the last token the answer is read, and the last layer's stream brings
    all of it: that place tells nothing."""
    last = heat.shape[1] - 1
    if not heads and both.differs == [last]:
        return (
            "The texts differ only at the last token, where the answer is read, so no other patch can"
            " restore anything."
        )
    shown = heat if heads else heat[:, :last]
    layer, at = np.unravel_index(int(shown.argmax()), shown.shape)
    name = escape(names[at] if heads else theme.visible(names[at]))
    most = {"layer": int(layer) + 1, "name": name, "share": float(heat[layer, at])}
    if heads:
        return _(
            "Most comes back at **layer {layer}, {name}: {share:.1%}** of the difference.", **most
        )
    return _(
        "Before the last token most comes back at **layer {layer}, “{name}”: {share:.1%}** of the difference. At the"
        " last token, where the answer is read, it is {first:.1%} in layer 1 and {end:.1%} in layer {layers}.",
        **most,
        first=float(heat[0, last]),
        end=float(heat[-1, last]),
        layers=len(heat),
    )


PARTS = (sentences,)
