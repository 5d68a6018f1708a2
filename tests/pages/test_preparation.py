"""The preparation page without JavaScript: what a reply holds, hostile texts, the parts below."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from engine.course.curriculum import LESSONS, lesson
from engine.lessons.preparation import live, parts
from engine.live.request import Request
from engine.text.preparation import lancaster, lemma, porter, snowball
from engine.text.preparation.pipeline import STRAIGHT, Pipeline
from tests.conftest import ROOT, sampled, together
from tests.lessons.blocks import said, tables
from tests.pages.opening import opened
from tests.pages.test_every_page import HOSTILE, answered

HERE = lesson("preparation")


def test_it_stands_first_and_opens() -> None:
    assert [item.id for item in LESSONS[:2]] == ["map", "preparation"]
    at = opened("preparation")
    live.stage()  # what the browser's first answer opens
    header, _ = answered(at, "preparation", HERE.example, steps=STRAIGHT)
    (part,) = header["readings"]
    assert part["labels"] == "dr smith did not pay <MONEY> for <NUM> apples i am not happy".split()
    numbers, kinds = numbered(HERE.example, STRAIGHT)
    assert numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 4, 12] and kinds == 12
    assert [row["id"] for row in header["layout"]["panels"]] == ["preparation", "ids"]
    text = HOSTILE["half of a character"]
    for steps in ("", "<script>", "case.lower.off", 7, None, "x" * 5000):
        assert answered(at, "preparation", text, steps=steps, strip=[0, 5])[0]["text"] == text


def test_a_message_sent_again_while_it_opens_is_told_what_the_address_asks() -> None:
    """A browser that waits longer for the first answer asks again, as one that has no pictures yet."""
    live.stage()
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["steps"] = "case.lower"
    at.switch_page(f"pages/{HERE.page}")
    header, _ = answered(at, "preparation", HERE.example, have="opening")
    assert header["initial"]["selection"]["steps"] == "case.lower"
    (part,) = header["readings"]
    assert part["said"]["steps"] == "case.lower" and header["layout"]["panels"]


def numbered(text: str, steps: str) -> tuple[list[int], int]:
    """The numbers of the tokens, and how many there are."""
    request = Request.read({"text": text, "steps": steps}, len(text))
    (reading,), _shown = live.stage().answer(request)
    (together,) = reading.together
    numbers = together.values[list(together.names).index("number")]
    return numbers.astype(int).tolist(), reading.part["said"]["numbers"]["kinds"]


def joined(pieces: list[list[Any]], before: bool = False) -> str:
    return "".join(was if before and was is not None else now for now, was, *_ in pieces)


@sampled(
    "written",
    [STRAIGHT, "none", *(item.link.removeprefix("steps=") for item in HERE.tries)],
    each=3,
)
def test_the_rows_hang_together(written: str) -> None:
    """Each row begins with the text that the row above ended with, and its pieces say whose token they are."""
    for text in (HERE.example, *(item.text for item in HERE.tries)):
        told = live.pack_text(text, Pipeline.read(written))
        now = joined(told["said"]["typed"])
        assert now == text
        for row in told["said"]["rows"]:
            if row["parts"]:
                assert joined(row["parts"], before=True) == now
                now = joined(row["parts"])
        assert now.split() == told["labels"]
        if written == "none":
            pieces = {t: piece for piece, _, _, t in told["said"]["typed"] if t >= 0}
            assert list(pieces.values()) == told["labels"]


@together("item", HERE.tries)
def test_the_examples_show_what_they_say(item: Any) -> None:
    told = live.pack_text(item.text, Pipeline.read(item.link.removeprefix("steps=")))
    tokens, warned = " ".join(told["labels"]), any(row["warned"] for row in told["said"]["rows"])
    rows = tables(parts.stems.blocks(above=item.text))[0]
    stems = {row["word"]: [*row.values()][1:] for row in rows}
    match HERE.tries.index(item):
        case 0:
            assert "im" in told["labels"] and "am" not in told["labels"] and warned
        case 1:
            assert "$<NUM>" in tokens and "<MONEY>" not in tokens and warned
        case 2:
            assert tokens == "movie good . movie good ."
        case _:
            assert stems["studies"][0] == "studi"
            assert stems["caring"][0] == "care"
            assert stems["caring"][2] == "car"


@sampled("text", [*HOSTILE.values(), "word " * 20_000], ids=[*HOSTILE, "100,000 characters"])
def test_any_text_gets_an_answer(text: str) -> None:
    names = "sentences.rules-symbols.name-tokens.penn", STRAIGHT, "stopwords-porter-snowball"
    for chain in (STRAIGHT, "-".join((*names, "lancaster-lemma"))):
        request = Request.read({"text": text, "steps": chain}, len(text))
        (reading,), (first, stop) = live.stage().answer(request)
        header = reading.part
        assert 0 <= first <= stop <= len(text)
        assert len(header["labels"]) == len(header["spans"]) == len(header["bits"])
        numbers = numbered(text, chain)[0] if header["labels"] else []
        assert len(numbers) == len(header["labels"])
        assert all(first <= a <= b <= stop for a, b in header["spans"])
        json.dumps(header)


def test_words_are_cut_and_the_typed_text_measured() -> None:
    (rows,) = tables(parts.stems.blocks(above="Caring mice were running", language="german"))
    for row in rows:
        word = row["word"]
        made = porter.stem(word), snowball.stem(word, "german"), lancaster.stem(word)
        assert [*row.values()][1:5] == [*made, lemma.lemma(word, "de")]
    assert rows[0]["Porter’s rules"].startswith("care (")
    assert "too few lines" in said(parts.gain.blocks(mine="", on="own", sample="One word."))
    lines = parts.lines("own", "He left. She stayed. " * 30)
    assert len(lines) == 60 and lines[:2] == ["He left.", "She stayed."]
    assert len(parts.lines("own", "a line\n" * 5000)) == parts.MOST_LINES
    assert len(parts.compared(STRAIGHT)) == 5 and len(parts.compared("case")) == 6
