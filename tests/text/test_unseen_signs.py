"""Signs that cannot be seen make two words of one: they go where they are no letter's business."""

from __future__ import annotations

import unicodedata

from engine.text.documents import read
from engine.text.read import whole_words
from tests import made_files as made
from tests.conftest import together

TOLD = " that cannot be seen taken out (soft hyphens, zero-width spaces, marks of direction)"


@together(
    ("text", "right", "count"),
    [
        ("Eisen\u00adbahn\u00adgesell\u00adschaft", "Eisenbahngesellschaft", 3),
        ("zero\u200bwidth keep\ufefftogether no\u2060break", "zerowidth keeptogether nobreak", 3),
        ("Auf\u200clage \u200c\u00a0\u200c x\u200dy", "Auflage \u00a0 xy", 4),
        ("\u202eevil\u202c \u200eשלום\u200f \u2067אב\u2069", "evil שלום אב", 6),
        ("می\u200cخواهم", "می\u200cخواهم", 0),
        ("क्\u200dष న్\u200c", "क्\u200dष న్\u200c", 0),
        ("👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", 0),
        ("ភាសា\u200bខ្មែរ ไทย\u200bไทย", "ភាសា\u200bខ្មែរ ไทย\u200bไทย", 0),
        ("ไทย\u200b\u200bไทย a\u200b\u200bb", "ไทย\u200b\u200bไทย ab", 2),
    ],
)
def test_words_become_whole(text: str, right: str, count: int) -> None:
    assert whole_words(text) == (right, count)
    [piece] = read("a.txt", f"{text}\n".encode())
    assert piece.text == f"{right}\n"
    assert piece.notes == ((f"{count} signs{TOLD}",) if count else ())
    for name, raw in (("a.html", made.html([text])), ("a.docx", made.docx([text]))):
        [piece] = read(name, raw)
        assert piece.text == f"{' '.join(right.split())}\n"
        assert any(note.endswith(TOLD) for note in piece.notes) == bool(count)
    rows = ({"text": text}, {"text": "other"})
    for name, raw in (
        ("a.csv", f"text\n{text}\nother\n".encode()),
        ("a.jsonl", made.jsonl(rows)),
        ("a.parquet", made.parquet({"text": [row["text"] for row in rows]})),
    ):
        assert read(name, raw)[0].text == f"{' '.join(right.split())}\nother\n"


def test_no_sign_with_a_width_goes() -> None:
    """All of Unicode: what goes is a format character (category Cf)."""
    every = "".join(map(chr, (*range(0x110000),))).encode("utf-8", "ignore").decode()
    gone = set(every) - set(whole_words("x".join(every))[0])
    assert gone and {unicodedata.category(sign) for sign in gone} == {"Cf"}
    assert {"\u00ad", "\u200b", "\u200c", "\u200d", "\u200f", "\ufeff"} <= gone


def test_in_a_long_text_nothing_is_cut_at_the_wrong_place() -> None:
    for text in ("a\u200bb " * 1_000_000, "a\u200bb" * 1_200_000):
        assert whole_words(text) == (text.replace("\u200b", ""), text.count("\u200b"))
