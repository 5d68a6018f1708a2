"""What is told of a model of n-grams, and the ladder of orders of one word as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.live import lookup
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.request import LONGEST_WORD

if TYPE_CHECKING:
    from engine.models.ngram import Ngram


def handed_down(model: Ngram) -> str:
    """The idea of the ladder in words, true of this model: whether all that was counted is
    stored."""
    first, rest = "The longest order answers first.", "down to an equal share for every word."
    if not is_cut(model):
        return _(
            "{first} The mass γ that it takes off its counts goes to the next shorter"
            " order, {rest}",
            first=first,
            rest=rest,
        )
    return _(
        "{first} The mass γ goes to the next shorter order, {rest} It is what is taken"
        " off the counts, and the share of the n-grams that were counted but are not"
        " stored: this model is cut to the n-grams that matter most.",
        first=first,
        rest=rest,
    )


def is_cut(model: Ngram) -> bool:
    """Whether n-grams that were counted are left out."""
    return model.config.min_count > 1 or model.config.prune > 0


def describe_smoothing(model: Ngram) -> dict[str, Any]:
    """What the browser has to know of the smoothing method, to put its numbers into words."""
    smoothed = model.smoothed
    return {
        "method": {
            "title": smoothed.method.title,
            "adjusted": smoothed.method.adjusted,
            "predicted": smoothed.predicted,
            "cut": is_cut(model),
        }
    }


def ladder(reader: str, model: Ngram) -> Any:
    """A `Panel.figure`: what each order adds to the probability of the word that is chosen, else of
    the likeliest one."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[reader]
        token = max(0, min(int(look.get("token", 10**9)) - trace.offset, len(trace.tokens) - 1))
        p_V, vocab = trace.field("probability").values[token], model.tokenizer.vocab
        id = lookup.find(model, str(look["next"])[:LONGEST_WORD]).id if look.get("next") else None
        id = int(p_V.argmax()) if id is None else id
        at = trace.offset + token
        found = model.ladder_of(trace.text, (at, at + 1), id)
        orders = range(len(found["part"][0]) - 1, -1, -1)  # longest first

        def rung(m: int) -> str:
            context = trace.tokens[max(0, token - m + 2) : token + 1] if m > 1 else ()
            return (
                _("order {m}: {context} → {vocab}", m=m, context=" ".join(context), vocab=vocab[id])
                if m
                else "uniform"
            )

        gamma_M = trace.field("backoff").values[token].astype(float)
        counted = ("count", "total", "discount")
        columns = {
            "rung": list(map(rung, orders)),
            **{name: np.append(found[name][0][::-1], 0.0) for name in counted},
            "weight": [gamma_M[m + 1 :].prod() for m in orders],
            "part": found["part"][0][::-1],
        }
        says = _(
            "Where the probability of “{vocab}” after “{tokens}” comes from.",
            vocab=vocab[id],
            tokens=trace.tokens[token],
        )
        drawn = with_entries(trace, Table.of("rungs", says, columns))
        return Drawing(reader, "ladder", drawn, ("rungs",))

    return make
