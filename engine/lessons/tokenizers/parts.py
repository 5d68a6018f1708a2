"""What stands below the stack of tokenizers: what a text costs in each, what is lost, marks and windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Field, Kind, Table
from engine.language.message import _
from engine.lessons.tokenizers.rows import MANY, SHIPPED, Row, cut
from engine.live.markdown import escape
from engine.text import windows as tiles
from engine.text.tokenizer_comparison import shipped
from engine.text.tokenizer_comparison.compare import Measure, cost, find_lost
from engine.text.tokenizer_comparison.joined import framed
from engine.text.tokenizer_comparison.languages import ENGLISH, SENTENCES, WITHOUT_BLANKS
from engine.text.tokenizers.base import Tokens
from engine.views.base import number
from engine.views.theme import visible

Rows = tuple[Row, ...]
MOST, DIFFERENCE = 5_000, 600  # characters; that are compared sign by sign
WIDTHS = (32, 64, 128, 256, 384, 768, 1024, 4096)
WORDS = next(row for row in SHIPPED if row.id == "words")
TEXT = fr.shared(fr.typed("A text", lambda given: given["above"], MOST, tall=80))
SIZE = fr.shared(
    fr.pick("Vocabulary of at most", shipped.SIZES, shipped.FIRST, "{:,}".format, slide=True)
)


def titles(given: fr.Others) -> dict[str, str]:
    return {row.id: row.title for row in given["stack"]}


def titles_and_many(given: fr.Others) -> dict[str, str]:
    return {**titles(given), MANY.id: MANY.title}


def chosen(stack: Rows, id: str) -> Row:
    return next(row for row in (*stack, MANY) if row.id == id)


@fr.part("Languages", was=("tok_language",))
def languages(
    stack: Rows,
    row: str = fr.pick("Tokenizer", titles_and_many, "bpe", width=420),
    most: int = SIZE,
) -> fr.Blocks:
    yield (
        "One everyday sentence, the same in every language. Commercial models charge by the token, and a"
        " context window is measured in tokens: a language that needs three times as many gets a third of"
        " the text for the same money. The tokenizers here learned from **English** alone (bytes learn"
        " nothing); “of many languages” learned from one text in all nineteen, the Universal Declaration of"
        " Human Rights."
    )
    of = chosen(stack, row)
    found = {language: cut(of, most, sentence) for language, sentence in SENTENCES.items()}
    base = len(found[ENGLISH][0])
    costs = {language: len(tokens) / base for language, (tokens, _m) in found.items()}
    title, unit = "Tokens of the same sentence, relative to English", "times English"
    values = np.array([*costs.values()])
    field = Field.of("cost", Kind.SCORE, {"language": costs}, values, title, unit=unit)
    options = {"top": len(costs)}
    picture = fr.Chart("cost", title, "bars", (field,), of.title, fluid=True, options=options)
    right: list[fr.Block] = []
    for each in dict.fromkeys((of, MANY)):
        right += dearest(each, {name: cut(each, most, s) for name, s in SENTENCES.items()})
    note = fr.Note(
        "The sentence was translated for this page; other translations give somewhat different counts."
        " Chinese, Japanese and Thai are written without spaces, so tokens per word mean nothing there."
        " Bits per character: the length in a code built only from each token's frequency in the counted"
        " text; it is missing where a piece is unknown."
    )
    yield fr.Beside([[picture], [*right, note]], (4, 5))
    yield fr.Rows([line(language, *found[language], base) for language in SENTENCES])


def line(language: str, tokens: Tokens, measured: Measure, base: int) -> dict[str, Any]:
    bits = measured.bits_per_character
    return {
        "language": language,
        "tokens": len(tokens),
        "times English": round(len(tokens) / base, 2),
        "per word": "–" if language in WITHOUT_BLANKS else number(measured.per_word),
        "bits per character": "–" if bits != bits else number(bits),
        "unknown": measured.unknown,
        "sentence": SENTENCES[language],
    }


def dearest(row: Row, found_L: dict[str, tuple[Tokens, Measure]]) -> list[fr.Block]:
    """The dearest language, in a sentence that is true of these counts, and where text is lost."""
    base, said = len(found_L[ENGLISH][0]), list[fr.Block]()
    whole = {name: len(tokens) for name, (tokens, m) in found_L.items() if not m.unknown}
    if whole:
        worst = max(whole, key=whole.__getitem__)
        said.append(
            _(
                "With {title} the sentence costs **{times:.1f} times** as many tokens in {worst} as in English"
                " ({most} and {base}).",
                title=escape(row.title),
                times=whole[worst] / base,
                worst=_(worst),
                most=whole[worst],
                base=base,
            )
        )
    if len(whole) < len(found_L):
        said.append(
            _(
                "Few tokens can also mean that text is lost: in {names} some of it is unknown and becomes only"
                " a mark.",
                names=", ".join(name for name in found_L if name not in whole),
            )
        )
    return said


@fr.part("Vocabulary size")
def vocabularies(stack: Rows, above: str, sample: str = TEXT) -> fr.Blocks:
    yield (
        "A larger vocabulary makes a text shorter, but ever more slowly: the first merges join pairs that"
        " occur everywhere, the last ones parts of rare words. BPE begins with single characters and stops"
        " at a size fixed in advance; the slider above goes back through its saved merges, so **nothing is"
        " retrained**. A smaller Unigram keeps its likeliest pieces and every single character."
    )
    if not sample.split():
        raise ValueError("Type a word.")
    cuttable = [row for row in stack if row.own is None and len(shipped.sizes(row.id)) > 1]
    pieces = [row for row in cuttable if row.id not in ("words", "whitespace")]
    drawn = [
        curve(pieces, sample, "tokens", "Tokens in the text against vocabulary size"),
        curve(cuttable, sample, "unknown", "Unknown pieces against vocabulary size"),
    ]
    yield fr.Beside([[chart] for chart in drawn])


def curve(rows: list[Row], sample: str, what: str, title: str) -> fr.Block:
    sizes = shipped.SIZES[::2]
    series = {
        row.title: (sizes, [getattr(cut(row, n, sample)[1], what) for n in sizes]) for row in rows
    }
    note = "Trained on Simple English Wikipedia"
    return fr.curves(
        what, title, series, "pieces in the vocabulary", what, note, sample[:200], log_x=True
    )


@fr.part("What comes back")
def came_back(stack: Rows, above: str, sample: str = TEXT, most: int = SIZE) -> fr.Blocks:
    yield (
        "Decoding turns numbers back into text. What a tokenizer dropped before it numbered the pieces"
        " cannot come back: spaces, capitals, unknown words. :red-background[Struck out] is lost,"
        " :green-background[green] is new."
    )
    some, same = sample[:DIFFERENCE], []
    for row in stack:
        tokens, found = cut(row, most, some)
        if found.same:
            same.append(row.title)
            continue
        back = row.at(most)[0].decode(tokens.ids.tolist())
        yield f"**{escape(row.title)}**  \n{marked(find_lost(some, back))}"
    if same:
        yield _("**Restored exactly by** {names}.", names=escape(", ".join(same)))
    if len(sample) > DIFFERENCE:
        yield fr.Note(_("For the first {n} of {all:,} characters.", n=DIFFERENCE, all=len(sample)))


def marked(steps: list[tuple[str, str, str]]) -> str:
    said = ""
    for what, old, new in steps:
        if what == "same":
            said += escape(old.replace("\n", " ⏎ "))
            continue
        said += f":red-background[~~{escape(signs(old))}~~]" if old else ""
        said += f":green-background[{escape(signs(new))}]" if new else ""
    return said


def signs(piece: str) -> str:
    return piece.replace(" ", "·").replace("\n", "⏎")


PURPOSE = {
    "[CLS]": "comes first; its vector represents the whole text",
    "[SEP]": "ends a sentence, and separates two",
    "[MASK]": "a hidden word, to be guessed",
    "[PAD]": "fills up short texts in a batch; attention must ignore it",
    "[UNK]": "a word that is not in the vocabulary",
    "<unk>": "a piece that is not in the vocabulary",
    "<s>": "begins a text",
    "</s>": "ends a text",
    "\n": "the line end: between two texts",
    "<|endoftext|>": "between two texts",
    "<pad>": "as [PAD]",
    "<mask>": "as [MASK]",
}
SHORTEST, MARKED = 12, 300  # pieces that a pair has at least; where marks are looked for


@fr.part("Marks")
def marks(
    stack: Rows,
    above: str,
    first: str = fr.typed("First text", lambda given: given["above"], 300, width=340),
    second: str = fr.typed("Second text", "", 300, width=340),
    most: int = SIZE,
) -> fr.Blocks:
    yield (
        "Some tokens never occur in a text: they are inserted for the model. BERT reads a pair of texts as"
        " below: **[CLS]**, the first text, **[SEP]**, the second, **[SEP]**. The segment tells which of the"
        " two a token belongs to, and the attention mask is 0 at padding."
    )
    row = chosen(stack, "wordpiece")
    whole = [(label, id, n, 1) for label, id, n in framed(row.at(most)[0], first, second) or ()]
    whole += [("[PAD]", 0, 0, 0)] * (SHORTEST - len(whole))
    heads = "place", "piece", "number", "segment", "attention mask"
    yield fr.table(heads, [(n, *cells) for n, cells in enumerate(whole)], tall=400)
    where: dict[str, list[str]] = {}
    for each in stack:
        for id, piece in enumerate(each.at(most)[0].vocab[:MARKED]):
            if piece in PURPOSE:
                where.setdefault(piece, []).append(f"{each.title} {id}")
    rows = [(signs(piece), PURPOSE[piece], ", ".join(found)) for piece, found in where.items()]
    yield fr.table(("mark", "purpose", "number in each tokenizer"), rows)
    typed = cut(row, most, "[MASK]")[0]
    yield _(
        "A mark is a number, not letters: if you **type** “\\[MASK\\]”, the {title} of this page reads {n} pieces,"
        " {pieces}, and no mark. A tokenizer.json may behave differently: there, the letters of an added"
        " token are read as the mark, so a text from outside can contain one. Try it with a file of your own.",
        title=row.title,
        n=len(typed),
        pieces=escape(" | ".join(typed.labels)),
    )


@fr.part("In a model", was=("tok_width",))
def model(
    stack: Rows,
    above: str,
    sample: str = TEXT,
    most: int = SIZE,
    width: int = fr.pick("Numbers in an embedding", WIDTHS, 256, slide=True),
) -> fr.Blocks:
    yield (
        "There are two costs to balance. A longer text means more steps for a recurrent network and more"
        " pairs for attention; a larger vocabulary means more rows in the embedding table."
    )
    words = max(1, len(cut(WORDS, most, sample)[0]))
    rows = []
    for row in stack:
        tokens, found = cut(row, most, sample)
        bill = {
            "tokens": len(tokens),
            "unknown": found.unknown,
            "vocabulary": found.vocabulary,
            **cost(width, len(tokens), found.vocabulary),
        }
        rows.append({"tokenizer": row.title, "times words": round(len(tokens) / words, 2), **bill})
    yield fr.Rows(rows, dict.fromkeys(bill, fr.WHOLE))
    yield fr.Note(
        "Table: numbers in the embedding table, vocabulary × embedding size; the same again where the output"
        " has a table of its own. Steps: of a recurrent network. Pairs: of one attention head, where each"
        " token attends to itself and to all before it. Unknown: what the model can never tell apart. In"
        " characters, a text is often said to be five times as long as in words: the factor is 3.3 for “The"
        " cat sat on the mat.” and 7.2 for “Natural language processing is fascinating.”"
    )


MARKS = 2  # of a window: [CLS] and [SEP]
LENGTHS = (6, 8, 12, 16, 24, 32, 64, 128, 256, 512)
LISTED, NAMED = 100, 32  # windows; tokens that are written along the axis


def half(given: fr.Others) -> int:
    body = given["window"] - MARKS
    return int(body - body // 2)


@fr.part("Windows", was=("tok_windows",))
def windows(
    stack: Rows,
    above: str,
    sample: str = TEXT,
    most: int = SIZE,
    row: str = fr.pick("Tokenizer", titles, "wordpiece", width=260),
    window: int = fr.pick("Tokens of a window", LENGTHS, 8, width=160),
    stride: int = fr.slider("Stride", 1, lambda given: given["window"], half, width=240),
    to_the_end: bool = fr.switch("Begin a window as long as text is left", True),
) -> fr.Blocks:
    yield (
        "BERT reads 512 tokens at once, two of them marks. A longer text is read in **windows**, each a"
        " **stride** behind the one before, so that what stands at the edge of one stands inside another."
    )
    of, body = chosen(stack, row), window - MARKS
    tokens = cut(of, most, sample)[0]
    found = tiles.windows(len(tokens), body, stride, to_the_end)
    if not found:
        raise ValueError("Type a text.")
    idle, read_T = tiles.find_inside(found), tiles.coverage(found, len(tokens))
    yield _(
        "**{tokens:,} tokens, {n:,} {n|window|windows}** of {body} tokens and two marks, an overlap of {overlap}. A"
        " token is read {least} to {most} times.",
        tokens=len(tokens),
        n=len(found),
        body=body,
        overlap=max(0, body - stride),
        least=read_T.min(),
        most=read_T.max(),
    )
    if any(idle):
        yield _(
            "{n:,} {n|window lies|windows lie} **inside the one before**: nothing new is read, at the cost of any"
            " other, and some tokens count once more in a mean over windows. Switch the toggle off, and"
            " reading ends where the text does.",
            n=sum(idle),
        )
    if not read_T.min():
        yield _(
            "The stride is longer than a window takes: **{n:,} tokens** are never read.",
            n=int((read_T == 0).sum()),
        )
    columns = {
        "word": [*map(str, range(1, len(found) + 1))],
        "start": [start for start, _stop in found],
        "stop": [stop - 1 for _start, stop in found],
        "value": [int(nothing) for nothing in idle],
    }
    title = "Which tokens each window reads"
    options = {
        "words": [*map(visible, tokens.labels)] if len(tokens) <= NAMED else [],
        "what": "",
        "kinds": ("reads something new", "reads nothing new"),
        "x": "token",
        "y": "window",
    }
    spans = Table.of("windows", title, columns)
    yield fr.Chart("tiles", title, "spans", (spans,), of.title, sample[:200], options=options)
    rows = []
    for n, (start, stop) in enumerate(found[:LISTED]):
        part = sample[tokens.spans[start][0] : tokens.spans[stop - 1][1]]
        new = stop - max(start, found[n - 1][1] if n else 0)
        rows.append((n + 1, start, stop - 1, new, part))
    yield fr.table(("window", "first", "last", "new", "text"), rows)
    thousand = tiles.windows(1000, 510, 256, True)
    yield fr.Note(
        _(
            "Tokens are counted from 0. Of 1,000 tokens, windows of 512 with a stride of 256 read {tiles}: the"
            " last for nothing.",
            tiles=", ".join(f"{a}–{b - 1}" for a, b in thousand),
        )
    )


PARTS = (languages, vocabularies, came_back, marks, model, windows)
