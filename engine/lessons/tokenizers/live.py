"""The live part of the Tokenizers page: one text in every tokenizer, at the vocabulary size that is
chosen."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.frame import picture as pic
from engine.lessons.tokenizers.rows import MOST, SHIPPED, Row, cut, size_of
from engine.live import declared
from engine.live.reader import describe_unread
from engine.live.reply import Reading, Sent, unread
from engine.live.request import Request
from engine.live.stage import Stage
from engine.live.window import Window
from engine.text.tokenizer_comparison import shipped
from engine.text.tokenizer_comparison.reader import part

ID = FieldSpec("id", Kind.COUNT, ("token",), "The number of each token in the vocabulary.")
PIECES = pic.Picture(
    "pieces",
    pic.Drawn("pieces", lambda _model: {"every": True, "sizes": shipped.SIZES}),
    "The same text, cut in every way",
    says="Each row is a tokenizer, with its number of tokens; each box is a token. Point at a box, or click it: the"
    " tokens of the same characters light up.",
)
COUNTED = pic.Picture(
    "counted",
    pic.Columns(
        pic.Rows("reader"),
        (
            pic.Column("tokens", "pieces", largest=True, wide=2),
            pic.Column("characters each", "characters_per_token", colour="line-1", largest=True),
            pic.Column("bits per character", "bits_per_character", colour="line-2", largest=True),
            pic.Words("unknown", "{unknown:n}", wide=0.6),
            pic.Words("vocabulary", "{vocabulary:n}", wide=0.7),
            pic.Words("comes back", "[{?same}yes][{?!same}no]", wide=0.6),
        ),
    ),
    "Counted",
    says="Fewer tokens mean less work for a model; a larger vocabulary means a larger table. Bits per character: the"
    " length of the text in a code built only from token frequencies, missing where a piece is unknown or nothing was"
    " counted. Comes back: decoding the numbers gives exactly the text.",
    tell=(
        "{reader}: {pieces:n} {pieces|token|tokens} for {characters:n} {characters|character|characters}, {per_word}"
        " for each word, {bytes_per_token} bytes each.",
        "Type a word.",
    ),
    table=pic.table(
        "reader",
        "tokenizer: {reader} | tokens: {pieces:n} | per word: {per_word} | characters each: {characters_per_token}"
        " | bytes each: {bytes_per_token} | unknown: {unknown:n} | bits per character: {bits_per_character}"
        " | vocabulary: {vocabulary:n} | comes back: [{?same}yes][{?!same}no]",
    ),
)
PICTURES = pic.Live((), (PIECES, COUNTED), places={"reader": pic.Place("by")}, most=MOST)


@dataclass(frozen=True, slots=True)
class Stack:
    """Every reply is of all that is shown: a key can change how the word before it is cut."""

    rows: tuple[Row, ...] = SHIPPED

    def unread(self, text: str, characters: Window, request: Request) -> list[Reading]:
        size = size_of(request.link, request.asks)
        readings = []
        for row in self.rows:
            tokens, found = cut(row, size, text[slice(*characters)])
            tokens = tokens.moved(characters[0])
            ids = Field(ID, tokens.ids, (Axis("token", tokens.labels),))
            said = {"numbers": {**found.told(), "pieces": len(tokens)}}
            about = unread(row.id, tokens.labels, tokens.spans, said, tokens.unknown, tokens.lost)
            readings.append(Reading(about, (Sent(ids),)))
        return readings


def bounds(text: str, characters: Window) -> Window:
    """A part begins and ends at blanks."""
    return part(text, *characters)


def stage(*, stack: tuple[Row, ...]) -> Stage:
    told = declared.pack_once(PICTURES, pic.Once({}))
    readers = (
        describe_unread(row.id, row.title, "tokens", **told, colour=n % 8, short=row.short)
        for n, row in enumerate(stack)
    )
    return Stage(
        (),
        # pointed at are words, drawn are all readers
        tuple(declared.panel(picture, "whitespace", None) for picture in PICTURES.pictures),
        most=MOST,
        selection={"size": shipped.FIRST},
        unread=Stack(stack).unread,
        bounds=bounds,
        drawn=lambda text, characters: {},
        described=tuple(readers),
    )


LIVE = stage
