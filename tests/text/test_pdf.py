"""PDFs say what a person reads on their pages, in that order: pages made by hand, operator by operator."""

from __future__ import annotations

from itertools import product

import pytest

from engine.text.documents import Piece, pdf, read
from engine.text.documents.pdf_layout import Line
from engine.text.documents.pdf_letters import Box, Word, _as_read, _segment
from engine.text.documents.pdf_passages import passages
from tests import made_files as made
from tests.conftest import together

ONE = "1 page; lines joined to passages"
BODY = (
    "The story went on in the old town by the river, where the rain had",
    "not stopped for nine days and nobody could remember the colour of",
    "the sky above the market, and the people who lived there waited for",
)


@pytest.fixture(autouse=True)
def pdfs_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/text/test_documents.py reads some in a process of their own, as the program does."""
    monkeypatch.setattr(pdf, "_apart", lambda source, seconds: pdf.reading(source.raw))


def one(raw: bytes) -> Piece:
    [piece] = read("a.pdf", raw)
    return piece


def lines_of(*pages: list[tuple[float, float, str]]) -> list[str]:
    return one(made.placed_pdf(*pages)).text.splitlines()


def test_ligatures_are_letters() -> None:
    piece = one(made.pdf(["The \1rst o\4ce was di\4cult to \1nd, wa\5es and the \2ood."]))
    assert piece.text == "The first office was difficult to find, waffles and the flood.\n"


@together(
    ("lines", "text", "count", "kept"),
    [
        (["stock mar\u00ad", "ket fails"], "stock market fails", 1, 0),
        (["well-known and a well-", "known man"], "well-known and a well-known man", 1, 1),
        (["the cooperation of co-", "operation"], "the cooperation of cooperation", 1, 0),
        (["at peace\u2014", "a peace--", "or so"], "at peace\u2014a peace--or so", 0, 0),
        (["a well-thought-", "out book"], "a well-thought-out book", 1, 1),
        (["from 1984-", "1990 in York-", "Town"], "from 1984-1990 in York-Town", 2, 2),
        (["INTER-", "NATIONAL"], "INTERNATIONAL", 1, 0),
        (["pre-", "and post-war"], "pre- and post-war", 0, 0),
        (["a word -", "and more"], "a word - and more", 0, 0),
    ],
)
def test_broken_words_are_whole(lines: list[str], text: str, count: int, kept: int) -> None:
    piece = one(made.pdf(lines))
    assert piece.text == f"{text}\n"
    more = f", {kept} of them with the hyphen" if kept else ""
    told = f"{count} word{'s' * (count > 1)} broken at a line's end joined{more}"
    assert piece.notes == ((ONE, told) if count else (ONE,))


def test_words_are_whole_over_columns_and_pages_and_in_the_middle_of_a_line() -> None:
    left, right = (
        [(x, 700.0 - 12 * n, text) for n, text in enumerate(lines)]
        for x, lines in (
            (72.0, ("in the first column of", "this page that has two", "a word of an inter-")),
            (
                320.0,
                ("national sort is broken", "at the end of it, as on", "this page there is a mar-"),
            ),
        )
    )
    piece = one(made.placed_pdf([*left, *right], [(72, 700, "ket and its val-ues; values.")]))
    assert piece.text == (
        "in the first column of this page that has two a word of an international sort is broken at"
        " the end of it, as on this page there is a market and its values; values.\n"
    )
    assert piece.notes[1:] == (
        "2 words broken at a line's end joined",
        "1 word with a hyphen of another line break joined",
    )


def test_running_heads_go() -> None:
    pages = [
        [
            (72.0, 770.0, f"{40 + n}    THE LONG RAIN" if n % 2 else f"Chapter One    {40 + n}"),
            *(
                (72.0, 730.0 - 14 * k, f"{line}{n}" if k == 0 else line)
                for k, line in enumerate(BODY)
            ),
            (200.0, 30.0, f"8|Draft of a made-up press - page {n + 1} of 6"),
        ]
        for n in range(6)
    ]
    piece = one(made.placed_pdf(*pages))
    body = " ".join(f"{BODY[0]}{n} {BODY[1]} {BODY[2]}" for n in range(6))
    assert piece.text == f"{body}\n"
    assert piece.notes[1:] == ("12 lines of running heads, feet and page numbers left out",)
    front = [[*((72.0, 700.0 - 14 * n, line) for n, line in enumerate(BODY))] for _ in "123"]
    for n, page in zip(("iv", "v", "vi"), front, strict=True):
        page.append((300.0, 40.0, n))
    assert one(made.placed_pdf(*front)).text == " ".join([*BODY] * 3) + "\n"


def test_what_only_looks_like_a_head_stays() -> None:
    slides = [
        [(40.0, 700.0, "28|Results"), (40.0, 640.0, f"There are {n}, said nobody.")]
        for n in range(4)
    ]
    text = "".join(f"Results\nThere are {n}, said nobody.\n" for n in range(4))
    assert one(made.placed_pdf(*slides)).text == text
    same = [[(72.0, 700.0 - 12 * n, line) for n, line in enumerate(BODY)]] * 3
    assert one(made.placed_pdf(*same)).text == " ".join(BODY * 3) + "\n"


LEFT = ("Left column begins here and", "goes on for three short lines", "before it ends.")
RIGHT = ("Right column begins here and", "also goes on for three lines", "before it ends.")


@together("by_rows,turned", product((False, True), (False, True)))
def test_column_after_column(by_rows: bool, turned: bool) -> None:
    def column(x: float, y: float, lines: tuple[str, ...]) -> list[tuple[float, float, str]]:
        return [(x, y - 12 * n, line) for n, line in enumerate(lines)]

    title, below = (
        "A title over both",
        "This line goes from one side to the other, and then it ends.",
    )
    page = [(72.0, 580.0, f"18|{title}")]
    for y in (520.0, 400.0):
        some = column(72, y, LEFT) + column(320, y, RIGHT)
        page += sorted(some, key=lambda one: -one[1]) if by_rows else some
        page += [(72.0, y - 60, below)]
    raw = made.placed_pdf(page)
    if turned:  # drawn upwards, on a page that is shown turned
        drawn = " ".join(made.placed(*one) for one in page)
        raw = made.drawn_pdf(f"q 0 1 -1 0 600 0 cm {drawn} Q", more="/Rotate 90")
    half = [" ".join(LEFT), " ".join(RIGHT), below]
    assert one(raw).text.splitlines() == [title, *half, *half]


def test_the_signs_of_a_list_are_no_column_and_a_list_of_contents_is_rows() -> None:
    rows = (
        "a list of things that was drawn after its signs",
        "as some programs do",
        "and more of it",
    )
    signs = [(72.0, 700.0 - 12 * n, "14|\u2022") for n in range(3)]
    texts = [(90.0, 700.0 - 12 * n, row) for n, row in enumerate(rows)]
    assert lines_of([*signs, *texts]) == [f"\u2022 {row}" for row in rows]
    places = [f"{n} Of words and texts {'. ' * 30}{n + 7}" for n in range(1, 5)]
    contents = [(72.0, 700.0 - 12 * n, row) for n, row in enumerate(places)]
    assert lines_of(contents) == places


def test_notes_do_not_part_a_sentence() -> None:
    first = [(72.0, 700.0 - 14 * n, line) for n, line in enumerate(BODY)]
    note = [(72.0, 90.0, "8|1 A note at the"), (72.0, 80.0, "8|foot."), (460.0, 700.0, "7|margin")]
    found = lines_of([*first, *note], [(72, 700, "a better day.")])
    assert found == [f"{' '.join(BODY)} a better day.", "margin", "1 A note at the foot."]


def test_paragraphs_are_set_off_by_place_size_and_signs() -> None:
    rows = ("16|Heading", BODY[0], BODY[1], "\u2022 bread", "\u2022 milk", "A last line")
    places = (760.0, 730.0, 718.0, 706.0, 694.0, 660.0)
    page = [(72.0, y, row) for y, row in zip(places, rows, strict=True)]
    assert lines_of(page) == ["Heading", f"{BODY[0]} {BODY[1]}", *rows[3:]]


def test_what_is_drawn_in_odd_ways_is_read_as_it_looks() -> None:
    twice = "".join(
        f"BT /F1 14 Tf {72 + dx} 760 Td (Drawn three times) Tj ET " for dx in (0, 0.3, 0.5)
    )
    apart = "BT /F1 12 Tf 6 Tc 72 720 Td (SET APART) Tj 0 Tc 200 0 Td (T Y P E D   S O) Tj ET "
    unseen = "BT /F1 12 Tf 0 Tc 3 Tr 72 670 Td (Recognised) Tj 70 0 Td (in a scan.) Tj ET "
    beyond = "BT /F1 12 Tf 0 Tr 72 900 Td (above) Tj ET "
    raised = "BT /F1 12 Tf 72 620 Td (H) Tj /F1 7 Tf -3 Ts (2) Tj /F1 12 Tf 0 Ts (O, x) Tj /F1 7 Tf 5 Ts (2) Tj ET"
    stamp = "BT /F1 18 Tf 0 1 -1 0 30 300 Tm 0 Ts (A stamp on the margin) Tj ET "
    piece = one(made.drawn_pdf(twice + apart + unseen + beyond + stamp + raised))
    looks = (
        "Drawn three times|SET APART TYPED SO|Recognised in a scan.|H2O, x2|A stamp on the margin"
    )
    assert piece.text.splitlines() == looks.split("|")
    told = ("1 word of letters set apart joined", "5 letters outside the pages left out")
    assert piece.notes == (ONE, *told)


def test_letters_without_a_size_are_text_or_a_sentence() -> None:
    for odd in ("0 0 0 1 50 700 cm", "1e9 0 0 1e9 0 0 cm", "0 Tz", "-1 0 0 -1 300 700 cm"):
        shown = " ".join(f"BT /F1 {size} Tf 10 TL (odd) Tj T* (x) Tj ET" for size in (0, 12, -12))
        drawn = f"q {odd} {shown} Q {made.placed(72, 600, 'A line.')}"
        for more in ("", "/Rotate 90", "/Rotate 45", "/CropBox[0 0 600 700]"):
            assert "A line." in one(made.drawn_pdf(drawn, drawn, more=more)).text


def test_a_large_first_letter_belongs_to_its_word() -> None:
    rows = [(95.0, 712.0, "nce there was a cat who lived by"), (95.0, 700.0, "the sea.")]
    whole = "Once there was a cat who lived by the sea."
    assert lines_of([(72, 700, "30|O"), *rows]) == [whole]


def test_scripts_without_blanks_are_joined_without() -> None:
    def row(n: int, text: str) -> Line:
        return Line(text, Box(50, 250, 12.0 * n, 12.0 * n + 10), 50, 250, 1)

    for first, second, between in (
        ("人人生而自由", "一律平等。", ""),
        ("모든 인간은", "태어날", " "),
    ):
        found = passages([[row(0, first), row(1, second)]]).found
        assert found == [first + between + second]


@together("text", ["שלום לכל העולם.", "בשנת 2024 היה unrolled כאן", "مرحبا بكم"])
def test_letters_that_run_to_the_left_are_read_from_the_right(text: str) -> None:
    """However they were drawn: one by one from the left, as Chromium prints them."""
    drawn: list[Word] = []
    right = 500.0
    for word in text.split():
        wide = 6.0 * len(word)
        parts = [word] if word.isascii() else [*word]
        for n, part in enumerate(parts):
            x1 = right - 6.0 * n
            x0 = x1 - (wide if word.isascii() else 6.0)
            drawn.append(Word(part, Box(x0, x1, 100, 110), 0, False))
        right -= wide + 3.0
    drawn.sort(key=lambda word: word.box.x0)
    assert _segment(_as_read(drawn)).text == text
