"""The pages Compare and Corpus duel, without JavaScript: they answer keys, links and clicks, with
the numbers of the engine."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis import measure
from engine.analysis.compare.alignment import reading, segments, words
from engine.analysis.compare.blend import shared, write
from engine.analysis.compare.odds import odds
from engine.core import registry
from engine.core.registry import corpora
from engine.course.curriculum import lesson
from engine.models.base import train
from engine.models.ngram import Config, Ngram
from engine.runs.store import Recipe, RunStore, digest
from engine.text import collection
from engine.training.fit import fit
from pages.ui.runs.table import row as runs_row
from tests.conftest import ROOT, TEXT, only_runs, small
from tests.pages.test_every_page import HOSTILE, answered

IDS = ("lstm", "transformer", "ngram")


@pytest.fixture(scope="module", autouse=True)
def shown(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    tags = tmp_path_factory.mktemp("tagger")
    (tags / "run.json").write_text(
        '{"model": "tagger", "config": {}, "recipe": "t"}', encoding="utf-8"
    )
    yield from only_runs(tmp_path_factory, {id: run_folder(id) for id in IDS} | {"tagger": tags})


def opened(page: str, **query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params.update(query)
    at.switch_page(f"pages/{lesson(page).page}").run()
    assert not at.exception, at.exception
    return at


def settled(at: AppTest, page: str, text: str) -> None:
    at.session_state[f"live-{page}.settle"] = {"text": text, "selection": {}}
    at.run()
    assert not at.exception, at.exception


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.error))


def test_compare_answers_keys_and_measures_lines() -> None:
    at = opened("compare")
    assert at.multiselect(key="compare.runs").value == list(IDS)
    assert "tagger" not in at.multiselect(key="compare.runs").options, (
        "a tagger does not say what comes next"
    )
    header, _ = answered(at, "compare", "the cat sat")
    assert [r["id"] for r in header["readings"]] == ["m0", "m1", "m2"]
    assert [p["kind"] for p in header["layout"]["panels"]] == ["ribbon", "race", "tops"]
    store = RunStore()
    models = [store.load(store.find(id)) for id in IDS]
    for part, model in zip(header["readings"], models, strict=True):
        bits = [b for b in part["bits"] if b is not None]
        assert bits == pytest.approx(
            measure.surprisal(model.trace("the cat sat"))[1:].tolist(), abs=1e-4
        )

    settled(at, "compare", "the cat sat")
    found = segments(
        [reading(model.trace("the cat sat", fields=("probability",))) for model in models]
    )
    shown = at.dataframe[0].value
    apart = np.ptp(found.bits_SM, axis=1)
    assert shown["spread"].tolist() == pytest.approx(sorted(apart, reverse=True), rel=1e-4)
    assert "characters after the blank" in said(at)
    for text in (
        "",
        "👩‍🚀 שלום",
        HOSTILE["markup"],
        HOSTILE["half of a character"],
        HOSTILE["spaces"],
    ):
        answered(at, "compare", text)
        settled(at, "compare", text)

    at.selectbox(key="lines_of").set_value("own").run()
    at.button(key="lines_go").click().run()
    assert [e.value for e in at.error] == ["There is no line to measure\\: paste a text first."]
    text = "the cat sat on the mat\na dog ran to the sea\n\nthe old bird sang"
    at.text_area(key="lines_own").set_value(text).run()
    at.button(key="lines_go").click().run()
    assert not at.exception and not at.error
    table = next(d.value for d in at.dataframe if "perplexity per token" in d.value)
    for label, row, model in zip(IDS, table.to_dict("records"), models, strict=True):
        score = measure.score(model, text)
        assert (
            row["model"] == label
            and row["tokens"] == score.tokens
            and row["not known"] == score.oov
        )
        assert float(row["bits per character"]) == pytest.approx(score.bits_per_char, rel=5e-3)
        assert float(row["perplexity per token"].replace(",", "")) == pytest.approx(
            score.perplexity, rel=1e-2
        )
    assert said(at).count("is better than") + said(at).count("differ by") == 3
    assert "expected calibration error" in said(at)
    at.select_slider(key="lines_most").set_value(20).run()
    assert "Press Measure" in said(at), "what was measured with other settings is not shown"


def test_a_link_chooses_models_and_harms_nothing() -> None:
    at = opened("compare", runs="ngram,../../etc/passwd,lstm,ngram,lstm@7,<b>x</b>")
    assert at.multiselect(key="compare.runs").value == ["ngram", "lstm"]
    assert "Not here, so left out: \\.\\./\\.\\./etc/passwd, lstm@7, \\<b\\>x\\</b\\>" in said(at)
    at.multiselect(key="compare.runs").set_value(["ngram"]).run()
    assert "Choose at least two models" in said(at) and not at.main.get("bidi_component")


def test_a_step_of_a_training_is_chosen_behind_its_run(shown: Path) -> None:
    """The picker lists runs; a step that one kept is added from a menu, or by a link."""
    folder = RunStore().roots[-1] / "kept"
    recipe = Recipe("lstm", small(registry.models.get("lstm")), digest(TEXT), 0)
    for _ in fit(folder, recipe, TEXT, snapshots=3):
        pass
    steps = [*RunStore().find("kept").snapshots]
    try:
        at = opened("compare", runs="lstm,ngram")
        picker = at.multiselect(key="compare.runs")
        assert not [label for label in picker.options if "step" in label]
        at.selectbox(key="compare.of").set_value("kept").run()
        assert at.selectbox(key="compare.step").options == [f"{step:,}" for step in steps[:-1]]
        at.button(key="compare.add").click().run()
        assert not at.exception, at.exception
        assert at.multiselect(key="compare.runs").value == ["lstm", "ngram", f"kept@{steps[0]}"]
        linked = opened("compare", runs=f"kept,kept@{steps[1]}")
        assert linked.multiselect(key="compare.runs").value == ["kept", f"kept@{steps[1]}"]
        rows = [runs_row(run, RunStore()) for run in RunStore().all() if run.id == "kept"]
        assert rows[0]["snapshots"] == len(steps) - 1, "the finished run is no step on the way"
    finally:
        shutil.rmtree(folder)


@cache
def two() -> tuple[Any, Any]:
    """The two texts of the first view, as many characters of each."""
    texts = [corpora.get(id).text() for id in ("stories", "python_docs")]
    size = min(map(len, texts))
    a, b = (
        train(
            Ngram,
            t if len(t) <= size else t[: t.rfind("\n", 0, size) + 1],
            Config(order=6, tokenizer="chars"),
        )
        for t in texts
    )
    return a, b


def test_the_duel_counts_two_texts_and_lets_them_write() -> None:
    at = opened("duel")
    header, _ = answered(at, "duel", lesson("duel").example)
    a, b = two()
    for part, model in zip(header["readings"], (a, b), strict=True):
        bits = [x for x in part["bits"] if x is not None]
        assert bits == pytest.approx(
            measure.surprisal(model.trace(lesson("duel").example))[1:].tolist(), abs=1e-4
        )
    written = "".join(one.piece for one in write(a, b, "She ", w=0.5, steps=100, seed=3, t=0.5))
    assert at.code[0].value == "She " + written
    at.slider(key="duel_w").set_value(1.0).run()
    assert at.code[0].value != "She " + written
    assert f"have {len(shared(a.tokenizer, b.tokenizer).a_N)} characters in common" in said(at)
    for text in ("", "👩‍🚀", HOSTILE["markup"]):
        answered(at, "duel", text)
    at.text_input(key="duel_prompt").set_value("").run()
    assert not at.exception and len(at.code[0].value) > 20

    at.segmented_control(key="duel_cut").set_value("words").run()
    assert not at.exception and "runs of up to 3 words" in said(at)
    at.selectbox(key="side_b").set_value("counted.stories").run()
    assert "Both sides are the same model: every number is 0" in said(at)


def test_a_duel_of_trained_models_says_what_it_is() -> None:
    at = opened("duel", side_a="lstm", side_b="transformer")
    assert "differ in more than their corpus" in said(at) and "can't write together" in said(at)
    # both have read the same text: a second one is worth a training
    assert any(link.proto.label.startswith("Train the same model") for link in at.get("page_link"))
    at.selectbox(key="side_b").set_value("lstm").run()
    assert "every number is 0" in said(at) and not at.exception


def test_a_damaged_corpus_is_a_sentence(tmp_path: Path) -> None:
    stored = collection.Library().add("the ship came home\n" * 40, "A ship", source=("ship.txt",))
    (stored.folder / "text.txt").write_text("gone", encoding="utf-8")
    at = opened("duel", side_a=f"counted.{stored.id}")
    assert "is damaged" in said(at) and not at.exception
    collection.Library().delete(stored.id)


def test_what_the_examples_say_is_true() -> None:
    """Of the duel: signs of words, in the two texts that are counted."""
    a, b = two()

    def of(text: str) -> dict[str, float]:
        found = segments(
            [reading(model.trace(text, fields=("probability",))) for model in (a, b)], words(text)
        )
        return dict(zip(found.labels(text), odds(found).tolist(), strict=True))

    kept, key, secret = (of(t.text) for t in lesson("duel").tries)
    assert all(v > 0 for word, v in kept.items() if word != " key.") and abs(kept[" key."]) < 3
    assert all(v < 0 for v in key.values())
    assert secret[" keyword,"] < -5 < 0 < secret[" secret"] and secret[" opened."] > 0
    example = of(lesson("duel").example)
    assert (
        example[" silver"] > 10
        and example[" function"] < -10
        and not math.isnan(sum(example.values()))
    )
