"""The preparation page without JavaScript: what a reply holds, hostile texts, the parts below."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import LESSONS, lesson
from engine.lessons.preparation import live, parts
from engine.live.request import Request
from engine.text.preparation import lancaster, lemma, porter, snowball
from engine.text.preparation.pipeline import STRAIGHT, Pipeline
from tests.conftest import ROOT, sampled
from tests.lessons.test_sparsity import said, tables
from tests.pages.test_every_page import HOSTILE

HERE = lesson("preparation")


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/105_preparation.py")
    for name, value in state.items():
        at.session_state[name.replace("__", ".").replace("_LIVE", "live-preparation")] = value
    return at.run()


def reply(at: AppTest) -> dict[str, Any]:
    (component,) = [c for c in at.get("bidi_component") if c.proto.bytes]
    data = component.proto.bytes
    found: dict[str, Any] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return found


def message(text: str, **more: Any) -> dict[str, Any]:
    return {
        "msg": {
            "text": text,
            "seq": 7,
            "base": None,
            "base_start": None,
            "have": None,
            "start": None,
            **more,
        }
    }


def test_it_stands_first_and_opens() -> None:
    assert [item.id for item in LESSONS[:2]] == ["map", "preparation"]
    at = opened()
    assert not at.exception and len(at.header) == 1
    live.stage()  # what the browser's first answer opens
    header = reply(opened(_LIVE=message(HERE.example, steps=STRAIGHT)))
    (part,) = header["readings"]
    assert part["labels"] == "dr smith did not pay <MONEY> for <NUM> apples i am not happy".split()
    numbers, kinds = numbered(HERE.example, STRAIGHT)
    assert numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 4, 12] and kinds == 12
    assert [row["id"] for row in header["layout"]["panels"]] == ["preparation", "ids"]


def test_a_message_sent_again_while_it_opens_is_told_what_the_address_asks() -> None:
    """A browser that waits longer for the first answer asks again, as one that has no pictures yet."""
    live.stage()
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["steps"] = "case.lower"
    at.switch_page("pages/105_preparation.py")
    at.session_state["live-preparation"] = message(HERE.example, have="opening")
    header = reply(at.run())
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
    """Each row begins with the text that the row above ended with, and its pieces say whose token
    they are."""
    for text in (HERE.example, *(item.text for item in HERE.tries)):
        told = live.told(text, Pipeline.read(written))
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


@pytest.mark.parametrize("item", HERE.tries, ids=lambda item: item.text)
def test_the_examples_show_what_they_say(item: Any) -> None:
    told = live.told(item.text, Pipeline.read(item.link.removeprefix("steps=")))
    tokens, warned = (
        " ".join(told["labels"]),
        [w for row in told["said"]["rows"] for w in row["warned"]],
    )
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
    for chain in (
        STRAIGHT,
        f"sentences.rules-symbols.name-tokens.penn-{STRAIGHT}-stopwords-porter-snowball-lancaster-lemma",
    ):
        request = Request.read({"text": text, "steps": chain}, len(text))
        (reading,), (first, stop) = live.stage().answer(request)
        header = reading.part
        assert 0 <= first <= stop <= len(text)
        assert len(header["labels"]) == len(header["spans"]) == len(header["bits"])
        numbers = numbered(text, chain)[0] if header["labels"] else []
        assert len(numbers) == len(header["labels"])
        assert all(first <= a <= b <= stop for a, b in header["spans"])
        json.dumps(header)


def test_a_reply_through_the_page_and_odd_pipelines() -> None:
    for steps in ("", "<script>", "case.lower.off", 7, None, "x" * 5000):
        at = opened(_LIVE=message(HOSTILE["half of a character"], steps=steps, strip=[0, 5]))
        assert not at.exception and reply(at)["text"] == HOSTILE["half of a character"]


SAYS = {
    "stems": "2 different words",
    "gain": "Measured on 256 lines",
    "negation": "movie good .",
    "contraction": "n't",
    "lemmas": "part",
}


def test_the_parts_below() -> None:
    for part in parts.PARTS:
        given = {"mine": "", "above": "mice ran"}
        assert SAYS[part.id] in said(part.blocks(**given)), part.id
    (rows,) = tables(parts.negation.blocks())
    assert [row["same"] for row in rows] == ["no", "yes", "no", "no", "no"]


def test_words_are_cut_as_the_stemmers_cut_them() -> None:
    (rows,) = tables(parts.stems.blocks(above="Caring mice were running", language="german"))
    for row in rows:
        word = row["word"]
        made = porter.stem(word), snowball.stem(word, "german"), lancaster.stem(word)
        assert [*row.values()][1:5] == [*made, lemma.lemma(word, "de")]
    assert rows[0]["Porter’s rules"].startswith("care (")


def test_the_typed_text_is_measured_too() -> None:
    assert "too few lines" in said(parts.gain.blocks(mine="", on="own", sample="One word."))
    lines = parts.lines("own", "He left. She stayed. " * 30)
    assert len(lines) == 60 and lines[:2] == ["He left.", "She stayed."]
    assert len(parts.lines("own", "a line\n" * 5000)) == parts.MOST_LINES
    assert len(parts.compared(STRAIGHT)) == 5 and len(parts.compared("case")) == 6
