"""The live pictures: how sure the model is of each token of the text, and what a small change of the text does to it.

Shapes    T = tokens of the text, U = tokens of its twin, the text with the change; V = answers
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.lessons.trial.cases import LEAST, answer_field, answers_of
from engine.lessons.trial.changes import KINDS, change
from engine.lessons.trial.twin import matched
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.abilities import Labels, Translates
from engine.models.base import Model
from engine.runs.store import Run

FIRST = "typo"
VARIANTS, MOST_INSERTED = 9, 3
INSERTED = "".join(f"[{{inserted.{k}:piece}}]" for k in range(MOST_INSERTED))


def once(model: Model[Any]) -> pic.Once:
    """The words of the answers, and of the tokens where they are others."""
    return pic.Once({"word": answers_of(model), "piece": model.tokenizer.vocab})


class Measured:
    """Numbers of a text that grows: of its first tokens, if they are as before, nothing is summed up again."""

    def __init__(self) -> None:
        self.ids, self.kept = np.zeros(0, int), dict[str, np.ndarray]()

    def __call__(self, ids: np.ndarray, p_TV: np.ndarray, labels: bool) -> dict[str, np.ndarray]:
        """p, sure, said and rank at each token; of a language model those of the row before, where the token is
        foretold."""
        most = min(len(ids), len(self.ids))
        same = int(np.cumprod(ids[:most] == self.ids[:most]).sum()) if most and not labels else 0
        fresh = of_rows(ids, p_TV, labels, same)
        self.ids = ids
        self.kept = {
            n: np.concatenate((self.kept[n][:same], v)) if same else v for n, v in fresh.items()
        }
        return self.kept


def bits(p_T: np.ndarray) -> np.ndarray:
    """A probability of 0 counts as LEAST."""
    found: np.ndarray = -np.log2(np.maximum(p_T.astype(float), LEAST))
    return found


def of_rows(
    ids: np.ndarray, p_TV: np.ndarray, labels: bool, first: int = 0
) -> dict[str, np.ndarray]:
    """From token `first` on."""
    if labels:
        said_T, sure_T = p_TV.argmax(-1), p_TV.max(-1)
        return {"p": sure_T, "sure": sure_T, "said": said_T, "rank": np.ones(len(ids))}
    start = max(1, first)
    row_TV = p_TV[start - 1 : len(ids) - 1]
    p_T = row_TV[np.arange(len(row_TV)), ids[start:]]
    found = {
        "p": p_T,
        "sure": row_TV.max(-1),
        "said": row_TV.argmax(-1),
        "rank": (row_TV > p_T[:, None]).sum(-1) + 1,
    }
    return found if first else {n: np.append(np.nan, v) for n, v in found.items()}


class Trying:
    """What is derived, for one visitor's page: the twin goes on from the twin before."""

    def __init__(self) -> None:
        self.last: Trace | None = None
        self.text, self.twin = Measured(), Measured()

    def read_twin(self, model: Model[Any], trace: Trace, kind: str, seed: int) -> tuple[Trace, str]:
        """Of a long text what is shown is changed, and what stands before stays."""
        at = trace.spans[0][0] if trace.offset and trace.spans else 0
        pair = isinstance(model, Translates)
        text = trace.text[:at] + change(trace.text[at:], kind, seed, pair)
        if text == trace.text:
            return trace, text
        name = answer_field(model)
        tokens = model.tokens(text)
        window = min(trace.offset, len(tokens)), len(tokens)
        self.last = model.trace(
            text, fields=(name, *model.carries), window=window, after=self.last, tokens=tokens
        )
        return self.last, text

    def __call__(self, model: Model[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
        name, labels = answer_field(model), isinstance(model, Labels)
        ids = np.asarray(trace.ids)
        if name not in trace or not len(ids):
            return {}
        if isinstance(model, Translates) and len(ids) == 1:
            return {"untranslated": ((), 1)}
        p_TV = trace.field(name).values
        mine = self.text(ids, p_TV, labels)
        asked = str(asks.get("ways"))
        kind, seed = asked if asked in KINDS else FIRST, _whole(asks.get("pattern"))
        other, text = self.read_twin(model, trace, kind, seed)
        token = ("token",)
        found: dict[str, Any] = {n: (token, v) for n, v in mine.items()}
        if name not in other or not len(other.ids):
            return found
        ids_U, q_UV = np.asarray(other.ids), other.field(name).values
        theirs = self.twin(ids_U, q_UV, labels)
        at_T = matched(ids.tolist(), ids_U.tolist())
        there = at_T >= 0
        at = np.where(there, at_T, 0)
        if labels:
            q_T = q_UV[at, mine["said"]].astype(float)
        else:
            q_T = theirs["p"][at].astype(float)
        q_T[~there] = np.nan
        cost_T, other_T = bits(mine["p"]), bits(q_T)
        both = np.isfinite(theirs["said"][at].astype(float)) & np.isfinite(
            mine["said"].astype(float)
        )
        moved = there & both & (theirs["said"][at] != mine["said"])
        before, after = (np.nansum(bits(of["p"])) for of in (mine, theirs))
        piece_T = np.where(there, ids_U[at], -1)
        before_KT = inserted(at_T, ids_U)
        said_T = np.where(there, theirs["said"][at], -1)
        spelled = there & (ids_U[at] == ids) & (before_KT[-1] < 0)
        return found | {
            "q": (token, q_T),
            "cost": (token, cost_T),
            "cost.twin": (token, other_T),
            "stands": (token, piece_T),
            **{f"inserted.{k}": (token, row_T) for k, row_T in enumerate(before_KT)},
            "said.twin": (token, said_T),
            "changed": (token, (~spelled).astype(float)),
            "moved": (token, moved.astype(float)),
            "before": ((), before),
            "after": ((), after),
            "flips": ((), moved.sum()),
            "differs": ((), float(text != trace.text)),
            "labels": ((), float(labels)),
        }


def inserted(at_T: np.ndarray, ids_U: np.ndarray) -> np.ndarray:
    """(MOST_INSERTED, T) the last tokens of the twin that stand before the one that a token is matched with, and are
    matched with none; -1 for none."""
    found_KT, last = np.full((MOST_INSERTED, len(at_T)), -1), -1
    for t, at in enumerate(at_T.tolist()):
        if at < 0:
            continue
        some = ids_U[max(last + 1, at - MOST_INSERTED) : at]
        if len(some):
            found_KT[-len(some) :, t] = some
        last = at
    return found_KT


def _whole(asked: object) -> int:
    if isinstance(asked, str) and asked.isdigit():
        asked = int(asked)
    return asked if isinstance(asked, int) and 1 <= asked <= VARIANTS else 1


UNTRANSLATED = "Type a text, => and its translation, as in “the cat => le chat”."
SURE = pic.Picture(
    "sure",
    pic.Over(
        (
            pic.Bars(
                "p",
                (("labels=1", "accent"), ("rank=1", "accent"), ("", "line-1")),
                ("{said:word}",),
                "sure>0",
            ),
            pic.Line("sure", "text", "the likeliest", 1, dots=3, dashes=(1, 4)),
        ),
        top=28,
        high=170,
        widest=80,
        scale="share",
        least=26,
    ),
    "How sure it is, and whether it is right",
    says="A bar is the probability of the token that came. Above it stands the likeliest answer, and the dot is how"
    " likely that was. Blue: the likeliest came; orange: another token did. Of a tagger or classifier the bar is its"
    " answer.",
    tell=(
        pic.If("labels=1", "“{token}”: {said:word}, with {sure:%}."),
        pic.If("rank=1", "“{token}” is what it found likeliest: {p:%}."),
        "“{token}” had {p:%}, rank {rank:n}; likeliest was “{said:word}” with {sure:%}.",
        pic.If("untranslated=1", UNTRANSLATED),
        "Nothing foretells the first token.",
    ),
    table=pic.table(
        "token",
        "token: {token} | likeliest: {said:word} | its probability: {sure:%} | probability: {p:%} | rank: {rank:n}",
    ),
)
CHOICES = tuple((id, label) for id, (label, __) in KINDS.items())
TWIN = pic.Picture(
    "twin",
    pic.Over(
        (
            pic.Line("cost", "text", "as typed", 1.4, dots=2),
            pic.Line("cost.twin", "line-1", "changed", 1.4, dots=2),
            pic.Heads(((pic.If("changed=1", INSERTED + "{stands:piece}"), "line-1"),)),
        ),
        top=40,
        high=150,
        widest=80,
        scale="number",
        least=26,
    ),
    "The same text with a small change",
    (
        pic.If(
            "differs=0",
            "{?token}The same text with a small change: nothing here to change that way",
        ),
        pic.If(
            "labels=1",
            "{?token}With a small change: {flips:n} {flips|answer becomes|answers become} another one",
        ),
        "{?token}With a small change: {after} bits instead of {before};"
        " {flips:n} {flips|answer changes|answers change}",
    ),
    "Surprisal in bits of each token as typed, and in the changed text (orange; above it what stands there instead)."
    " Of a tagger or classifier: of the answer that it gave to the text as typed.",
    (
        pic.If(
            "differs=0", "“{token}”: {cost} bits. Nothing in this text can be changed that way."
        ),
        pic.If("differs=0", "Nothing in this text can be changed that way. Choose another change."),
        pic.If("untranslated=1", UNTRANSLATED),
        pic.If(
            "moved=1",
            "“{token}”: {cost} bits, {cost.twin} in the changed text. The likeliest is “{said:word}”, and there"
            " “{said.twin:word}”.",
        ),
        "“{token}”: {cost} bits, {cost.twin} in the changed text.",
        "“{token}” is not in the changed text, or nothing foretells it.",
    ),
    controls=(
        pic.Choice("ways", CHOICES, FIRST, True),
        pic.Amount("pattern", 1, VARIANTS, 1, 1, "variant {pattern:n}", asks=True),
    ),
    table=pic.table(
        "token",
        "token: {token} | in the changed text: [{inserted.0:piece}][{inserted.1:piece}][{inserted.2:piece}]"
        "{stands:piece} | bits: {cost} | bits there: {cost.twin} | likeliest: {said:word}"
        " | likeliest there: {said.twin:word}",
    ),
)


def stage(run: Run, trial: object = None) -> Stage:
    model = cache.model(run, Model)
    name = answer_field(model)
    saved = pic.Saves((name,), ("token",), "bars", {"top": 12})
    live = pic.Live(
        (),
        (replace(SURE, saves=saved), TWIN),
        once,
        Trying(),
        also=(name,),
        unit=lambda model: "characters" if model.tokenizer.id == "chars" else "tokens",
        top="probability" if name == "probability" else "",
        most=400,
    )
    return declared.stage(live, run, "trial")


LIVE = stage
