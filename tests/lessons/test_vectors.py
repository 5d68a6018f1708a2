"""Word vectors: what the lesson says is what the vectors say, and it survives what people type and bring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.registry import models
from engine.frame.blocks import Block, Download, Link, Note, Problem, blocks_in
from engine.lessons.vectors import parts, tuned
from engine.lessons.vectors.live import derive
from engine.lessons.vectors.typed import words_of
from engine.models.wordspace import WordSpace
from engine.runs.store import RunStore
from pages.ui import readers
from tests.lessons.blocks import charts, said, tables

RUN = RunStore().find("skipgram")
MODEL = RunStore().load(RUN)


def test_it_answers_analogies_in_two_ways() -> None:
    def answered(**words: str) -> str:
        return said(parts.analogies.blocks(run=RUN, model=MODEL, **words))

    assert "king − man + woman ≈ **queen**" in answered()
    assert "the nearest word is **king**" in answered()
    assert "no vector for" in answered(an_a="big", an_b="bigger", an_c="</b>|*_")
    assert "each of the three boxes" in answered(an_c="")


def test_words_between_two_poles() -> None:
    def placed(**words: str) -> list[Block]:
        return parts.axes.blocks(lesson=None, mine="king queen", run=RUN, model=MODEL, **words)

    (chart,) = charts(placed()).values()
    columns = chart.columns
    assert list(columns["word"]) == ["man", "woman", "bad", "good", "king", "queen"]
    assert list(columns["x"][:2]) == pytest.approx([-1, 1], abs=1e-6)
    assert columns["x"][4] < columns["x"][5]
    assert "two different words" in said(placed(ax_left="woman"))
    assert "No vector for “qqqq”" in said(placed(ax_left="qqqq"))
    assert isinstance(placed(words="")[-1], Problem)


def test_it_compares_relations_and_shows_the_kept_tests() -> None:
    unit, row, found = MODEL.space.unit, MODEL.space.row, parts.measured(MODEL)
    cosine = pytest.approx(unit[row("north")] @ unit[row("south")])
    assert found["opposites"][-1] == ("north, south", cosine)
    assert all(pairs == sorted(pairs, key=lambda p: p[1]) for pairs in found.values())
    kept = json.loads((RUN.folder / "evaluation.json").read_text())["analogies"]
    words = said(parts.good.blocks(run=RUN))
    assert f"**Analogies: {100 * kept['right'] / kept['known']:.1f} %**" in words
    assert kept["right"] > 3 * kept["honest"]


def test_typed_words_are_compared_once_each() -> None:
    trace = MODEL.trace("king Queen king applw banana", fields=("vector", "cosine"))
    at, unit_ND = words_of(trace)
    assert [trace.tokens[t] for t in at] == ["king", "Queen", "banana"]
    np.testing.assert_allclose(np.linalg.norm(unit_ND, axis=1), 1, atol=1e-5)
    found = {name: np.asarray(of) for name, (_, of) in derive(MODEL, trace, {}).items()}
    cosine = trace.field("cosine").values[np.ix_(at, at)]
    np.testing.assert_allclose(found["cosine"], cosine, atol=1e-5)
    mean_D = unit_ND.mean(0)
    fits = unit_ND @ mean_D / np.linalg.norm(mean_D)
    np.testing.assert_allclose(found["fit"], np.sort(fits), atol=1e-5)
    assert trace.tokens[int(found["oddest"])] == "banana"
    assert found["odd.first"][0] == found["oddest"]
    assert found["row"][at].tolist() == [0, 1, 2] and found["best"][0] == 1
    unknown = trace.tokens.index("applw")
    assert np.isnan(found["row"][unknown]) and found["seen"][unknown] == unknown - 1
    assert found["some"] == 3 and np.isnan(
        derive(MODEL, MODEL.trace("king", fields=("vector",)), {})["some"][1]
    )
    for text in ("", "king", "king queen", " ".join(MODEL.space.words[:60])):
        trace = MODEL.trace(text, fields=("vector",))
        for name, (axes, values) in derive(MODEL, trace, {}).items():
            assert np.ndim(values) == len(axes), name


def test_words_without_a_vector_get_their_spelling(trained: Any) -> None:
    assert parts.spelled_alike(MODEL.space.words, "x" * 10_000) == []
    (table,) = tables(parts.unknown.blocks(model=MODEL, words="applw"))
    assert table[0]["one slip away in spelling"] == "apple, apply"
    model = trained("fasttext")
    (table,) = tables(parts.unknown.blocks(model=model, words="the catt zzqx"))
    word, cosine = model.space.nearest(model.compose("catt"), 1)[0]
    assert f"{word} ({cosine:.2f})" in str(table[0])
    assert "builds one for any other" in said(parts.unknown.blocks(model=model))


def test_files_are_brought_and_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    file = "made.txt", b"rain 1 2\nsun 4 5\nrain 7 8\n"
    blocks = parts.files.blocks(run=RUN, model=MODEL, file=file, read=True)
    link = next(block for block in blocks if isinstance(block, Link))
    run = RunStore().find(str(next((tmp_path / "runs").iterdir())))
    assert run.id == link.query["run"] and RunStore().load(run).space.words == ("rain", "sun")
    blocks = parts.files.blocks(run=run, model=RunStore().load(run))
    assert "words that stand there twice" in said([b for b in blocks if isinstance(b, Note)])
    save = next(block for block in blocks_in(blocks) if isinstance(block, Download))
    assert save.make().split()[:4] == [b"2", b"2", b"rain", b"1"]
    bad = parts.files.blocks(run=run, model=MODEL, file=("bad.txt", b"\0"), read=True)[-1]
    assert isinstance(bad, Problem) and "no file of word vectors" in bad.words


def test_every_table_of_word_vectors_is_offered() -> None:
    spaces = {id for id in models.ids() if issubclass(models.get(id), WordSpace)}
    assert set(readers.word_spaces()) == spaces | {"vectors"}


def test_only_words_of_the_texts_drift() -> None:
    space = RunStore().load(RunStore().find("glove")).space
    of = tuned.texts(space)
    frozen, made = (tuned.train(space, of, way, 40) for way in ("frozen", "tuned"))
    np.testing.assert_array_equal(frozen.after_VD, space.values[frozen.rows])
    learn, test = tuned.split(len(of.rows), 40, 0)
    assert not {*learn} & {*test} and len(test) == tuned.TEST
    assert {*made.rows.tolist()} == {row for n in learn for row in of.rows[n]}
    far = np.linalg.norm(made.after_VD - space.values[made.rows], axis=1)
    assert (far > 0).all()
    found = tuned.drift(space, made, 5)
    order = np.argsort(-far / np.linalg.norm(space.values[made.rows], axis=1))[:5]
    assert found.rows.tolist() == made.rows[order].tolist()
    assert not {*found.friends.tolist()} & {*made.rows.tolist()}
    for row, friend, before, after in zip(
        found.rows, found.friends, found.before, found.after, strict=True
    ):
        new_D = made.after_VD[made.rows.tolist().index(row)]
        assert before == pytest.approx(cosine(space.values[row], space.values[friend]), abs=1e-5)
        assert after == pytest.approx(cosine(new_D, space.values[friend]), abs=1e-5)
    stays = int(found.friends[0])
    before_K2, after_K2, share = tuned.places(space, made, [int(found.rows[0]), stays])
    assert np.abs(after_K2[0] - before_K2[0]).max() > 0
    np.testing.assert_allclose(after_K2[1], before_K2[1], atol=1e-6)
    assert 0 < share <= 1 + 1e-6


def cosine(a_D: np.ndarray, b_D: np.ndarray) -> float:
    return float(a_D @ b_D / np.linalg.norm(a_D) / np.linalg.norm(b_D))
