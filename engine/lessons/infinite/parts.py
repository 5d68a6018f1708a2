"""Below the live pictures: the lines that were found, the search in an index that holds no text, whether the ∞-gram is
right, and what it costs."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from engine import frame as fr
from engine.analysis.interval import of_share
from engine.language.message import _
from engine.lessons.counting_context import escape_words, label
from engine.lessons.counting_study import says
from engine.lessons.counting_texts import MOST_CHARACTERS, Counted
from engine.lessons.infinite.fm import END, Fm
from engine.lessons.infinite.held_out import LAMBDAS, LONG, MOST, Found, measured
from engine.lessons.infinite.matches import matches
from engine.lessons.infinite.stored import built, folder_of, opened, stored
from engine.ngram import indexing
from engine.ngram.backoff import size_bytes
from engine.ngram.concordance import Concordance
from engine.ngram.suffixes import Suffixes
from engine.views import theme

LINES, WIDTH = 12, 14  # shown, and tokens on each side
MOST_TYPED = 300
LONGEST, PATTERN = 60, 20  # letters
# tokens, seconds on one core, bytes on the disk, peak of memory in bytes, milliseconds for a context and what followed
# it (median of 300): index.build and Index of ids drawn by Zipf's law, a tenth of them copied from before
MEASURED = 1_000_000_000, 371.0, 6_000_000_132, 2_729 << 20, 4.2


@fr.once
def concordance(counted: Counted) -> Concordance:
    return Concordance(matches(counted).suffixes, counted.study.raw.boundary)


def typed_above(given: fr.Others) -> str:
    """What stands above, where a context of it is in the text."""
    of, above = matches(given["study"]), str(given["above"])[:MOST_TYPED]
    found = not above or of.runs(of.ids(above)).context_T[-1] > 0
    return above if found else given["study"].example[:MOST_TYPED]


PHRASE = fr.shared(fr.typed("Words to find", typed_above, MOST_TYPED, width=520, live=True))


@fr.part("Where does it stand?")
def evidence(study: Counted, above: str, phrase: str = PHRASE) -> fr.Blocks:
    of = matches(study)
    ids_T = of.ids(phrase)
    length = int(of.runs(ids_T).context_T[-1])
    gram = tuple(ids_T[len(ids_T) - length :].tolist())
    if not gram:
        raise ValueError(
            "The last word is not in the text, so no line goes on from it. Type another one."
        )
    page = concordance(study).page(gram, 0, LINES, WIDTH)

    def written(ids: tuple[int, ...], first: bool = False) -> str:
        marks = [label(study.study, id) for id in ids]
        if first and ids[0] == of.boundary:
            marks[0] = "<s>"
        return theme.plain((" " if study.cut == "words" else "").join(marks))

    yield _(
        "The longest end of it in the text is “{context}”, {length} {length|token|tokens}, and stands in"
        " **{n:,} {n|place|places}**. What follows it there is all that the ∞-gram counts.",
        context=escape_words(written(gram, True)),
        length=length,
        n=page.total,
    )
    yield fr.Rows(
        [
            {
                "line": row.line + 1,
                "before": written(row.left),
                "found": written(row.gram, True),
                "next": written(row.right[:1]) or "</s>",
                "after": written(row.right[1:]),
            }
            for row in page.rows
        ]
    )
    if page.total > LINES:
        yield fr.Note(_("The first {n}.", n=LINES))


@fr.part("How can one count without the text?")
def search(
    short: str = fr.typed("A short text", "she sells sea shells", LONGEST, live=True),
    pattern: str = fr.typed("What to count", "she", PATTERN, width=160, live=True),
    step: int = fr.slider(
        "Letters read, from the last one",
        0,
        lambda o: len(o["pattern"]),
        lambda o: len(o["pattern"]),
    ),
) -> fr.Blocks:
    if not short or not pattern:
        raise ValueError("Type a short text, and some letters to count in it.")
    of = Fm(short)
    steps = of.search(pattern)
    hand = sum(short.startswith(pattern, i) for i in range(len(short)))
    yield (
        "All places, sorted by what stands there. An **FM-index** keeps only one letter of each, the one before it."
        " With it, each letter of the pattern, read from the last, turns one slice of places into the next:"
    )
    yield fr.Formula(
        r"\mathrm{low} \leftarrow C(c) + \mathrm{Occ}(c, \mathrm{low}) \qquad"
        r" \mathrm{high} \leftarrow C(c) + \mathrm{Occ}(c, \mathrm{high})"
    )
    low, high, rows = 0, len(of.start_N), []
    for n, one in enumerate(steps, 1):
        rows.append(
            {
                "read": pattern[len(pattern) - n :],
                "low = C + Occ": f"{one.low} = {one.before} + {one.occ_low}",
                "high = C + Occ": f"{one.high} = {one.before} + {one.occ_high}",
                "places": one.high - one.low,
            }
        )
        if n <= step:
            low, high = one.low, one.high
    listed = [
        {
            "place": n,
            "slice": "●" if low <= n < high else "",
            "before": END if of.last_N[n] == 0 else theme.visible(of.letters[of.last_N[n] - 1]),
            "sorted by": theme.plain(short[start : start + 24]) + END * (start + 24 > len(short)),
        }
        for n, start in enumerate(of.start_N.tolist())
    ]
    found = steps[-1].high - steps[-1].low
    yield fr.Beside(
        [
            [
                fr.Rows(rows),
                _(
                    "“{pattern}” by backward search: **{n}**. By the suffix array: {bisected}. Letter by letter:"
                    " {hand}.",
                    pattern=escape_words(pattern),
                    n=found,
                    bisected=of.bisected(pattern),
                    hand=hand,
                ),
                fr.Note(
                    "C(c): how many letters of the text are smaller than c. Occ(c, i): how often c is among the first i"
                    " letters of the column “before”. $ marks the end of the text."
                ),
            ],
            [fr.Rows(listed, tall=420)],
        ]
    )


def by_length(found: Found) -> list[tuple[str, int, int, int]]:
    """(length of the context, tokens, right by the ∞-gram, by modified Kneser-Ney)"""
    length_T = np.minimum(found.length_T, LONG)
    return [
        (
            f"{n}" if n < LONG else _("{n} and more", n=n),
            int((own_T := length_T == n).sum()),
            int(found.right_T[own_T].sum()),
            int(found.right_smoothed_T[own_T].sum()),
        )
        for n in np.unique(length_T).tolist()
    ]


def share(hits: int, count: int) -> fr.Words:
    low, high = of_share(hits, count)
    return _(
        "{share:.1f} % ({low:.0f} to {high:.0f})",
        share=100 * hits / count,
        low=100 * low,
        high=100 * high,
    )


def mixed(study: Counted, found: Found) -> fr.Blocks:
    """Bits a token by λ, and what the best one saves."""
    judged_T = found.judged_T
    if judged_T.all():
        raise ValueError(
            "λ is chosen on some held-out lines and judged on others; there is one line."
        )
    xs = LAMBDAS.tolist()
    series: fr.Series = {
        "lines that λ is chosen on": (xs, [float(found.bits(x)[~judged_T].mean()) for x in xs]),
        "other lines": (xs, [float(found.bits(x)[judged_T].mean()) for x in xs]),
    }
    title = "Bits a token, by λ"
    yield fr.curves("mixed", title, series, "λ", "bits a token", says(study), source=study.id)
    best = found.chosen()
    saved, low, high = found.saved(best)
    if best == 0:
        yield "**λ = 0 is best**: on this text the ∞-gram adds nothing to modified Kneser-Ney."
        return
    yield _(
        "λ = {best:.2f} is best on the first. On the others it saves **{saved:.3f} bits** a token (95 % interval"
        " {low:.3f} to {high:.3f}) beside modified Kneser-Ney of order {order} alone.",
        best=best,
        saved=saved,
        low=low,
        high=high,
        order=study.order,
    )
    if low < 0:
        yield "The interval reaches below 0, so on this text the gain may be chance."


@fr.part("Is it right?")
def right(study: Counted) -> fr.Blocks:
    found = yield from measured(counted=study)
    count = len(found.p_T)
    yield _(
        "On {n:,} tokens of held-out lines: how often the likeliest next token is the right one, by the length of the"
        " longest context. In brackets: 95 % intervals.",
        n=count,
    )
    table = [
        {
            "tokens of context": name,
            "cases": n,
            "∞-gram right": share(mine, n),
            "Kneser-Ney right": share(other, n),
        }
        for name, n, mine, other in by_length(found)
    ]
    sums = count, int(found.right_T.sum()), int(found.right_smoothed_T.sum())
    table.append(
        {
            "tokens of context": "all",
            "cases": count,
            "∞-gram right": share(sums[1], count),
            "Kneser-Ney right": share(sums[2], count),
        }
    )
    yield fr.Rows(table)
    yield _(
        "The ∞-gram gives **{zeros:.0f} %** of these tokens probability 0, so alone it has no perplexity. Mixed with"
        " modified Kneser-Ney, P = λ P∞ + (1 − λ) P of the other, it has one:",
        zeros=100 * float((found.p_T == 0).mean()),
    )
    yield from mixed(study, found)
    if count == MOST - 1:
        yield fr.Note(_("The first {n:,} held-out tokens.", n=MOST))


@fr.once
def sorted_in(counted: Counted) -> float:
    """Seconds that the suffix array takes."""
    began = perf_counter()
    Suffixes(counted.study.stream)
    return perf_counter() - began


@fr.part("What does it cost?")
def costs(study: Counted) -> fr.Blocks:
    of = matches(study)
    ids = 2 if len(study.study.vocab) <= 1 << 16 else 4
    forms = {
        "tokens": ids * len(of),
        "sorted places": 4 * len(of),
        _("n-grams up to order {n}, smoothed", n=study.order): size_bytes(of.model),
    }
    yield fr.Rows(
        [{"kept": name, "bytes": n, "bytes a token": n / len(of)} for name, n in forms.items()],
        {"bytes a token": "%.1f"},
    )
    yield _(
        "The index takes **{each} bytes a token** however long the contexts are: it is the text and its order. Sorting"
        " these {n:,} tokens took {ms:,.1f} ms here. An n-gram model grows with its order.",
        each=ids + 4,
        n=len(of),
        ms=1000 * sorted_in(study),
    )
    tokens, seconds, size, memory, ms = MEASURED
    yield _(
        "Measured on {tokens:,} words drawn by Zipf's law: {minutes:.0f} minutes on one core, {memory:.1f} GB of"
        " memory, {each:.1f} bytes a token on the disk, and {ms:.0f} milliseconds for the longest context and what"
        " followed it. A text has to be cut into words before, which takes longer.",
        tokens=tokens,
        minutes=seconds / 60,
        memory=memory / 1e9,
        each=size / tokens,
        ms=ms,
    )
    yield "A text of any size is indexed on the disk by a command, and searched there:"
    yield fr.Code('python -m engine index FOLDER --text FILE --find "some words"', "bash")


@fr.part("The whole of a large text")
def whole(
    study: Counted,
    above: str,
    *,
    phrase: str = PHRASE,
    index: bool = fr.start("Index the whole text", ("study",)),
) -> fr.Blocks:
    """The same of all of a stored text, however large, by an index on the disk."""
    text = stored(study)
    if text is None:
        yield _(
            "All {n:,} tokens of this text are in the pictures above. Of a text of your own of more than {most:,}"
            " characters they have the beginning; here all of it is indexed on the disk.",
            n=len(matches(study)),
            most=MOST_CHARACTERS,
        )
        yield fr.Link("corpora", "Your own texts")
        return
    folder = folder_of(text)
    here = opened(folder)
    if here is None:
        yield _(
            "The pictures above have the first {most:,} of {all:,} characters. An index of all of them takes about as"
            " much room on the disk as the text.",
            most=MOST_CHARACTERS,
            all=int(text.about["characters"]),
        )
        yield fr.Controls(["index"])
        if not index:
            return
        yield from built(folder=folder, id=text.id)
    of, tokenizer = here or indexing.opened(folder)
    yield fr.Controls(["phrase"])
    ids = [tokenizer.boundary, *tokenizer.encode(phrase).ids.tolist()]
    best = of.longest(ids)
    context = tokenizer.decode(ids[len(ids) - best.run :]).strip()
    yield _(
        "All {all:,} tokens: the longest end of it there is “{context}”, {length} {length|token|tokens}, and"
        " stands in **{n:,} {n|place|places}**.",
        all=len(of),
        context=escape_words(context),
        length=best.run,
        n=best.count,
    )
    id_W, count_W = of.following(best, LINES)
    followed = [
        {"next": theme.visible(tokenizer.vocab[id]), "count": n, "share": n / best.count}
        for id, n in zip(id_W.tolist(), count_W.tolist(), strict=True)
    ]
    found = [
        {"line": theme.plain(tokenizer.decode(of.token_N[slice(*of.line(place, WIDTH))].tolist()))}
        for place in of.places(best, LINES).tolist()
    ]
    yield fr.Beside([[fr.Rows(followed, {"share": fr.SHARE})], [fr.Rows(found)]], (2, 3))


PARTS = (evidence, search, right, whole, costs)
