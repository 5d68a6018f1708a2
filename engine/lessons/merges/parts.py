"""What stands below the live picture: when to stop, a new word, WordPiece and Unigram, and what the notes
leave open."""

from __future__ import annotations

import numpy as np

from engine import frame as fr
from engine.core.trace import Table
from engine.language.message import _
from engine.lessons.merges.live import KINDS, MOST
from engine.live.markdown import escape
from engine.text.subword import bpe, study, wordpiece
from engine.text.subword.study import Study
from engine.text.subword.words import SPACE, readable
from engine.views.theme import visible

SIZES, LONGEST = (
    (20, 30, 40, 60, 90, 130),
    24,
)  # pieces to keep; characters of a word of the lattice
SAMPLE = fr.shared(
    fr.typed("A text to learn from", lambda given: given["above"][:MOST], MOST, tall=80)
)
KIND = fr.shared(fr.pick("How", {id: title for id, title, _says in KINDS}, width=280))


def trained(given: fr.Others) -> Study:
    return study.study(given["sample"], given["kind"], "letters")


def learned(given: fr.Others) -> int:
    return len(trained(given).steps)


@fr.part("When to stop merging", was=("growth",))
def stop(above: str, sample: str = SAMPLE, kind: str = KIND) -> fr.Blocks:
    yield (
        "Every merge makes the vocabulary one token larger and the text shorter. Training stops at a"
        " vocabulary size fixed in advance or, as here, when no pair occurs twice."
    )
    found = study.study(sample, kind, "letters")
    if not found.steps:
        raise ValueError("No pair occurs twice, so there is nothing to merge yet. Repeat a word.")
    series: fr.Series = {"tokens in the text": (found.sizes, found.lengths)}
    title, x = "Vocabulary against length", "tokens in the vocabulary"
    yield fr.curves("growth", title, series, x, "tokens in the text", text=sample[:200], whole=True)


def replayed(found: Study, text: str, merges: int) -> list[tuple[str, list[str]]]:
    """A text cut with the first of the merges: what is done, and the tokens behind it."""
    steps, cut = found.steps[:merges], [word for word, _spans in study.cut(found.kind, text)]
    pieces = [*found.symbols, *(step.piece for step in steps)]
    if found.kind == "wordpiece":
        known = dict.fromkeys(pieces, 0)
        return [(word, wordpiece.cut(word, known) or ["[UNK]"]) for word in text.split()]
    # a symbol that was never seen has a number, too, and nothing is merged with it
    names = [*dict.fromkeys([*pieces, *(symbol for word in cut for symbol in word)])]
    numbers = {piece: n for n, piece in enumerate(names)}
    pairs = [(step.a, step.b) for step in steps]
    ready = bpe.Merges(numbers, pairs)
    done = {n for word in cut for n, _at in ready.replay([numbers[symbol] for symbol in word])}

    def after(count: int) -> list[str]:
        first = bpe.Merges(numbers, pairs[:count])
        return [names[id] for word in cut for id in first.encode(word)]

    write = readable if found.kind == "bytes" else str
    hows = {
        n: _(
            "merge {n}: {pairs} + {pairs_2}",
            n=n + 1,
            pairs=write(pairs[n][0]),
            pairs_2=write(pairs[n][1]),
        )
        for n in sorted(done)
    }
    return [("first symbols", after(0)), *((how, after(n + 1)) for n, how in hows.items())]


@fr.part("Cut a new word", was=("replay",))
def new_word(
    above: str,
    sample: str = SAMPLE,
    kind: str = KIND,
    word: str = fr.typed("A new word", " slower", 60, live=True, width=200),
    merges: int = fr.slider("Merges that are learned", 0, learned, learned),
) -> fr.Blocks:
    if kind == "wordpiece":
        yield (
            "The merges are not replayed: from the left, the longest piece of the vocabulary that fits is"
            " taken."
        )
    else:
        yield (
            "The merges are applied in the order in which they were learned, inside each word; a space"
            " typed first belongs to the word."
        )
    found = study.study(sample, kind, "letters")
    rows = replayed(found, word, merges)
    if not rows or not rows[0][1]:
        raise ValueError("Type a word to cut.")
    write = readable if kind == "bytes" else str
    cut = [(how, " | ".join(visible(write(t)) for t in tokens)) for how, tokens in rows]
    yield fr.table(("step", "tokens"), cut)
    count = len(rows[-1][1]) if kind != "wordpiece" else sum(len(t) for _word, t in rows)
    yield _("{n} {n|token|tokens}.", n=count)
    symbols = {symbol for letters, _spans in study.cut(kind, word) for symbol in letters}
    if kind != "bytes" and (lost := sorted(symbols - {*found.symbols})):
        yield _(
            "Never seen in the text, so not in the vocabulary: {letters}. A tokenizer needs an unknown token"
            " for this, or bytes.",
            letters=escape(" ".join(map(visible, lost))),
        )


@fr.part("BPE and WordPiece", was=("orders",))
def orders(above: str, sample: str = SAMPLE) -> fr.Blocks:
    yield (
        "The same words in two orders. BPE merges the pair with the largest count, WordPiece the one with"
        " the largest score, count(ab) / (count(a) × count(b)): rare letters that always occur together"
        " win. Pairs that occur once are left out."
    )
    made = study.orders(sample)
    if not made[0]:
        raise ValueError("No pair occurs twice in this text.")
    titles = "BPE: largest count", "WordPiece: largest score"
    heads = "merge", "pair", "count", "score"
    yield fr.Beside(
        [
            [
                f"**{title}**",
                fr.table(
                    heads,
                    [
                        (n, f"{visible(a)} + {visible(b)}", count, score)
                        for n, (a, b, count, score) in enumerate(rows, 1)
                    ],
                ),
            ]
            for title, rows in zip(titles, made, strict=True)
        ]
    )
    pairs = [[row[:2] for row in rows] for rows in made]
    place = next((n for n, (a, b) in enumerate(zip(*pairs, strict=False), 1) if a != b), 0)
    if place:
        yield _("They diverge at merge {n}.", n=place)
    else:
        yield "Here both merge the same pairs in the same order."


def longest(given: fr.Others) -> str:
    """The longest word of the text, with the space before it."""
    word = max(given["sample"].split(), key=len, default="")[: LONGEST - 1]
    return f" {word}" if f" {word}" in given["sample"] else word


@fr.part("Unigram: all cuts of a word", was=("cuts",))
def unigram(
    above: str,
    sample: str = SAMPLE,
    word: str = fr.typed("Word", longest, LONGEST, live=True, width=200),
    size: int = fr.pick("Pieces to keep", SIZES, 30, slide=True),
) -> fr.Blocks:
    found = study.lattice(sample, word.replace(" ", SPACE), size)
    if not found["edges"]:
        raise ValueError("Type a word to see its cuts.")
    yield _(
        "Unigram begins with all characters and with every substring that occurs at least twice among the"
        " different words. It removes the least useful until few enough are left, here {n}. Each has a"
        " probability, learned from the text. A way from left to right over the pieces is a cut, and its"
        " probability is the product of its pieces'.",
        n=found["pieces"],
    )
    best = found["best"][0][0]
    ends = [sum(map(len, best[: n + 1])) for n in range(len(best))]
    likeliest = set(zip([0, *ends], ends, strict=False))
    edges = sorted(found["edges"], key=lambda edge: (edge[1] - edge[0], edge[0]))
    columns = {
        "word": [write_piece(edge[2]) for edge in edges],
        "start": [edge[0] for edge in edges],
        "stop": [edge[1] - 1 for edge in edges],
        "value": [int(edge[:2] in likeliest) for edge in edges],
    }
    title = "Every piece that fits, over the letters of the word"
    options = {
        "words": [*map(write_piece, found["word"])],
        "what": "",
        "kinds": ("fits", "in the likeliest cut"),
        "x": "letter",
        "y": "piece",
    }
    made = Table.of("lattice", title, columns)
    picture = fr.Chart("lattice", title, "spans", (made,), "", word, options=options)
    cuts = [
        (" | ".join(map(write_piece, pieces)), float(np.exp(share)), -score / np.log(2))
        for pieces, score, share in found["best"]
    ]
    heads = ("cut", "share", "bits")
    table = fr.table(heads, cuts, forms={"share": fr.SHARE, "bits": "%.1f"}, bars=("share",))
    many = _(
        "{n:,} {n|cut is|cuts are} possible; the best are listed, with their share of the word's"
        " probability and their cost in bits.",
        n=found["ways"],
    )
    yield fr.Beside([[picture], [table, many]], (3, 2))
    pieces = [
        (write_piece(piece), float(np.exp(score)), float(share))
        for _a, _b, piece, score, share, _known in edges
    ]
    heads = ("piece", "probability", "share of all cuts through it")
    forms = {"probability": "%.3g", heads[2]: fr.SHARE}
    yield fr.Behind("Every piece", [fr.table(heads, pieces, forms=forms)])
    if strange := {write_piece(edge[2]) for edge in edges if not edge[5]}:
        yield _(
            "Not in the text, so no piece: {letters}. Such a letter costs more than the rarest piece.",
            letters=escape(" ".join(sorted(strange))),
        )


def write_piece(piece: str) -> str:
    return visible(piece.replace(SPACE, " "))


@fr.part("“unhappiness”")
def unhappiness() -> fr.Blocks:
    yield (
        "A common example cuts “unhappiness” into **un**, **happy** and **ness**. Joined again, that "
        "is “unhapp**y**ness”. The tokens of BPE, WordPiece and Unigram are substrings of the text: "
        "joined, they give back the word, so this cut can never come out. **un**, **happi**, **ness** "
        "can, if enough words of the text contain these pieces. Then “happy” and “happi” are two "
        "unrelated tokens: only a stemmer or a lemma shows that they are one word (*Text "
        "preparation*)."
    )


@fr.part("Ties, overlaps, the library")
def ties() -> fr.Blocks:
    yield (
        "**Ties.** Several pairs can be equally frequent, and in a small text they often are. The "
        "choice changes the vocabulary: choose another rule above and look at the text."
    )
    yield (
        "**Overlaps.** In “aaaa” the pair **a a** occurs three times, but it can be replaced only "
        "twice, from left to right. Here all three places are counted."
    )
    yield (
        "The same text was given to our code and to the `tokenizers` library. **BPE**, over bytes and "
        "over characters: the same merges in the same order, with the tie rule *the smallest by its "
        "numbers*."
    )
    yield (
        "**WordPiece**: the library's trainer does not use the score. It merges by count, as BPE "
        "does, and only adds the ##. *Cutting* a word into the longest matching pieces is the same."
    )
    yield (
        "**Unigram**: the same probabilities where nothing has to be pruned; where much is pruned, a "
        "few pieces in a hundred differ. With the same pieces a word is cut in the same way."
    )


PARTS = (stop, new_word, orders, unigram, unhappiness, ties)
