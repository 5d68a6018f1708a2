"""The Transformer page and Model surgery: what they send, what they say, and that no input breaks them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.analysis import surgery
from engine.lessons.surgery import live as surgery_live
from engine.lessons.transformer import lens, stops
from engine.lessons.transformer import live as flow
from engine.live.request import Base, Request
from engine.runs import store
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered, decoded, fields

TEXT = "the cat sat on the mat"
OFF = "reading:1:0:*:scale:0"

small_runs = seeing("transformer")


def test_a_key_sends_one_token_and_its_lens() -> None:
    at = opened("transformer")
    first = answered(at, "transformer", TEXT)[0]
    have = first["layout"]["hash"]
    header, numbers = answered(at, "transformer", f"{TEXT} a", base=TEXT, base_start=0, have=have)
    (part,) = header["readings"]
    fresh = len(part["labels"])
    assert 0 < fresh < 4
    assert part["keep"] + fresh > len(first["readings"][0]["labels"])
    assert fields(part, numbers)["answer"].shape == (fresh,)


def test_a_key_takes_a_token_back() -> None:
    at = opened("transformer")
    have = answered(at, "transformer", f"{TEXT} a")[0]["layout"]["hash"]
    way = {"base": f"{TEXT} a", "base_start": 0, "have": have}
    (part,) = answered(at, "transformer", TEXT, **way)[0]["readings"]
    assert part["keep"] > 3 and not part["labels"]


@pytest.mark.parametrize("id", ["transformer", "bert"])
def test_a_slow_lens_reads_the_token_that_is_asked_for(
    id: str, trained: Any, run_folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, model = store.RunStore().find(str(run_folder(id))), trained(id)
    (quick,), _ = flow.open_stage(run, model).answer(Request(TEXT))
    wanted = {one.field.spec.name: one.field.values for one in quick.fields}
    monkeypatch.setattr(lens, "MOST_PRODUCTS", 0)
    stage = flow.open_stage(run, model)
    derived = {spec.name for spec in flow.DERIVED}
    (key,), _ = stage.answer(Request(TEXT))
    count = len(key.part["labels"])
    for base, at in ((None, 2), (Base(TEXT), 2), (Base(TEXT), count - 1), (Base(TEXT), count)):
        (asked,), _ = stage.answer(Request(TEXT, base=base, whole=at))
        for one in asked.fields:
            if (name := one.field.spec.name) not in derived:
                continue
            values = np.full_like(wanted[name], np.nan)
            values[..., at : at + 1] = wanted[name][..., at : at + 1]
            np.testing.assert_allclose(
                one.field.values, values[..., one.before :], atol=1e-5, err_msg=name
            )
    late = [one.field.values for one in key.fields if one.field.spec.name in derived]
    assert late and np.isnan(np.concatenate([values.ravel() for values in late])).all()
    waits = {panel.id for panel in stage.panels if "late" in panel.options}
    assert waits == {"lens", "pushes"} & {panel.id for panel in stage.panels}


@pytest.mark.parametrize("id", ["transformer", "bert"])
def test_stops_follow_each_other_and_are_saved(id: str, trained: Any, run_folder: Any) -> None:
    model, run = trained(id), store.RunStore().find(str(run_folder(id)))
    stage, walk = flow.open_stage(run, model), stops.stops(model)
    traces, _ = stage.traces(TEXT, None)
    values = stops.vectors(model, traces["transformer"], 3, walk)
    assert len(values) == len(walk) - 2
    for n, stop in enumerate(walk):
        if "adds" in stop and model.net.tower.design.first:
            made = values[stop["adds"]] + values[n]
            np.testing.assert_allclose(made, values[stop["then"]], atol=1e-5)
    for panel in stage.panels:
        assert len(panel.figure(traces, {**stage.selection, "token": 2}).frame())
    (reading,), _ = stage.answer(Request(TEXT))
    sent = {one.field.spec.name: one.field.values for one in reading.fields}
    assert len(sent["answer"]) == len(reading.part["labels"])


def test_an_encoder_that_knows_no_words_shows_its_vectors(trained: Any, run_folder: Any) -> None:
    run, whole = store.RunStore().find(str(run_folder("bert"))), trained("bert")
    every = whole.weights().items()
    weights = {name: values for name, values in every if not name.startswith("guess.")}
    model = type(whole).from_weights(replace(whole.config, masked=False), weights)
    of_heads = surgery_live.of_heads, ["switches", "opened", "everywhere"]
    for make, shown in ((flow.open_stage, ["flow"]), of_heads):
        stage = make(run, model)
        assert [panel.id for panel in stage.panels] == shown
        cut = stage.readers[0][0].model.trace(TEXT, fields=stage.readers[0][0].needs)
        assert set(cut) == set(stage.readers[0][0].needs)


def test_both_runs_write_on_and_what_is_no_edit_is_left_out() -> None:
    at = opened("surgery", run="transformer")
    for text in ("", TEXT * 6):  # that is longer than the model sees
        header, _ = answered(at, "surgery", text, edits=OFF, base_edits="", write=2)
        writing = header["readings"][1]["said"]["writing"]
        assert writing["plain"] and writing["edited"]
    wrong = f"{OFF},cell:0:0:0-:set:1"
    header, numbers = answered(at, "surgery", TEXT, edits=wrong, base_edits=wrong)
    said = header["readings"][1]["said"]
    assert said["edits"] == OFF and said["problems"] and np.isfinite(numbers).all()


def test_an_edit_is_answered_and_a_link_opens_with_it(trained: Any) -> None:
    at, model = opened("surgery", run="transformer", text=TEXT, edits=OFF), trained("transformer")
    header, numbers = decoded(at)
    plain, edited = header["readings"]
    assert header["initial"]["selection"] == {"edits": OFF} and edited["said"]["edits"] == OFF
    want = model.trace(TEXT, surgery.read(OFF, surgery.operable(model))[0])
    want_LNTT = want.field("attention").values
    np.testing.assert_allclose(fields(edited, numbers)["attention"], want_LNTT, atol=1e-6)
    assert plain["bits"] != edited["bits"]
    have = answered(at, "surgery", TEXT, edits=OFF, base_edits=OFF)[0]["layout"]["hash"]
    weight = "attention:0:1:4:2:set:1"
    other = "attention:0:1:5:2:set:1"
    for before, kept in ((other, [len(plain["labels"]), 4]), ("", [0, 0])):
        more = {"base": TEXT, "base_start": 0, "have": have}
        header, numbers = answered(at, "surgery", TEXT, edits=weight, base_edits=before, **more)
        found = [part["keep"] for part in header["readings"]]
        assert found == kept, "what comes from the edited token on; after a run that went on, all"
    both = (fields(part, numbers)["attention"][0, :, :4] for part in header["readings"])
    plain_TT, edited_TT = both
    assert plain_TT.tobytes() == edited_TT.tobytes(), "no edit reaches the tokens before"


def test_a_run_goes_on_as_long_as_nothing_is_edited(trained: Any) -> None:
    at, model = opened("surgery", run="transformer"), trained("transformer")
    have = answered(at, "surgery", TEXT, edits="", base_edits="")[0]["layout"]["hash"]
    longer = TEXT + " sea"
    more = {"base": TEXT, "base_start": 0, "have": have}
    parts = answered(at, "surgery", longer, edits="", base_edits="", **more)[0]["readings"]
    p_TV = model.trace(longer).field("probability").values
    for part in parts:
        assert part["keep"] > 0
        found = [row[0][1] for row in part["top"]]
        np.testing.assert_allclose(found, p_TV.max(-1)[part["keep"] :], rtol=1e-4)


@pytest.mark.parametrize("id", ["transformer", "bert"])
def test_every_picture_is_saved_with_its_edits(id: str, trained: Any, run_folder: Any) -> None:
    run = store.RunStore().find(str(run_folder(id)))
    stage = surgery_live.of_heads(run, trained(id))
    assert stage.layout()["readers"][2]["id"] == "change"
    traces, _ = stage.traces(TEXT, None)
    figures = [panel.figure for panel in stage.panels if panel.figure]
    drawings = [figure(traces, {**stage.selection, "edits": OFF}) for figure in figures]
    assert len(drawings) == (4 if id == "transformer" else 3)
    for drawing in drawings:
        assert len(drawing.frame()) and drawing.edits == OFF
    (_, edited), _ = stage.answer(Request.read({"text": TEXT, "edits": OFF}, 1000))
    assert edited.part["said"]["edits"] == OFF
