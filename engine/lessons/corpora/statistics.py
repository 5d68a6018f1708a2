"""What was counted of a text, as parts: its words, their lengths, characters, copies, sequences of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Table
from engine.language.message import _
from engine.live.markdown import escape
from engine.text.collection.counting import Counted
from engine.text.collection.frequencies import FEWEST, Curve
from engine.text.collection.scan import Lengths
from engine.views.theme import visible

BARS, TAIL = 60, 0.995  # at most so many bars; the longest of more than this share are left out
UNITS = {
    "word": ("words", "characters in a word"),
    "sentence": ("sentences", "words in a sentence"),
    "passage": ("passages", "words in a passage (a line or paragraph)"),
}


@fr.part("Words")
def words(found: Counted) -> fr.Blocks:
    """How often the word of each rank comes up (Zipf), and how the vocabulary grows (Heaps)."""
    f = found.statistics.frequencies
    if not f.types:
        raise ValueError("There is no word in this text.")
    fitted = int(np.searchsorted(-f.zipf.y, -FEWEST, "right"))
    title, x = "Frequency of each word by rank", "rank of the word"
    law: fr.Words = _("Too few words occur {fewest} times or more to fit a slope.", fewest=FEWEST)
    if f.zipf.exponent is not None:
        law = _(
            "Zipf's law: the count falls as a power of the rank, here with slope {slope}; about −1 is"
            " usual. The line is fitted to words that occur {few} times or more. Rarer words are drawn"
            " but not fitted, because their counts are mostly chance.",
            slope=f.zipf.exponent,
            few=FEWEST,
        )
    left: list[fr.Block] = [
        curve("zipf", title, f.zipf, x, "count", fitted, True),
        _(
            "**{types:,} different words** in {tokens:,}; {once:,} of them occur only once"
            " ({share:.1%}). The commonest: {top}.",
            types=f.types,
            tokens=f.tokens,
            once=f.once,
            share=f.once / f.types,
            top=", ".join(f"“{escape(word)}” {count:,}" for word, count in f.ngrams[1][:5]),
        ),
        fr.Note(law),
    ]
    half = int(f.heaps.y[np.searchsorted(f.heaps.x, f.tokens / 2).clip(0, len(f.heaps.x) - 1)])
    right: list[fr.Block] = [
        curve("growth", "Vocabulary growth", f.heaps, "words read", "different words"),
        _(
            "The first half of the text has {half:,} different words, the whole text {types:,}.",
            half=half,
            types=f.types,
        ),
    ]
    if f.heaps.exponent is not None:
        heaps = _(
            "Heaps' law: different words = {scale} · words to the power {power:.2f}. At 1 every word"
            " would be new; at 0 none.",
            scale=float(f.heaps.scale or 0),
            power=f.heaps.exponent,
        )
        right.append(fr.Note(heaps))
    yield fr.Beside([left, right])


def curve(
    name: str, title: str, of: Curve, x: str, y: str, fitted: int = 0, log: bool = False
) -> fr.Chart:
    """The counted points, and the fitted line as far as it was fitted."""
    series: dict[str, Any] = {"counted": (of.x, of.y)}
    if of.exponent is not None and of.scale is not None:
        along = of.x[: fitted or None].astype(float)
        series["fitted line"] = along, of.scale * along**of.exponent
    return fr.curves(name, title, series, x, y, log_x=log, log_y=log)


@fr.part("Lengths")
def lengths(found: Counted) -> fr.Blocks:
    columns: list[list[fr.Block]] = []
    for name, of in found.statistics.lengths.items():
        what, axis = UNITS[name]
        if not of.number:
            columns.append([fr.Note(_("There are no {what} in this text.", what=_(what)))])
            continue
        made, left_out = histogram(of)
        title = _("Lengths of the {what}", what=_(what))
        table, options = Table.of(name, title, made), {"x": axis, "y": what, "what": what}
        said = _(
            "{n:,} {what}: mean {mean:.1f}, median {median:,}, longest {longest:,}. {left:,} longer"
            " {left|one is|ones are} not drawn.",
            n=of.number,
            what=_(what),
            mean=of.mean,
            median=of.median,
            longest=of.longest,
            left=left_out,
        )
        chart = fr.Chart(name, title, "histogram", (table,), options=options)
        columns.append([chart, fr.Note(said)])
    yield fr.Beside(columns)
    yield fr.Note(
        "A sentence ends at . ! or ? and at the end of a line. Abbreviations are not"
        " recognised, so “Dr. Smith left.” counts as two."
    )


def histogram(of: Lengths) -> tuple[dict[str, np.ndarray], int]:
    """(start, stop and value of at most BARS bars; count are longer than the last one)."""
    last = int(np.searchsorted(of.counts.cumsum(), TAIL * of.number)) + 1
    first = int(np.flatnonzero(of.counts)[0])
    width = -(-(last - first) // BARS)
    edges = np.arange(first, last + width, width)
    total = np.r_[0, of.counts.cumsum()]
    at = np.minimum(edges, len(of.counts))
    bars = {"start": edges[:-1], "stop": edges[1:], "value": np.diff(total[at])}
    return bars, int(of.number - total[at[-1]])


@fr.part("Characters")
def characters(found: Counted) -> fr.Blocks:
    s, forms = found.statistics, {"count": fr.WHOLE, "share": fr.SHARE}
    kinds = ((name, n, n / s.characters) for name, n in s.classes)
    commonest = (
        (visible(c), " ".join(f"U+{ord(p):04X}" for p in c), n, n / s.characters)
        for c, n in s.commonest
    )
    left = fr.table(("kind", "count", "share"), kinds, forms=forms)
    right = fr.table(("character", "code", "count", "share"), commonest, forms=forms, tall=380)
    yield fr.Beside([[left], [right]])
    yield fr.Note(
        _(
            "{n:,} characters, {alphabet:,} of them different. The {some} commonest are listed. · is a"
            " space, ⏎ a line end.",
            n=s.characters,
            alphabet=s.alphabet,
            some=len(s.commonest),
        )
    )


@fr.part("Duplicates")
def duplicates(found: Counted) -> fr.Blocks:
    d = found.statistics.duplicates
    if not d.copies:
        yield _("None of the {n:,} passages occurs twice.", n=d.passages)
        return
    yield _(
        "**{copies:,} of {n:,} passages** are exact copies of an earlier one; they hold {share:.1%} of"
        " the characters. A model memorises such passages, and a copy of a training passage is useless"
        " in a test set.",
        copies=d.copies,
        n=d.passages,
        share=d.share,
    )
    yield fr.table(("times", "passage"), ((n, text) for n, text in d.most))
    yield fr.Note(
        _("The {n} most frequent ones; of a long passage, only the beginning.", n=len(d.most))
    )


@fr.part("Word sequences")
def sequences(found: Counted) -> fr.Blocks:
    """The commonest runs of words, a table for each length."""
    lengths = {n: some for n, some in found.statistics.frequencies.ngrams.items() if n > 1 and some}
    if not lengths:
        raise ValueError("This text has no sequence of words.")
    heads, forms = ("words", "count"), {"count": fr.WHOLE}
    yield fr.Beside(
        [
            [_("**{n} words in a row**", n=n), fr.table(heads, some, forms=forms, tall=430)]
            for n, some in lengths.items()
        ]
    )
    yield fr.Note(
        "The commonest, in lower case and without punctuation. A sequence never crosses a line end."
    )


COUNTED = (words, lengths, characters, duplicates, sequences)
