"""What a counted model takes beside the full table, form by form."""

from __future__ import annotations

from engine import frame as fr
from engine.language.message import _
from engine.lessons.sparsity.codes import cut_both
from engine.lessons.sparsity.small import Base, kept, pruned
from engine.ngram import sparsity
from engine.ngram.backoff import size_bytes
from engine.ngram.quantise import quantise
from engine.ngram.smoothed import Smoothed


def by_order(base: Base) -> list[Smoothed]:
    study = base.counted.study
    return [study.at_order(base.method, m) for m in range(1, study.order + 1)]


@kept
def stored(base: Base) -> list[int]:
    """Bytes of the model of each order."""
    return [size_bytes(model) for model in by_order(base)]


def bound(base: Base) -> fr.Chart:
    """The V^n cells of a table against what is stored."""
    grams = sparsity.table(base.counted.study.raw)
    orders = range(1, base.counted.order + 1)
    series: fr.Series = {
        "full table": (orders, [4.0 * row.possible for row in grams]),
        "stored": (orders, stored(base)),
        "4 bytes per token": (orders, [4.0 * grams[0].tokens] * len(orders)),
    }
    title = "Full table and stored model"
    return base.curves("bound", title, series, "order", "bytes", log_y=True, whole=True)


def ways(base: Base, threshold: float, bits: int, says: str) -> list[dict[str, str]]:
    """The same model in several forms: what each takes."""
    raw, model, small = base.counted.study.raw, base.model, pruned(base, threshold)
    first, *__, last = sparsity.table(raw)
    whole, left = (sum(map(len, counts.orders)) for counts in (raw, small.counts))
    hashed = sum(len(grams) * (4 * m + 8) for m, grams in enumerate(raw.orders, 1))
    forms = (
        (
            "full table",
            last.possible,
            4 * last.possible,
            _(
                "a cell for every sequence of {order} tokens, each one of {distinct:,}",
                order=last.order,
                distinct=first.distinct,
            ),
        ),
        (
            "hash table",
            whole,
            hashed,
            "every n-gram with all its tokens, its probability and its weight, 4 bytes each",
        ),
        (
            "trie in arrays",
            whole,
            size_bytes(model),
            "every n-gram with its last token only; slices point to what follows",
        ),
        (
            "trie, pruned",
            left,
            size_bytes(small),
            _("without n-grams that cost less than {says}", says=_(says)),
        ),
        (
            "trie, quantised",
            whole,
            quantise(model, bits).size_bytes,
            _("codes of {bits} bits", bits=bits),
        ),
        ("trie, both", left, cut_both(base, threshold, bits)[1], "pruned, then quantised"),
    )
    return [
        {"form": form, "entries": _whole(entries), "bytes": _whole(size), "contents": holds}
        for form, entries, size, holds in forms
    ]


def _whole(n: int) -> str:
    return f"{n:,}" if n < 10**12 else f"{n:.3g}".replace("e+", " · 10^")
