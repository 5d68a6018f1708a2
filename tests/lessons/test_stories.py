"""Stories and what keeps them: against readings of the model by its own trace, edits of Surgery, and sums by hand."""

from __future__ import annotations

import random
from copy import copy
from typing import Any

import numpy as np
import pytest
import torch

from engine import frame as fr
from engine.analysis import surgery
from engine.course import planted
from engine.lessons.stories import LESSON, exam, live, memory, parts
from engine.lessons.stories.told import (
    CLOCK,
    LAMP,
    REMEMBERED,
    STORIES,
    TABLE,
    measure_bits,
    measure_memory,
    measure_together,
)
from engine.live import cache
from engine.text.corpora import remembered
from tests.conftest import shipped

TEXT = f"I grew up in France. {CLOCK} I speak fluent"
NETS = [*parts.NETS.values()]


@pytest.fixture(scope="module")
def lstm() -> Any:
    return shipped("lstm_stories")


def p_after(model: Any, text: str) -> np.ndarray:
    found: np.ndarray = model.trace(text, fields=("probability",)).field("probability").values[-1]
    return found


def test_a_line_is_a_story_with_known_words(lstm: Any) -> None:
    lines = remembered.CORPUS.text().splitlines()
    assert len(lines) == 40_000
    assert remembered.CORPUS.generate(50) == remembered.CORPUS.generate(50)
    assert not any(lstm.tokens(line).unknown for line in lines[:2_000])
    whole = set(lines)
    for between in (LAMP, CLOCK, TABLE):
        assert not any(between in line for line in whole), "it is kept back"
    assert any("the red clock hung by the door" in line for line in whole)


def test_a_cause_decides_the_answer() -> None:
    for story in remembered.STORIES.values():
        causes, answers = story.written.count("^"), story.written.count("*")
        assert answers and (causes or story.id == "bank"), story.id
        signed = remembered.written(story, random.Random(0), 2, unseen=True)
        assert remembered.plain(signed).endswith(".") and "{" not in signed and "~" not in signed
    grew = remembered.STORIES["grew"]
    fills = {"land": remembered.LANDS[1]}
    signed = remembered.written(grew, random.Random(0), 0, fills=fills)
    assert signed == "I grew up in ^Germany. I speak fluent *German."


def test_told_stories_differ_in_the_early_part_only(lstm: Any) -> None:
    assert len(STORIES) == 30
    for story in STORIES:
        assert story.text != story.other and len(story.written.split("|")) == 2
        assert story.written.endswith(story.word) and not lstm.tokens(story.text).unknown
    france = STORIES[0]
    assert (france.title, france.word) == ("France … French", " French")
    assert france.text == f"I grew up in France. {LAMP} {CLOCK} I speak fluent"


def test_bits_are_the_product_over_the_letters() -> None:
    model, text, word = shipped("lstm"), "The cat sat", " on"
    product = 1.0
    for n in range(len(word)):
        trace = model.trace(text + word[:n], fields=("probability",))
        tokens = trace.field("probability").axis("next").labels
        product *= trace.field("probability").values[-1, list(tokens).index(word[n])]
    assert measure_bits(model, text, word) == pytest.approx(-np.log2(product), abs=1e-3)


@pytest.mark.parametrize("run", ["lstm_stories", "gru_stories", "rnn_stories"])
def test_exchanged_words_are_read_as_the_model_reads_them(run: str) -> None:
    model = shipped(run)
    found = memory.find(memory.Reading(model), tuple(model.tokens(TEXT).ids.tolist()))
    words, p_V = model.tokenizer.vocab, p_after(model, TEXT)
    assert found.answer == p_V.argmax()
    assert found.bits == pytest.approx(-np.log2(p_V.max()), abs=1e-3)
    at = list(model.tokens(TEXT).labels).index("France")
    assert words[found.others_T[at]] == "Germany"
    other_V = p_after(model, TEXT.replace("France", "Germany"))
    more = np.log2(p_V.max()) - np.log2(other_V[found.answer])
    assert found.lost_T[at] == pytest.approx(more, abs=1e-2)
    assert np.isfinite(found.lost_T).sum() == 1


def kept_of(model: Any, ids: tuple[int, ...]) -> tuple[memory.Found, memory.Kept]:
    found = memory.find(memory.Reading(model), ids)
    assert found.kept is not None
    return found, found.kept


def test_forgetting_by_torchs_own_lstm(lstm: Any) -> None:
    ids = tuple(lstm.tokens(TEXT).ids.tolist())
    found, kept = kept_of(lstm, ids)
    net = lstm.net
    with torch.no_grad():
        x_BTD = net.embed(torch.tensor([ids]))
        for t in (3, 6, len(ids) - 2):
            _, (h, c) = net.layers[0].fused(x_BTD[:, : t + 1])
            for emptied, told_T in ((False, kept.one_T), (True, kept.every_T)):
                h2, c2 = (torch.zeros_like(h), torch.zeros_like(c)) if emptied else (h, c.clone())
                c2[..., kept.unit] = 0
                out, _ = net.layers[0].fused(x_BTD[:, t + 1 :], (h2, c2))
                log_V = torch.log_softmax(net.head(out[0, -1]), -1) / np.log(2)
                margin = float(log_V[found.answer] - log_V[kept.rival])
                assert told_T[t] == pytest.approx(margin, abs=1e-2)


def test_a_held_unit_is_an_edit_of_surgery(lstm: Any) -> None:
    """One that is held at each token's number in the other text; there the hidden state is made of it, too."""
    ids = tuple(lstm.tokens(TEXT).ids.tolist())
    found, kept = kept_of(lstm, ids)
    assert len(kept.units) == memory.CANDIDATES and kept.units[0][2] == max(
        u[2] for u in kept.units
    )
    twin = lstm.trace(TEXT.replace("France", "Germany"))
    np.testing.assert_allclose(kept.other_T, twin.field("cell").values[0, :, kept.unit], atol=1e-3)
    np.testing.assert_allclose(
        kept.own_T, lstm.trace(TEXT).field("cell").values[0, :, kept.unit], atol=1e-3
    )
    written = ",".join(
        f"cell:0:{kept.unit}:{t}:set:{kept.other_T[t]:.6f}" for t in range(kept.cause, len(ids))
    )
    edits, problems = surgery.read(written, surgery.operable(lstm))
    assert not problems
    p_V = surgery.operate(lstm, lstm.trace(TEXT), edits).field("probability").values[-1]
    margin = float(np.log2(p_V[found.answer]) - np.log2(p_V[kept.rival]))
    moved = kept.margin - margin
    assert kept.units[0][2] == pytest.approx(moved, abs=0.35 * abs(moved))
    assert kept.together == pytest.approx(kept.margin - kept.other, rel=0.3)


def test_a_key_goes_on_from_the_text_before(lstm: Any) -> None:
    one, other = memory.Reading(lstm), memory.Reading(lstm)
    ids = tuple(lstm.tokens(TEXT + " French. John was away. We").ids.tolist())
    for n in range(1, len(ids) + 1):
        grown = memory.find(one, ids[:n])
    whole = memory.find(other, ids)
    np.testing.assert_allclose(grown.lost_T, whole.lost_T, atol=1e-4)
    assert grown.kept is not None and whole.kept is not None
    assert grown.kept.units[0][:1] == whole.kept.units[0][:1]
    for name in ("one_T", "every_T", "own_T"):
        np.testing.assert_allclose(getattr(grown.kept, name), getattr(whole.kept, name), atol=1e-2)


def test_other_runs_are_told_so() -> None:
    for run in ("lstm", "transformer_stories", "lstm_brackets"):
        model = shipped(run)
        assert live.derive(model, model.trace("a b"), {}) == {"told": ((), 0)}


def test_the_end_of_a_long_text_is_not_read_as_a_story(lstm: Any) -> None:
    trace = copy(lstm.trace(TEXT))
    trace.offset = 5
    assert live.derive(lstm, trace, {}) == {"told": ((), 2)}


@pytest.mark.parametrize("text", ["", "a", "France", "🙂 🙂", "France " * 100])
def test_odd_texts(lstm: Any, text: str) -> None:
    trace = lstm.trace(text, fields=(*live.LIVE.also, "probability"))
    found = live.derive(lstm, trace, {})
    for axes, values in found.values():
        if axes == ("token",):
            assert len(values) == len(trace.tokens)
    assert found["told"] == ((), 1)


def test_the_exam_reads_as_the_model_does(lstm: Any) -> None:
    asked = exam.lines(2)[:12]
    share, size = exam.right(lstm, asked)
    right = []
    for line in asked:
        for at, word in line.answers:
            p_V = p_after(lstm, line.text[:at].rstrip())
            right.append(lstm.tokenizer.vocab[p_V.argmax()] == word)
            assert line.text[at:].startswith(word)
    assert share == pytest.approx(np.mean(right)) and size > 15
    assert 0.2 < exam.guess() < 0.5


def test_the_table_shows_what_was_measured(lstm: Any) -> None:
    blocks = parts.remembers.blocks()
    (table,) = (block for block in blocks if isinstance(block, fr.Rows))
    for n in (0, 7, 20):
        bits, more = measure_memory(lstm, STORIES[n])
        assert measure_together(lstm, STORIES)[n] == pytest.approx((bits, more), abs=1e-2)
        mark = "✓" if more >= 1 and bits < 1 else "✗"
        assert str(table.rows[n]["LSTM"]) == f"{mark}\u00a0{more:.1f}".replace("-", "−")
    (line,) = (block for block in blocks if isinstance(block, fr.Line))
    assert len(line.blocks) == len(parts.NETS)


def test_what_each_net_has_to_say() -> None:
    texts = [one.text for one in planted.TEXTS["remembered"]]
    for run in NETS:
        model = shipped(run)
        note = next(one.note for one in cache.runs(None) if one.id == run)
        assert planted.text(note) == "remembered"
        found = [model.tokenizer.vocab[p_after(model, text).argmax()] for text in texts]
        assert found == (["French", "were", "Canadian"] if run != "rnn_stories" else found), run


def test_how_far_they_remember() -> None:
    """LSTM and GRU beyond what they learned from; the Transformer only up to it."""
    share = {
        run: [exam.right(shipped(run), exam.lines(count))[0] for count in (1, 8, 16)]
        for run in NETS
    }
    assert min(share["lstm_stories"]) > 0.9 and min(share["gru_stories"]) > 0.9
    assert min(share["transformer_stories"][:2]) > 0.98 > 0.8 > share["transformer_stories"][2]
    assert share["rnn_stories"][0] > share["rnn_stories"][2]
    found = {
        run: sum(parts.is_right(*one) for one in measure_together(shipped(run), STORIES))
        for run in NETS
    }
    assert (
        found["lstm_stories"] == found["transformer_stories"] == 30 and found["gru_stories"] == 28
    )


@pytest.mark.slow
def test_what_models_of_novels_remember() -> None:
    for run, count in (("lstm", 2), ("transformer", 14)):
        felt = sum(measure_memory(shipped(run), one)[1] >= REMEMBERED for one in STORIES)
        assert felt == count
    assert "the LSTM remembers 2 of 30, the Transformer 14" in LESSON.differs
