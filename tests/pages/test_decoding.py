"""The live part of Decoding: one row of logits a key, futures, beams and texts when asked, a little with
each message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis import decode
from engine.analysis.decode import Rules
from engine.analysis.decode.beam import best
from engine.lessons.decoding import live, written
from engine.lessons.decoding import rules as decoding_rules
from engine.lessons.decoding import work as decoding_work
from engine.runs import store
from tests.conftest import ROOT, only_runs, sampled
from tests.pages.test_every_page import answered

TEXT = "the cat sat on the"
KINDS = ("transformer", "lstm", "ngram")


@pytest.fixture(scope="module", autouse=True)
def small_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    for id in KINDS:
        run_folder(id)
    yield from only_runs(tmp_path_factory, {id: run_folder(id) for id in KINDS})


def page(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params.update(query)
    at.switch_page("pages/525_decoding.py")
    return at.run()


def finished(at: AppTest, kind: str, text: str = TEXT, **wish: Any) -> dict[str, Any]:
    """Ask until it is done, as the browser does."""
    for _ in range(200):
        said: dict[str, Any] = answered(at, "decoding", text, **{kind: {"of": 5, **wish}})[0][
            "readings"
        ][0]["said"][kind]
        if said["done"]:
            assert said["of"] == 5 and (said["made"] == said["of_all"] or kind == "beams")
            return said
    raise AssertionError("it never ends")


def field(part: dict[str, Any], numbers: np.ndarray, name: str) -> np.ndarray:
    about = next(f for f in part["fields"] if f["name"] == name)
    return numbers[about["at"] : about["at"] + about["count"]]


@pytest.mark.parametrize("id", KINDS)
def test_a_key_brings_the_logits_of_the_whole_vocabulary(id: str, trained: Any) -> None:
    at, model = page(run=id), trained(id)
    header, numbers = answered(at, "decoding", TEXT)
    (part,) = header["readings"]
    vocab = header["layout"]["readers"][0]["labels"]["next"]
    assert tuple(vocab) == model.tokenizer.vocab
    ids = model.tokens(TEXT).ids
    assert field(part, numbers, "id").tolist() == ids.tolist()
    shown = decode.choose(field(part, numbers, "logits"), Rules()).p_V
    np.testing.assert_allclose(shown, decode.expects(model, model.tokens(TEXT)), atol=2e-6)
    header, numbers = answered(at, "decoding", TEXT, after=2)  # a token of the text is clicked
    (part,) = header["readings"]
    assert part["said"]["after"] == 2
    shown = decode.choose(field(part, numbers, "logits"), Rules()).p_V
    np.testing.assert_allclose(shown, model.trace(TEXT).field("probability").values[2], atol=2e-6)


@sampled("id", KINDS)
def test_what_is_written_is_what_the_engine_writes(id: str, trained: Any) -> None:
    at, model = page(run=id), trained(id)
    vocab, place = model.tokenizer.vocab, decode.read(model, model.tokens(TEXT))
    rules = Rules(0.8, top_k=20, repetition_penalty=1.3)
    said = finished(at, "futures", count=6, steps=5, seed=3, rules="t0.8_k20_r1.3")
    nodes = decode.tree(list(decode.futures(place, rules, 6, 5, 3)))
    assert [n[:2] for n in said["nodes"]] == [[n.parent, vocab[n.id]] for n in nodes]
    np.testing.assert_allclose([n[2] for n in said["nodes"]], [n.chance for n in nodes], rtol=1e-5)
    said = finished(at, "beams", width=2, steps=4)
    steps = list(decode.beams(place, 2, 4, written.ends(model), most=2))
    assert [[h[1] for h in row] for row in said["rows"]] == [
        [vocab[h.ids[-1]] for h in step.seen] for step in steps
    ]
    found = best(steps, 0.0)
    np.testing.assert_allclose([h[1] for h in said["found"]], [h.total for h in found], rtol=1e-5)
    for (*_, path), h in zip(said["found"], found, strict=True):
        assert [said["rows"][n][i][1] for n, i in enumerate(path)] == [vocab[i] for i in h.ids]
    said = finished(at, "texts", seed=2, rules="p0.9")
    drawn = list(decode.sample(model, TEXT, steps=written.TEXT, seed=2, top_p=0.9))
    assert "".join(p for p, _ in said["drawn"]["pieces"]) == "".join(drawn)
    again = [a for _, a in said["greedy"]["pieces"]]
    assert len(again) == written.TEXT and (said["greedy"]["share"] > 0) == any(again)


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"count": 10**9, "steps": -4, "seed": "x"},
        {"rules": "tnan_k-3_pinf_q9_"},
        {"rules": ["t"]},
        {"of": [1]},
        {"rules": "t0_k1_p0_y0_m9_r0"},
    ],
    ids=repr,
)
def test_what_an_odd_browser_asks_for_is_brought_within_limits(wish: dict[str, Any]) -> None:
    at = page()
    for kind in written.KINDS:
        said = answered(at, "decoding", "a", **{kind: wish})[0]["readings"][0]["said"][kind]
        assert said["problem"] == "" and said["made"] <= said["of_all"]
    assert (
        "futures"
        not in answered(at, "decoding", "a", futures="now", after="x")[0]["readings"][0]["said"]
    )


def test_rules_are_read_as_the_browser_writes_them() -> None:
    assert decoding_rules.read("off") == decoding_rules.read(None) == Rules()
    assert decoding_rules.read("t0.7_k40_p0.9_m0.05_y0.95_r1.1") == Rules(
        0.7, 40, 0.9, 0.05, 0.95, 1.1
    )
    assert decoding_rules.read("t9_p-1_r99") == Rules(2.0, top_p=0.01, repetition_penalty=2.0)


def test_work_is_done_in_parts_and_ends_with_a_problem() -> None:
    def steps() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("nothing can follow here")

    work = decoding_work.Work(steps())
    assert work.go(0.0).made == [] and not work.done, "no time, no work"
    assert work.go(9.0).made == [1, 2] and work.done and work.problem == "nothing can follow here"


def test_the_pictures_can_be_saved(trained: Any, run_folder: Callable[[str], Path]) -> None:
    run = store.RunStore().find(str(run_folder("transformer")))
    model = trained("transformer")
    stage = live.stage(run)
    traces, _ = stage.traces(TEXT, None)
    look = {**stage.selection, "count": 4, "steps": 4, "beams": 2, "long": 3, "token": 4}
    frames = {p.id: p.figure(traces, look).frame() for p in stage.panels if p.figure}
    assert set(frames) == {"sieve", "tail", "futures", "beam"}
    tree = frames["futures"]
    assert tree.loc[tree["parent"] == -1, "count"].sum() == 4
    steps = decode.beams(
        decode.read(model, model.tokens(TEXT)[:5]), 2, 3, written.ends(model), most=2
    )
    assert len(frames["beam"]) == sum(len(step.seen) for step in steps)
    assert frames["tail"]["value"].sum() == pytest.approx(1)
