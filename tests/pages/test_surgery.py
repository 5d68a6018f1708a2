"""The Surgery page answers edits: only what they change is sent, and the files say and repeat them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from engine.analysis import surgery
from engine.core.cell_card import listed
from engine.lessons.surgery import live as surgery_panels
from engine.live.request import Request
from engine.runs import store
from engine.saving.export import read_trace
from tests.conftest import sampled
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered, decoded, fields

TEXT = "the cat sat on the mat"
HELD = "gate.forget:1:3:6-:set:0"

small_runs = seeing("lstm")


def test_an_edit_is_answered_from_its_first_token_on(trained: Any) -> None:
    at, model = opened("surgery"), trained("lstm")
    header, _ = answered(at, "surgery", TEXT, edits="", base_edits="")
    have = header["layout"]["hash"]
    base = {"base": TEXT, "base_start": 0, "have": have}
    header, numbers = answered(at, "surgery", TEXT, edits=HELD, base_edits="", **base)
    plain, edited = header["readings"]
    assert (plain["keep"], edited["keep"]) == (len(TEXT) + 1, 6)
    assert edited["said"]["edits"] == HELD
    found = fields(edited, numbers)
    assert (found["gate.forget"][1, :, 3] == 0).all()
    whole = model.trace(TEXT, surgery.read(HELD, surgery.operable(model))[0])
    for name, values in found.items():
        np.testing.assert_allclose(values, whole.field(name).values[:, 6:], atol=2e-5, err_msg=name)
    header, _ = answered(at, "surgery", TEXT + "s", edits=HELD, base_edits=HELD, **base)
    kept = [part["keep"] for part in header["readings"]]
    assert kept == [len(TEXT) + 1] * 2, "a key sends one token of each run"
    base["base"] += "s"
    header, _ = answered(at, "surgery", TEXT + "s", edits="", base_edits=HELD, **base)
    assert header["readings"][1]["keep"] == 6, "taken back from where it began"


def test_a_link_opens_with_its_edits_and_a_long_text_says_so() -> None:
    answered(opened("surgery"), "surgery", TEXT)  # now its model is open
    at = opened("surgery", text=TEXT, edits=HELD, seed="4")
    header, numbers = decoded(at)
    assert header["initial"]["selection"] == {"edits": HELD, "seed": 4}
    assert not decoded(opened("surgery", text=TEXT))[0]["initial"]["selection"].get("edits")
    assert header["readings"][1]["said"]["edits"] == HELD
    assert not fields(header["readings"][1], numbers)["gate.forget"][1, 6:, 3].any()
    at, text = opened("surgery"), (TEXT * 10_000)[:150_000]
    begun = time.process_time()
    header, _ = answered(at, "surgery", text, edits=HELD, base_edits="")
    assert time.process_time() - begun < 10, "seconds of a processor"
    said = header["readings"][1]["said"]
    assert said["edits"] == "" and "5,000 characters" in said["problems"][0]


def test_both_runs_write_on_when_asked() -> None:
    at = opened("surgery")

    def writing(text: str, edits: str, **more: Any) -> Any:
        header, _ = answered(at, "surgery", text, edits=edits, base_edits="", **more)
        return header["readings"][1]["said"].get("writing")

    for text in (TEXT, TEXT * 20, ""):  # that is longer than is shown
        same = writing(text, "", write=2)
        assert same["plain"] == same["edited"] and len(same["plain"]) == 60
        cut = writing(text, "hidden:*:*:1-:set:0", write=2)
        assert cut["plain"] == same["plain"] and cut["edited"] != same["plain"]
    assert writing(TEXT, "") is None


@sampled("id", listed(), each=3)
def test_the_panels_fit_whatever_cell_a_run_has(id: str, trained: Any, run_folder: Any) -> None:
    run = store.RunStore().find(str(run_folder(id)))
    stage = surgery_panels.of_units(run, trained(id))
    layout = stage.layout()
    sizes = surgery.operable(trained(id))
    assert layout["selection"]["field"] in sizes
    for name, (layers, units) in sizes.items():
        edits = f"{name}:{layers - 1}:{units - 1}:3-:scale:0.5"
        request = Request.read({"text": TEXT, "edits": edits}, 1000)
        (_, edited), _ = stage.answer(request)
        assert edited.part["said"] == {"edits": edits, "problems": []}
        traces, _ = stage.traces(TEXT, None)
        for panel in stage.panels:
            if panel.figure:
                look = {**stage.selection, "field": name, "edits": edits}
                assert len(panel.figure(traces, look).frame())


def saved(at: AppTest, panel: str, format: str) -> bytes:
    chosen = {"edits": HELD, "field": "cell", "layer": 1, "unit": 2}
    wish = {"id": 1, "panel": panel, "format": format, "text": TEXT, "selection": chosen}
    at.session_state["live-surgery.save"] = {**wish, "start": None}
    header, _ = decoded(at.run())
    (component,) = [c for c in at.get("bidi_component") if c.proto.bytes]
    file = header["file"]
    assert "problem" not in file, file
    data = component.proto.bytes
    begin = 4 + int.from_bytes(data[:4], "little") + 4 * file["at"]
    return data[begin : begin + file["size"]]


def test_every_picture_is_saved_with_its_edits(tmp_path: Path) -> None:
    at = opened("surgery")
    answered(at, "surgery", TEXT, edits=HELD, base_edits="")
    for panel in ("surgery", "change", "moves", "surprisal"):
        script = saved(at, panel, "py").decode()
        assert f"EDITS = '{HELD}'" in script
        assert "gate.forget of unit 3, layer 2 held at 0 from token 6 on" in script
        compile(script, "draw.py", "exec")
        assert saved(at, panel, "csv").count(b"\n") > 3
    path = tmp_path / "trace.npz"
    path.write_bytes(saved(at, "change", "npz"))
    trace = read_trace(path)
    assert (trace.field("edited.gate.forget").values[1, 6:, 3] == 0).all()
    assert trace.field("plain.gate.forget").values[1, 6:, 3].all()
