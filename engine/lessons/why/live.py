"""The live part of attribution: what each method says of every token before one answer, whether it adds up, what the
answer loses and gains by its order, and which methods agree.

With a key comes what is read off one run and its gradient; the rest in a moment of rest, of the token looked at.

Shapes    M = methods, T = tokens shown, P = players
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.analysis.attribution import curves, ledger
from engine.analysis.attribution.game import BASELINES, MARK, MEAN, ZERO
from engine.analysis.attribution.net import MaskGame, NetGame, fills
from engine.core.numbers import spearman
from engine.core.trace import Field, FieldSpec, Kind
from engine.frame import picture as pic
from engine.language.message import _, refusal
from engine.lessons import looked
from engine.lessons.why import methods
from engine.lessons.why.methods import ADDS_UP, CURVES, Question
from engine.live import cache, declared, lookup
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reply import Reading, Together
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Stage, standard
from engine.models.abilities import Labels, Remembers, able
from engine.models.base import Model
from engine.models.hmm import HiddenMarkov
from engine.models.ngram import Ngram
from engine.models.pooling import Pooling
from engine.runs.store import Run

AT_ONCE, AT_REST = 8e6, 1e10  # multiplications with a key, and in a moment of rest
READER = "net"
LIKELIEST, AGAINST = "likeliest", "against"
SHORT = {  # where there is little room
    methods.TIMES: "grad × input",
    methods.PATH: "integr. grad.",
    methods.LEDGER: "ledger",
}
MET = (
    methods.GRADIENT,
    methods.TIMES,
    methods.ATTENTION,
    methods.ROLLOUT,
    methods.LEDGER,
    methods.ORDERS,
)  # with a key

WHY = pic.Picture(
    "why",
    pic.Matrix(
        "share",
        "method",
        "key",
        "number, the largest of its row 1",
        frame=("#method", "#key"),
        shade="share",
        number="two",
        widest=74,
    ),
    "Why this answer",
    (
        "{?other>-1}Why “{word:word}” rather than “{other:word}”, after “{place:token}”",
        "Why “{word:word}”, {p:%}, after “{place:token}”",
    ),
    "One row for each method, one column for each token that the model has read. The largest of a row is 1:"
    " rows have no unit in common.[ {?vectors>0}The baseline stands for a token that is left out: choose it, and see"
    " what changes.] Click a token above to ask about the answer after it.[ {?slow>0}Rows that stay empty would take"
    " too long here; look closer below.]",
    (
        "{method}: “{key}” {worth}. The strongest here is “{first:token}”.",
        "{?tokens>0}{method}: asked a moment after you stop typing, where that does not take too long.",
        "Type something: the answer is what the model expects next.",
    ),
    side="left",
    controls=(
        pic.Choice(
            "by",
            ((LIKELIEST, "Likeliest answer"), (AGAINST, "Rather than another")),
            LIKELIEST,
            asks=True,
        ),
        pic.Choice(
            "with",
            ((ZERO, "Baseline: zeros"), (MEAN, "mean vector"), (MARK, "blank mark")),
            ZERO,
            asks=True,
        ),
    ),
    table=pic.table(
        "method key", "method: {method} | token: {key} | number: {worth} | of the largest: {share}"
    ),
)
AT_A_MASK = (
    "{?other>-1}Why “{word:word}” rather than “{other:word}”, in place of “{place:token}”",
    "Why “{word:word}”, {p:%}, in place of “{place:token}”",
)
MASKED = (
    "One row for each method, one column for each token. The largest of a row is 1: rows have no unit in common. The"
    " token asked about is masked: the first mask that you type, or the token that you click.[ {?slow>0}Rows that"
    " stay empty would take too long here; look closer below.]"
)
NEXT = pic.Picture(
    "next",
    pic.Drawn("bars", lambda model: {"words": True, "most": 8, "search": True}),
    "Ask about another word",
    side="right",
)
HEADS = pic.Pick("heads", "heads", label="Attention of", asks=True)
SAVES = pic.Saves((), ("token",), "bars", {"top": 12})
REFEREE = pic.Picture(
    "referee",
    pic.Columns(
        pic.Rows("method"),
        (
            pic.Column("Deletion", "deletion", ("less is better",), "line-1"),
            pic.Column("Insertion", "insertion", ("more is better",), "line-0"),
            pic.Words("Adds up to f’s change?", "[{sum} of {due}][{?free>0}need not]", 1.1),
        ),
    ),
    "The referee: does the answer fall when these tokens go?",
    says=(
        "Deletion: tokens go, the first in a method's order first; insertion: they come. A bar is the mean probability"
        " of “{word:word}” meanwhile[ {?other>-1}among the two]. By chance: {chance.deletion:%} and"
        " {chance.insertion:%}. With all tokens f, its log₂[ {?other>-1}less that of the other], is {whole} bits, with"
        " none {none}.",
        "{?slow>0}The curves would take too long here; look closer below.",
        "Each method's order is tried out on the model a moment after you stop typing.",
    ),
    tell=(
        "{method}: deletion {deletion:%}, insertion {insertion:%}.[ It adds up to {sum} bits of {due}.]",
        "{?slow>0}{method}: not tried here. With all tokens log₂ P is {whole} bits, with none {none}.",
        "{?tokens>0}{method}: tried out a moment after you stop typing.",
        "Type something.",
    ),
    side="left",
    late="settled",
    table=pic.table(
        "method",
        "method: {method} | deletion: {deletion:%} | insertion: {insertion:%} | sum: {sum} | due: {due}",
    ),
)
AGREE = pic.Picture(
    "agree",
    pic.Matrix(
        "rho", "method", "column", "rank correlation", shade="share", number="two", widest=48
    ),
    "Do they agree?",
    says="Spearman's rank correlation of two methods over the tokens: 1 the same order, −1 the reverse.",
    tell=(
        "{method} and {column}: {rho}.",
        "Pairs without a number: one of the two says the same of every token.",
    ),
    side="right",
    late="settled",
    table=pic.table("method column", "one: {method} | the other: {column} | correlation: {rho}"),
)


def once(model: Model[Any]) -> pic.Once:
    names = methods.methods_of(model)
    words = model.names if isinstance(model, Labels) else model.tokenizer.vocab
    drawn = [_(SHORT.get(name, name)) for name in names]
    heads = methods.heads_of(model)
    return pic.Once(
        {
            "method": [_(name) for name in names],
            "column": drawn,
            "word": words,
            "heads": [*heads],
        },
        {"method": drawn, "heads": [called for called, _at in heads.values()]},
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reply was about: place of a token in the whole text, and whether every method was asked."""

    text: str
    place: int
    settled: bool


class Asking:
    """The reader's part of a reply, for one visitor."""

    def __init__(self) -> None:
        self._last: Asked | None = None

    def read(self, shown: Shown, request: Request) -> Reading:
        found = standard(shown, replace(request, whole=None))
        empty = not any(stop for _, stop in shown.tokens.spans)
        if not len(shown.part) or (empty and fills(shown.reader.model)):
            return found
        asked = self._asked(shown, request)
        numbers, fields = explain(shown, request, asked)
        found.part["said"] = {"numbers": numbers}
        together = tuple(
            Together((name,), tuple(axes), np.asarray(values, "<f4")[None])
            for name, (axes, values) in fields.items()
        )
        return Reading(found.part, found.fields, together)

    def _asked(self, shown: Shown, request: Request) -> Asked:
        first, stop = shown.window
        model = able(shown.reader.model, Model)
        if request.whole is not None and first <= request.whole < stop:
            made = Asked(shown.text, find_place(model, shown, request.whole), True)
        elif self._last and self._last.text == shown.text and first <= self._last.place < stop:
            made = self._last  # another baseline, or another answer
        else:
            made = Asked(shown.text, find_place(model, shown, stop - 1), False)
        self._last = made
        return made


def find_place(model: Model[Any], shown: Shown, at: int) -> int:
    """Of what is asked where one looks at this token: of a model that reads both sides, marks are no words."""
    first, stop = shown.window
    if not fills(model) or shown.tokens.spans[at][1]:
        return at
    return max(first, min(methods.find_mask(model, shown.tokens), stop - 1))


def wanted(model: Model[Any], request: Request) -> int | None:
    """The answer that is looked up, where it is one."""
    word = request.next
    if not word:
        return None
    if isinstance(model, Labels):
        return model.names.index(word) if word in model.names else None
    return lookup.find(model, word).id


def explain(shown: Shown, request: Request, asked: Asked) -> tuple[dict[str, float], pic.Derived]:
    model = able(shown.reader.model, Model)
    first, stop = shown.window
    names, count, at = methods.methods_of(model), stop - first, asked.place - first
    trace = cache.trace_of(shown)
    whole = fills(model)  # it reads both sides, and another text: the token is masked
    here = asked.place < methods.READ and not first and asked.place < (model.context or stop)
    here = here and not whole
    top = "label" if isinstance(model, Labels) else "probability"
    look = request.look
    question = methods.question(
        model,
        shown.tokens if whole else shown.tokens[: asked.place + 1],
        str(look.get("with")) if look.get("with") in BASELINES else ZERO,
        wanted(model, request),
        look.get("by") == AGAINST,
        np.asarray(trace.field(top).values[at], float) if here else None,
        trace if here else None,
        str(look.get("heads")),
        asked.place,
    )
    game = question.game
    most = AT_REST if asked.settled else AT_ONCE
    afford = methods.affordable(model, game, most)
    some = [n for n in names if n in afford and (asked.settled or n in MET)] if game.count else []
    worth_MT = np.full((len(names), count), np.nan)
    here_at = game.at if isinstance(game, MaskGame) else len(game.tokens) - 1
    place_P = game.players + asked.place - here_at - first
    seen_P = (place_P >= 0) & (place_P < count)
    said = {name: question.ask(name) for name in some}
    for name, worth_P in said.items():
        worth_MT[names.index(name), place_P[seen_P]] = worth_P[seen_P]
    settled_T = np.full(count, np.nan)
    settled_T[at] = 1.0 if asked.settled else np.nan
    if whole and asked.place == find_place(model, shown, stop - 1):  # where marks lead to
        settled_T[[not end for _start, end in shown.tokens.spans[first:stop]]] = settled_T[at]
    target = game.target
    numbers = {
        "place": at,
        "word": target.word,
        "other": -1 if target.other is None else target.other,
        "p": float(game.p_V[target.word]),
        "vectors": float(isinstance(game, NetGame)),
        "tokens": game.count,
        "slow": float(asked.settled and game.count > 0 and len(some) < len(names)),
    }
    with np.errstate(invalid="ignore", divide="ignore"):
        largest_M1 = np.nanmax(np.abs(worth_MT), axis=1, keepdims=True, initial=0.0)
        share_MT = worth_MT / np.where(largest_M1 > 0, largest_M1, np.nan)
    known_M = np.isfinite(worth_MT).any(1)
    top_M = np.where(known_M, np.nan_to_num(worth_MT, nan=-np.inf).argmax(1), np.nan)
    fields: dict[str, Any] = {
        "worth": (("method", "key"), worth_MT),
        "share": (("method", "key"), share_MT),
        "first": (("method",), top_M),
        "settled": (("token",), settled_T),
    }
    if asked.settled and said:
        more, judged = judge(question, names, said, CURVES in afford)
        numbers |= more
        fields |= judged
    return numbers, fields


def judge(
    question: Question, names: tuple[str, ...], said: Mapping[str, np.ndarray], tried: bool
) -> tuple[dict[str, float], dict[str, Any]]:
    """Sums, curves, and how far the methods agree."""
    game, rows = question.game, [names.index(name) for name in said]
    whole, none = game.ends()
    area_2M, sum_2M = np.full((2, len(names)), np.nan), np.full((2, len(names)), np.nan)
    numbers = {"whole": whole, "none": none}
    if tried:
        made = curves.curves(game, np.stack([*said.values()]))
        chance = curves.by_chance(game)
        area_2M[:, rows] = curves.area(made.deletion), curves.area(made.insertion)
        numbers["chance.deletion"] = float(curves.area(chance.deletion)[0])
        numbers["chance.insertion"] = float(curves.area(chance.insertion)[0])
    free_M = np.ones(len(names))
    for name in ADDS_UP:
        if name in said:
            sum_2M[:, names.index(name)] = said[name].sum(), whole - none
            free_M[names.index(name)] = 0
    rho_MM = np.full((len(names), len(names)), np.nan)
    for i, one in zip(rows, said.values(), strict=True):
        for j, other in zip(rows, said.values(), strict=True):
            rho_MM[i, j] = rho_MM[j, i] if j < i else spearman(one, other)
    method = ("method",)
    return numbers, {
        "deletion": (method, area_2M[0]),
        "insertion": (method, area_2M[1]),
        "sum": (method, sum_2M[0]),
        "due": (method, sum_2M[1]),
        "free": (method, free_M),
        "rho": (("method", "column"), rho_MM),
    }


def reads(model: Model[Any]) -> tuple[str, ...]:
    """What is read off one run."""
    if ledger.has_ledger(model):
        return ledger.fields(able(model, Remembers))
    if fills(model):
        return ()
    attends = methods.ATTENTION in methods.methods_of(model) and not isinstance(model, Pooling)
    return ("attention",) if attends else ()


def drawn(model: Model[Any]) -> Any:
    """A `Panel.figure`: what every method that can be afforded says of the tokens before the one looked at."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        at = looked.token(trace, look)
        baseline = str(look.get("with")) if look.get("with") in BASELINES else ZERO
        tokens, place = model.tokens(trace.text), trace.offset + at
        heads = str(look.get("heads"))
        question = methods.question(
            model,
            tokens if fills(model) else tokens[: place + 1],
            baseline,
            None,
            look.get("by") == AGAINST,
            heads=heads,
            at=place,
        )
        afford = methods.affordable(model, question.game, AT_REST)
        names = [name for name in methods.methods_of(model) if name in afford]
        if not question.game.count:
            raise ValueError("Nothing stands before this token.")
        worth_MP = np.stack([question.ask(name) for name in names])
        axes = {"method": names, "token": question.game.labels}
        says = "What each method says of each token."
        field = Field.of("worth", Kind.STATE, axes, worth_MP, says)
        return Drawing(READER, "heatmap", with_entries(trace, field), ("worth",))

    return make


def stage(run: Run) -> Stage:
    model = cache.model(run, Model)
    if not methods.answers(model):
        raise refusal("{run.title} neither predicts the next token nor chooses a class.")
    top = "label" if isinstance(model, Labels) else "probability"
    counts = isinstance(model, Ngram | HiddenMarkov)  # which need no baseline
    more = (HEADS,) if len(methods.heads_of(model)) > 1 else ()
    why = replace(WHY, controls=WHY.controls[:1] if counts else (*WHY.controls, *more))
    following: tuple[pic.Picture, ...] = (replace(NEXT, saves=replace(SAVES, fields=(top,))),)
    if fills(model):
        why, following, top = replace(why, title=AT_A_MASK, says=MASKED), (), ""
    share = FieldSpec("share", Kind.STATE, (), "", domain=(-1.0, 1.0))
    live = pic.Live(
        (),
        (why, *following, REFEREE, AGREE),
        once,
        also=reads(model),
        shades={"share": share},
        places={
            "method": pic.Place("shown"),
            "key": pic.Place("other", "first"),
            "column": pic.Place("pattern"),
        },
        vertical="method",
        top=top,
        unit=lambda model: "words" if isinstance(model, Labels) else "tokens",
        most=512,
    )
    made = declared.stage(live, run, READER)
    first, *others = made.panels
    return replace(made, panels=(replace(first, figure=drawn(model)), *others), read=Asking().read)


LIVE = stage
