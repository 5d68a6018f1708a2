"""The time machine: a run at a step is what a training stopped there has learned, on the page too;
maps do not turn; every run can be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.core.registry import models
from engine.course.curriculum import LESSONS
from engine.lessons.embeddings import head
from engine.runs.store import Recipe, RunStore, digest
from engine.training.fit import fit
from engine.vectors import align
from engine.vectors.base import Vectors
from pages.ui import timeline
from tests.conftest import TEXT, only_runs, small
from tests.pages.opening import opened
from tests.pages.test_every_page import answered

SAID = "the cat sat"
STEP = 5


def recipe(id: str) -> Recipe:
    return Recipe(id, small(models.get(id)), digest(TEXT), 0)


def kept(folder: Path, id: str) -> Path:
    for _ in fit(folder, recipe(id), TEXT, snapshots=5, probes=5, prompts=["The "]):
        pass
    return folder


@pytest.fixture(scope="module", autouse=True)
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The pages see two LSTMs that kept steps on their way, and one that did not."""
    place = tmp_path_factory.mktemp("runs")
    plain = place / "plain"
    for _ in fit(plain, Recipe("lstm", small(models.get("lstm")), digest(TEXT), 1), TEXT):
        pass
    folder = kept(place / "kept", "lstm")
    yield from only_runs(tmp_path_factory, {"a": folder, "b": folder, "plain": plain})


def stopped(id: str, step: int) -> Any:
    """The model of a second training with the same seed that was stopped at a step."""
    for progress in models.get(id).fit(TEXT, recipe(id).config, seed=0):
        if progress.step == step:
            return progress.now()
    raise AssertionError("it never came there")


@pytest.mark.parametrize("id", ["lstm", "transformer", "skipgram"])
def test_a_step_is_what_a_training_stopped_there_has_learned(tmp_path: Path, id: str) -> None:
    run = RunStore().find(str(kept(tmp_path, id)))
    step = [*run.snapshots][2]
    at, again = RunStore().load(run.at(step)), stopped(id, step)
    for name, values in again.weights().items():
        np.testing.assert_array_equal(at.weights()[name], values, err_msg=name)
    end = RunStore().load(run).weights()
    same = (np.array_equal(end[name], values) for name, values in again.weights().items())
    assert not all(same), "it went on learning"


def gate(at: AppTest, page: str = "lstm") -> np.ndarray:
    """The forget gates that the page sends for SAID."""
    header, numbers = answered(at, page, SAID)
    field = next(f for f in header["readings"][0]["fields"] if f["name"] == "gate.forget")
    return numbers[field["at"] : field["at"] + field["count"]].reshape(field["shape"])


def truth(model: Any) -> np.ndarray:
    return np.asarray(model.trace(SAID, fields=("gate.forget",)).field("gate.forget").values)


def test_the_page_shows_the_numbers_of_the_step() -> None:
    at = opened("lstm", run=f"b@{STEP}")
    assert at.selectbox(key="lstm.run").value == "b"
    np.testing.assert_array_equal(gate(at), truth(stopped("lstm", STEP)))
    # as the browser sends it
    at.session_state["lstm.time"] = {"at": {"run": "b", "step": 13, "seq": 1}}
    np.testing.assert_array_equal(gate(at), truth(stopped("lstm", 13)))
    store = RunStore()
    at.session_state["lstm.time"] = {"at": {"run": "b", "step": None, "seq": 2}}
    np.testing.assert_array_equal(gate(at), truth(store.load(store.find("b"))))
    for odd in (999, "5", -1, [5]):
        at.session_state["lstm.time"] = {"at": {"run": "b", "step": odd, "seq": str(odd)}}
        np.testing.assert_array_equal(
            gate(at), truth(store.load(store.find("b"))), err_msg=str(odd)
        )
    at.session_state["lstm.time"] = {"at": {"run": "b", "step": 2, "seq": 3}}
    at.run()
    at.selectbox(key="lstm.run").set_value("plain").run()
    np.testing.assert_array_equal(gate(at), truth(store.load(store.find("plain"))))
    at.selectbox(key="lstm.run").set_value("b").run()
    np.testing.assert_array_equal(
        gate(at), truth(stopped("lstm", 2)), err_msg="its step is still the one that was left"
    )
    at.switch_page("pages/415_surgery.py").run()
    assert not at.exception
    at.selectbox(key="surgery.run").set_value("b").run()
    assert at.session_state["moments"]["b"] == 2, "the step goes along to the next page"


@pytest.mark.parametrize(
    "asked", ["b@999", "b@", "@5", "nobody@5", "b@5@5", "../b@5", "b@99999999999999999999"]
)
def test_an_odd_link_shows_a_finished_run(asked: str) -> None:
    assert timeline.split(asked, {"b": 0, "a": 0})[1] in (None, 999)
    if asked == "b@999":
        at = opened("lstm", run=asked)
        store = RunStore()
        np.testing.assert_array_equal(gate(at), truth(store.load(store.find("b"))))


def test_the_curve_is_thinned_without_losing_its_ends() -> None:
    steps, values = np.arange(1, 20_001), np.linspace(5, 1, 20_000)
    values[9] = np.nan
    rows = timeline.thin(steps, values)
    assert len(rows) <= timeline.COLUMNS and rows[0][:2] == [1, 5.0]
    middle = next(row for row in rows if row[0] > 100)
    assert middle[2] <= middle[1] <= middle[3], "mean between the least and the most"
    assert rows[-1][2] == 1.0, "the last value is in the last column"
    assert timeline.thin(np.array([1, 2]), np.array([np.nan, np.inf])) == []


RNG = np.random.default_rng(0)
WORDS = tuple(f"w{n}" for n in range(80))
END_VD = (RNG.normal(size=(80, 6)) * np.array([5, 3, 1, 1, 0.5, 0.2])).astype(np.float32)
# turned and mirrored
TURN_DD = np.linalg.qr(RNG.normal(size=(6, 6)))[0] @ np.diag([-1, 1, 1, 1, 1, 1])


def test_a_space_that_was_only_turned_and_mirrored_is_drawn_where_it_was() -> None:
    """As by hand: with A = B Q', the nearest turn of A onto B is Q."""
    turned_VD = (END_VD @ TURN_DD.T).astype(np.float32)
    np.testing.assert_allclose(align.find_rotation(turned_VD, END_VD), TURN_DD, atol=1e-4)
    end, step = Vectors(WORDS, END_VD), Vectors(WORDS, turned_VD)
    there, here, lost = (
        head.draw("pca", 500, one, end=onto)
        for one, onto in ((end, None), (step, end), (step, None))
    )
    np.testing.assert_allclose(here.places, there.places, atol=1e-3)
    assert np.abs(lost.places - there.places).max() > 0.1, "without the turn it is drawn elsewhere"
    # a word that is not drawn
    np.testing.assert_allclose(here.place(step.unit[here.rows]), here.places, atol=1e-3)
    mirrored = END_VD[:, :2] @ np.array([[0.0, 1.0], [1.0, 0.0]])
    back = mirrored @ head.turned(mirrored, END_VD[:, :2])
    np.testing.assert_allclose(back, END_VD[:, :2], atol=1e-3)


def test_home_shows_the_lessons_of_every_era_and_any_run_of_a_kind() -> None:
    at = opened("home")
    course = [item for item in LESSONS if item.id != "map"]
    assert {f"##### {item.era}" for item in course} <= {text.value for text in at.main.markdown}
    assert {item.question for item in course} <= {caption.value for caption in at.main.caption}
    readers = at.selectbox(key="reader_lstm")
    assert readers.options == ["a", "b", "plain"] and readers.value == "a"
    readers.set_value("plain").run()
    header, _ = answered(at, "home", SAID)
    assert [reader["run"] for reader in header["layout"]["readers"]] == ["plain"]
