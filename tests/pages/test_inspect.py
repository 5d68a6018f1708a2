"""The page Inspect, without JavaScript: every field of every model is offered and drawn, with the
numbers of the engine, and any of them can be changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis import surgery
from engine.core.registry import models
from engine.core.trace import FieldSpec, Table, TableSpec
from engine.lessons.inspect import pictures
from engine.lessons.inspect.live import Inspection, inspection, stage
from engine.live.reply import Reading
from engine.live.request import Asks, Base, Request
from engine.live.stage import Stage
from engine.models.base import Model
from engine.runs.imported import store
from engine.runs.store import RunStore
from tests.conftest import only_runs, sampled
from tests.models.test_pretrained import make
from tests.pages import opening
from tests.pages.test_every_page import HOSTILE, answered, check

TEXT = "the cat sat on the mat"
MORE = Path(__file__).parents[1] / "more_models"
IDS = ("lstm", "ngram", "transformer", "bert", "skipgram", "tagger", "sentiment", "seq2seq")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of a model that stands in a folder of its own, as somebody's would."""
    from engine.runs.store import Recipe, digest
    from engine.training.fit import fit

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNROLLED_MODELS", str(MORE))
        folder = tmp_path_factory.mktemp("odd") / "odd"
        kind = models.get("odd")
        for _ in fit(folder, Recipe("odd", kind.config_type(), digest("abc"), 0), "abc"):
            pass
        yield folder


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was a checkpoint of the transformers library."""
    place = tmp_path_factory.mktemp("llama")
    make("llama", place)
    return store(str(place), tmp_path_factory.mktemp("imported") / "imported").folder


@pytest.fixture(scope="module", autouse=True)
def shown(
    odd: Path,
    imported: Path,
    run_folder: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    damaged = tmp_path_factory.mktemp("damaged")
    note = json.loads((run_folder("lstm") / "run.json").read_text(encoding="utf-8"))
    (damaged / "run.json").write_text(json.dumps(note | {"recipe": "x"}), encoding="utf-8")
    (damaged / "weights.safetensors").write_bytes(b"nothing")
    folders = {id: run_folder(id) for id in IDS} | {
        "odd": odd,
        "imported": imported,
        "damaged": damaged,
    }
    yield from only_runs(tmp_path_factory, folders)


opened = partial(opening.opened, "inspect")


def made(id: str) -> tuple[Inspection, Stage, Model[Any]]:
    run = RunStore().find(id)
    model = RunStore().load(run)
    return inspection(run, model), stage(run), model


def reply(built: Stage, text: str, base: str | None = None, **asks: Any) -> Reading:
    """What is sent of a text to a browser that shows `base`."""
    known = None if base is None else Base(base)
    (reading,), _ = built.answer(Request(text, base=known, asks=Asks(asks)))
    return reading


def sent(part: dict[str, Any], numbers: np.ndarray) -> dict[str, tuple[tuple[str, ...], Any]]:
    """(axes, values) of every slice of a reply that holds everything."""
    assert part["keep"] == 0
    return {
        f["name"]: (tuple(f["axes"]), numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"]))
        for f in part["fields"]
    }


def looked_at(model: Model[Any], text: str, name: str, about: dict[str, Any]) -> np.ndarray:
    """The numbers that a picture should have, straight from a trace of the model."""
    plain = name.removeprefix(pictures.LEARNED)
    learned = plain != name
    trace = model.parameters((plain,)) if learned else model.trace(text, fields=(plain,))
    values, start = trace.field(plain).pick(**about["at"]), about["start"]
    cut = {a: slice(first, first + pictures.LONG) for a, first in start.items()}
    found: np.ndarray = values.values[tuple(cut.get(a, slice(None)) for a in values.axis_names)]
    return found


@sampled("id", [*IDS, "odd", "imported"])
def test_every_promised_field_is_offered_and_drawn(id: str) -> None:
    _, _, model = made(id)
    at = opened(run=id)
    header, _ = answered(at, "inspect", TEXT)
    panels = {p["field"] for p in header["layout"]["panels"] if p["kind"] == "field"}
    tables = {p["table"] for p in header["layout"]["panels"] if p["kind"] == "rows"}
    (chooser,) = (p for p in header["layout"]["panels"] if p["kind"] == "numbers")
    listed = {row["name"] for group in chooser["groups"] for row in group["rows"]}
    promised = {s.name for s in model.spec() if isinstance(s, FieldSpec)}
    learned = {pictures.LEARNED + s.name for s in model.parameters_spec()}
    assert panels == promised | learned
    assert tables == {s.name for s in model.spec() if isinstance(s, TableSpec)}
    assert listed == panels | tables

    asked = {"shows": ",".join(listed)}
    header, numbers = answered(at, "inspect", TEXT, inspect=asked, shown=None)
    (part,) = header["readings"]
    check(header, numbers, TEXT)
    slices, fields = sent(part, numbers), part["said"]["inspect"]["fields"]
    assert set(fields) == panels
    for name, about in fields.items():
        want = looked_at(model, TEXT, name, about)
        if name in part["tops"]:
            rows = part["tops"][name]["rows"]
            largest = [-np.sort(-row)[: len(r["top"])] for row, r in zip(_rows(want), rows)]
            for row, best, all in zip(rows, largest, _rows(want), strict=True):
                shown = [np.nan if v is None else v for _, v in row["top"]]
                np.testing.assert_allclose(shown, best, rtol=1e-6)
                assert row["says"][0] == all.size
                assert row["says"][1:4] == pytest.approx([all.min(), all.mean(), all.max()])
        else:
            axes, values = slices[name]
            assert axes == tuple(a for a in _axes(model, name) if a not in about["at"])
            np.testing.assert_allclose(values, want, rtol=2e-5, atol=2e-6)
    for name in tables:
        table = model.trace(TEXT, fields=(name,))[name]
        assert isinstance(table, Table)
        found = part["said"]["inspect"]["tables"][name]
        assert found["all"] == len(table.frame()) and set(found["columns"]) <= set(table.columns)


def _sent(values: np.ndarray) -> np.ndarray:
    return values[..., : pictures.LONG] if values.ndim else values


def _rows(values: np.ndarray) -> np.ndarray:
    return values if values.ndim > 1 else values[None]


def _axes(model: Model[Any], name: str) -> tuple[str, ...]:
    plain = name.removeprefix(pictures.LEARNED)
    specs = model.spec() if plain == name else model.parameters_spec()
    (axes,) = (s.axes for s in specs if s.name == plain and isinstance(s, FieldSpec))
    return axes


def test_axes_that_nobody_foresaw_have_pickers() -> None:
    at, (_, _, model) = opened(run="odd"), made("odd")
    asked = {"shows": "planes", "layer": 2, "picks": "step:1,rank:99", "ways": ""}
    header, numbers = answered(at, "inspect", "abc ba", inspect=asked)
    (part,) = header["readings"]
    about = part["said"]["inspect"]["fields"]["planes"]
    assert about["at"] == {"step": 1, "layer": 2, "rank": 1}  # as far as there are any
    assert {about["down"], about["across"]} == {"token", "point"}
    want = model.trace("abc ba").field("planes").values
    np.testing.assert_allclose(sent(part, numbers)["planes"][1], want[1, 2, 1])

    asked["ways"] = "planes:grid:step:layer"
    header, numbers = answered(at, "inspect", "abc ba", inspect={**asked, "token": 3})
    (part,) = header["readings"]
    assert part["said"]["inspect"]["fields"]["planes"]["at"] == {"rank": 1, "token": 3, "point": 0}
    np.testing.assert_allclose(sent(part, numbers)["planes"][1], want[:, :, 1, 3, 0])

    asked["ways"] = "planes:wall:point:token"
    header, numbers = answered(at, "inspect", "abc ba", inspect=asked)
    (part,) = header["readings"]
    axes, wall = sent(part, numbers)["planes#wall"]
    assert axes == ("layer", "rank", "token", "point")
    np.testing.assert_allclose(wall, want[1])


def test_a_long_axis_is_sent_in_parts_and_says_so() -> None:
    at, (_, _, model) = opened(run="odd"), made("odd")
    whole = model.trace("abc").field("wide").values
    for asked, first in (("", 0), ("point.from:600", 600), ("point.from:9999", 788)):
        look = {"shows": "wide", "picks": asked}
        header, numbers = answered(at, "inspect", "abc", inspect=look)
        (part,) = header["readings"]
        about = part["said"]["inspect"]["fields"]["wide"]
        assert about["start"] == {"point": first} and about["sizes"]["point"] == 1300
        values = sent(part, numbers)["wide"][1]
        np.testing.assert_allclose(values, whole[:, first : first + pictures.LONG])


@sampled("id", [*IDS, "odd"], each=3)
def test_a_key_sends_only_what_is_new(id: str) -> None:
    """Replies that build on one another hold the numbers of a trace of the whole text."""
    _, built, model = made(id)
    before, key, have = "", None, {}
    look = {**built.selection}
    for n in range(1, 12):
        text = TEXT[:n]
        reading = reply(built, text, before, inspect=look, shown=key)
        header: Any = reading.part
        slices = [(sent.field, sent.skip) for sent in reading.fields]
        key = header["said"]["inspect"]["key"]
        for field, first in slices:
            values = field.values
            along = next(
                (i for i, a in enumerate(field.axis_names) if a in ("token", "query")), None
            )
            if header["keep"] and along is not None and field.spec.name in have:
                kept = have[field.spec.name].take(range(header["keep"]), along)
                values = values.take(range(first, values.shape[along]), along)
                if field.axis_names[along + 1 : along + 2] == ("key",):
                    wide = min(kept.shape[along + 1], values.shape[along + 1])
                    kept, room = kept.take(range(wide), along + 1), [(0, 0)] * kept.ndim
                    room[along + 1] = (0, values.shape[along + 1] - kept.shape[along + 1])
                    kept = np.pad(kept, room)
                values = np.concatenate([kept, values], along)
            have[field.spec.name] = values
        for name, about in header["said"]["inspect"]["fields"].items():
            if name in have and name not in header["tops"]:
                want = looked_at(model, text, name, about)
                np.testing.assert_allclose(have[name], want, rtol=2e-5, atol=2e-6)
        before = text


@sampled("id", [*IDS, "odd"], each=3)
def test_every_field_that_follows_can_be_changed(id: str) -> None:
    asked, built, model = made(id)
    assert set(asked.sites) == {
        s.name for s in model.spec() if isinstance(s, FieldSpec) and not s.derived
    }
    for name, site in asked.sites.items():
        place = ":".join(f"{axis}=0" for axis, n in site.items() if n)
        text = ":".join(filter(None, (name, place, "set", "0.25")))
        edits, problems = surgery.read(text, asked.sites)
        assert not problems, problems
        assert surgery.read(surgery.write(edits), asked.sites) == (edits, [])
        look = {**built.selection, "shows": name, "edits": text, "picks": "", "reads": "edited"}
        look |= {"layer": 0, "head": 0, "unit": 0}
        reading = reply(built, TEXT, inspect=look)
        header, slices = reading.part, reading.fields
        assert header["said"]["inspect"]["edited"] and not header["said"]["problems"]
        want = model.trace(TEXT, edits, fields=(name,)).field(name)
        about = header["said"]["inspect"]["fields"][name]
        if slices:
            picked = _sent(want.pick(**about["at"]).values)
            np.testing.assert_allclose(slices[0].field.values, picked, rtol=2e-5, atol=2e-6)
        plain = model.trace(TEXT, fields=(name,)).field(name).values
        look["reads"] = "change"
        reading = reply(built, TEXT, inspect=look)
        header, slices = reading.part, reading.fields
        if slices and np.isfinite(plain).all():
            change = (want.values - plain)[
                tuple(about["at"].get(a, slice(None)) for a in want.axis_names)
            ]
            np.testing.assert_allclose(slices[0].field.values, _sent(change), rtol=1e-4, atol=2e-5)


def test_what_a_change_does_to_the_next_token_is_said() -> None:
    _, built, model = made("lstm")
    text = "gate.forget:1:3:6-:set:0"  # as the page Surgery writes it
    look = {**built.selection, "edits": text}
    header: Any = reply(built, TEXT, inspect=look).part
    edits, _ = surgery.read(text, surgery.operable(model))
    plain, edited = (
        model.trace(TEXT, e, fields=("probability",)).field("probability") for e in ((), edits)
    )
    want = surgery.moves(plain.values, edited.values, plain.axis("next").labels, 10)
    assert [w for w, *_ in header["moves"][-1]] == [w for w, *_ in want[-1]]
    assert header["said"]["edits"] == text
    for bad in ("nothing:set:1", "gate.forget:unit=9999:set:0", "hidden:tag=1:set:0", "x"):
        header = reply(built, TEXT, inspect={**built.selection, "edits": bad}).part
        assert header["said"]["problems"] and not header["said"]["inspect"]["edited"]


@pytest.mark.parametrize("id", ["lstm", "bert", "tagger", "odd"])
def test_any_text_is_answered(id: str) -> None:
    asked, built, _ = made(id)
    every = ",".join(s.name for s in asked.specs)
    look = {"shows": every, "edits": f"{next(iter(asked.sites))}:scale:0"}
    for text in HOSTILE.values():
        header: Any = reply(built, text[:500], inspect=look).part
        assert header["said"]["inspect"]["shows"] == tuple(every.split(","))


def test_a_link_chooses_and_harms_nothing() -> None:
    at = opened(run="ngram", shows="part,probability", ways="part:lines:order:token,x:y")
    header, _ = answered(at, "inspect", TEXT)
    said = header["readings"][0]["said"]["inspect"]
    assert said["shows"] == ["part", "probability"]
    assert said["fields"]["part"]["drawing"] == "lines"
    odd = {"shows": 7, "ways": None, "picks": "layer:x,:,token:1", "layer": "2", "token": "x"}
    for asked in (odd, "text", None, 5, {"token": -9, "layer": -3, "shows": "part"}):
        check(*answered(at, "inspect", TEXT, inspect=asked), TEXT)


def test_a_damaged_run_is_a_sentence() -> None:
    at = opened(run="damaged")
    at.session_state["live-inspect"] = {"msg": {"text": TEXT, "seq": 7}}
    at.run()
    assert not at.exception and "can't be opened" in at.error[0].value


def test_a_picture_can_be_saved_as_it_is_drawn() -> None:
    for id in ("odd", "skipgram"):
        _, built, model = made(id)
        traces, _ = built.traces(TEXT, None)
        for panel in (panel for panel in built.panels if panel.figure):
            figure = panel.figure(traces, {**built.selection, "layer": 0}).figure(of="Model")
            assert figure.title and len(figure.frame), panel.id
    asked, built, model = made("lstm")
    panel = next(p for p in built.panels if p.id == "field:hidden")
    look = {"edits": "gate.forget:1:3:6-:set:0", "layer": 1, "reads": "change"}
    assert panel.figure is not None
    drawing = panel.figure(traces := built.traces(TEXT, None)[0], look)
    edits, _ = surgery.read(look["edits"], asked.sites)
    both = [model.trace(TEXT, e, fields=("hidden",)).field("hidden").values[1] for e in ((), edits)]
    np.testing.assert_allclose(drawing.inputs()[0].values, both[1] - both[0], atol=1e-5)  # type: ignore[union-attr]
    assert drawing.names == ("change.hidden",) and drawing.edits == look["edits"] and traces
