"""The shipped translator of real sentences: as good as is said of it, better than a memory of
translations, and what it has no piece for."""

from __future__ import annotations

import pytest

from engine.analysis.measures import bleu
from engine.course import planted
from engine.lessons.translation import live as panels
from engine.lessons.translation.parts import find_unseen
from engine.models.seq2seq import Seq2seq
from engine.runs.store import SHIPPED, RunStore
from engine.shipped import scoreboard
from tests.conftest import shipped

# BLEU of the other side of the most similar sentence that each learned from
MEMORY = {"translator_spanish": 3.48, "translator_english": 6.91}
RUN = "translator_spanish"


@pytest.fixture(scope="module")
def model() -> Seq2seq:
    found = RunStore(SHIPPED).load(RunStore(SHIPPED).find(RUN))
    assert isinstance(found, Seq2seq)
    return found


@pytest.mark.parametrize("id", MEMORY)
def test_bleu_is_what_was_measured(id: str) -> None:
    run = RunStore(SHIPPED).find(id)
    pairs, model = find_unseen(run), shipped(id)
    assert isinstance(model, Seq2seq)
    made = model.translations([source for source, _ in pairs])
    found = bleu.measure(made, [target for _, target in pairs])
    results = scoreboard.read(SHIPPED)[id]["results"]
    (told,) = (result["found"] for result in results if result["on"] == "four unseen books")
    assert told["pairs"] == len(pairs) == 84
    assert found.score == pytest.approx(told["bleu"], abs=0.3) and found.score > MEMORY[id]


def test_signs_that_no_piece_has(model: Seq2seq) -> None:
    """Nothing is unknown to bytes; so it is told which letters and signs no piece has."""
    (letters,) = panels.unknown(model).values()
    assert model.tokens("Zürich 42 €\nA").unknown == ()
    assert set("abcdefghijlmnopqrstuvyzABDEHIJLMPSTYáéíñóú") <= set(letters)
    assert not set("42€☕日") & set(letters)


def test_it_is_called_by_its_languages() -> None:
    store = RunStore(SHIPPED)
    assert panels.sides(store.find(RUN)) == ("English", "Spanish")
    assert panels.sides(store.find("translator")) == ("English", "French")
    assert panels.sides(store.find("translator_english")) == ("Spanish", "English")


def test_what_is_said_of_the_examples_of_the_way_back() -> None:
    model = shipped("translator_english")
    assert isinstance(model, Seq2seq)
    whole, done, train = model.translations([tried.text for tried in planted.BACK_AGAIN])
    assert whole == "Don't be afraid, for I am with you." and whole in planted.BACK_AGAIN[0].look
    assert "children of Israel did" in done and "evil" not in done
    assert not {"train", "late", "took", "taxi"} & set(train.casefold().split())


def test_words_of_each_side_are_offered_to_their_side() -> None:
    run = RunStore(SHIPPED).find("translator")
    told = panels.unknown(RunStore(SHIPPED).load(run), run)  # type: ignore[arg-type]
    english, french = map(set, told["sides"])
    assert {"mouse", "ate", "Queens"} <= english and {"souris", "mangé", "arbre"} <= french
    assert "arbre" not in english and english | french == set(told["known"])
