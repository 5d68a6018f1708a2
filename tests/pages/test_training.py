"""The Training room: a form that knows what can't be, a preview, a start, a list, buttons, whatever lies there."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.core.registry import models
from engine.jobs import control, process
from engine.lessons.training import watched
from engine.storage.run_folder import BEST, CHECKPOINT, CONTROL, HISTORY, STATUS
from engine.text.slug import slug
from engine.training import job, settings_in_address, status
from engine.training.job import Job
from engine.training.timing import Probed
from pages.ui import texts
from pages.ui import training as overview
from pages.ui import training_form as form
from pages.ui import training_new as new
from tests.conftest import TEXT, only_runs, together
from tests.pages import opening
from tests.pages.opening import said


@pytest.fixture
def home(tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, short texts, and no process is started: `started` holds what would have been."""
    for _ in only_runs(tmp_path_factory, {}):
        monkeypatch.setattr(new, "text_of", lambda id: TEXT)
        yield overview.root()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Job, Path, bool]]:
    found: list[tuple[Job, Path, bool]] = []

    def start(one: Job, folder: Path, best: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        one.write(folder)
        found.append((one, folder, best))

    monkeypatch.setattr(job, "start", start)
    return found


opened = partial(opening.opened, "training")


def bars(at: AppTest) -> list[str]:
    """What stands over the bars of progress."""
    return [re.sub(r"\\(.)", r"\1", bar.proto.text) for bar in at.get("progress")]


def test_form_preview_and_start(home: Path, started: list[tuple[Job, Path, bool]]) -> None:
    at = opened(model="transformer", corpus="../../etc/passwd")
    assert at.selectbox(key="training.model").value == "transformer"
    assert "There is no text “../../etc/passwd”" in said(at).replace("\\", "")
    metrics = {m.label: m.value for m in at.metric}
    assert metrics["Parameters"].replace(",", "").isdecimal()
    assert metrics["Memory"].endswith("MB")
    assert metrics["Time"] == "not yet"
    assert "All settings are at their defaults" in said(at)

    # more than the context of 256
    at.number_input(key="training.transformer.span").set_value(300).run()
    why = (
        "This can't be trained: span 300 is longer than context 256; a window can't be longer than"
    )
    assert [e.value for e in at.error] == [f"{why} the model sees."]
    assert not [b for b in at.button if b.key == "training.start"]
    at.number_input(key="training.transformer.span").set_value(16)
    at.number_input(key="training.transformer.width").set_value(32)
    at.select_slider(key="training.transformer.rate").set_value(0.002)
    at.text_input(key="training.name").set_value("Mine: <b>/../x 😀")
    at.text_area(key="training.prompts").set_value("the cat\n\nthe dog").run()
    changed = next(c.value for c in at.caption if c.value.startswith("Changed")).replace("\\", "")
    for part in ("span** 16 (default 128)", "rate** 0.002 (default 0.001)", "width** 32 (default"):
        assert part in changed
    assert changed.count("default") == 3
    fewer = {m.label: m.value for m in at.metric}["Parameters"]
    assert int(fewer.replace(",", "")) < int(metrics["Parameters"].replace(",", ""))
    command = at.code[0].value
    at.button(key="training.start").click().run()
    assert not at.exception
    ((one, folder, _),) = started
    assert f"--out {folder} " in command
    assert folder.parent == home and folder.name == "transformer-mine-b-x"
    assert (one.model, one.title, one.queue) == ("transformer", "Mine: <b>/../x 😀", True)
    assert (one.snapshots, one.probes, one.prompts) == (24, 12, ("the cat", "the dog"))
    assert set(one.settings) == {"width=32", "span=16", "rate=0.002"}
    assert len(one.texts) == 1 and one.texts[0] in texts.listed("text")

    assert at.session_state["training.mode"] == overview.MODES[1]
    assert folder.name in at.query_params["training"]
    assert bars(at) == ["▸ **Mine: <b>/../x 😀**: not started"]
    at.segmented_control(key="training.mode").set_value(overview.MODES[0]).run()
    assert at.number_input(key="training.transformer.width").value == 32  # nothing is lost
    assert at.text_input(key="training.name").value.startswith("Mine")
    assert at.text_area(key="training.prompts").value == "the cat\n\nthe dog"
    at.button(key="training.transformer.reset").click().run()
    assert "All settings are at their defaults" in said(at)
    assert at.number_input(key="training.transformer.width").value == 256


def test_what_can_t_be_started_is_a_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened(model="gpt-9")
    assert "There is no model “gpt-9”; another one is selected." in said(at).replace("\\", "")

    def full(one: Job, folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(job, "start", full)
    at.button(key="training.start").click().run()
    assert "can't be written (the disk is full)" in said(at)
    monkeypatch.setattr(new, "text_of", lambda id: "\n \n")
    at.number_input(key="training.lstm.units").set_value(33).run()
    assert "nothing to learn from" in said(at)
    assert not [b for b in at.button if b.key == "training.start"]
    at.selectbox(key="training.model").set_value("ngram").run()  # which has no steps
    assert not at.exception
    assert not [b for b in at.button if (b.key or "").startswith("training.preset")]
    monkeypatch.setattr(texts, "listed", lambda *kinds: {})
    at.selectbox(key="training.model").set_value("tagger").run()
    assert "Part-of-speech" in said(at) or "tagged words, and there is no such text yet" in said(at)
    assert not at.exception


def folder_of(home: Path, name: str, last: Any, damaged: bool = False, steps: int = 40) -> Path:
    folder = home / name
    folder.mkdir(parents=True)
    Job("lstm", ("stories",), title=name.title()).write(folder)
    if damaged:
        (folder / job.JOB).write_text("{", encoding="utf-8")
    if last:
        status.write(folder, last)
    norms = "{n},gradient_norm,2\n{n},gradient_norm_clipped,1\n"
    rows = "".join(f"{n},loss_nats,{5 / n:.4g}\n" + norms.format(n=n) for n in range(1, steps + 1))
    held = f"{steps},held_out_nats,1.5\n{steps},held_out_bits_per_character,2.1\n"
    (folder / HISTORY).write_text(f"step,metric,value\n{rows}{held}", encoding="utf-8")
    (folder / "watch.jsonl").write_text(
        '{"step": 1, "samples": [["the", "xq *b* <i>"]], "weights": {"w": {"low": -1, "high": 1,'
        ' "counts": [1, 2, 1]}}, "activations": {}}\nnonsense\n{"step": 9, "samples": "no",'
        ' "weights": 5}\n{"step": 10, "weights": {"w": {"low": "x", "high": null, "counts":'
        ' ["a"]}}}\n',
        encoding="utf-8",
    )
    return folder


def waiting() -> status.TrainingStatus:
    pid, born = process.name_own()
    return status.TrainingStatus(status.WAITING, ahead=2, total=90, pid=pid, born=born)


def test_watch_go_on_keep_and_throw_away(home: Path, started: Any, run_folder: Any) -> None:
    shutil.copytree(run_folder("lstm"), home / "done")
    Job("lstm", ("stories",), title="Done").write(home / "done")
    error = "the loss is no longer a number at step 41"
    last = status.TrainingStatus(status.FAILED, step=40, total=90, error=error, best=(30, 1.4))
    failed = folder_of(home, "failed", last)
    for name in (BEST, CHECKPOINT):
        (failed / name).write_bytes(b"kept")
    last = status.TrainingStatus(status.RUNNING, step=20, total=90, pid=1, born=5.0)
    broken = folder_of(home, "broken", last)
    odd = '{"state": "paused", "total": "x", "metrics": [], "best": 5}'
    (folder_of(home, "damaged", None, damaged=True) / STATUS).write_text(odd, encoding="utf-8")
    folder_of(home, "waiting", waiting(), steps=1)

    at = opened(training="failed")
    listed = "\n".join(bars(at))
    states = (
        "**Waiting**: queued: 2 ahead of it|**damaged**: its files are damaged|**Done**: finished"
    )
    states += "|**Broken**: broken off, step 20 of 90|▸ **Failed**: failed, step 40 of 90"
    for words in states.split("|"):
        assert words in listed
    why = "Training ended by itself. Why: the loss is no longer a number at step 41."
    assert why in said(at).replace("\\", "")
    assert {m.label: m.value for m in at.metric}["Held-out loss"] == "1.50"
    assert any("1  xq *b* <i>" in code.value for code in at.code)
    for unit in (watched.PERPLEXITY, watched.BITS):
        at.segmented_control(key="training.curves.unit").set_value(unit).run()
        assert not at.exception

    at.button(key="training.do.failed.keep").click().run()
    assert started[-1][1:] == (failed, True)
    at.button(key="training.see.broken").click().run()
    assert "Training was interrupted" in said(at)
    at.button(key="training.do.broken.go").click().run()
    assert started[-1] == (Job("lstm", ("stories",), title="Broken"), broken, False)
    at.button(key="training.do.broken.drop").click().run()
    assert broken.is_dir()  # it asks first
    at.button(key="training.do.broken.no").click().run()
    at.button(key="training.do.broken.drop").click().run()
    at.button(key="training.do.broken.yes").click().run()
    assert not broken.exists() and not at.exception
    at.button(key="training.see.damaged").click().run()
    assert "settings file, job.json, is damaged" in said(at)
    assert not [b for b in at.button if b.key == "training.do.damaged.go"]
    at.button(key="training.see.waiting").click().run()
    # its histogram; of one step there is no curve
    assert [tab.label for tab in at.tabs].count("Picture") == 1
    at.button(key="training.do.waiting.pause").click().run()
    assert (home / "waiting" / CONTROL).read_text() == control.PAUSE
    at.button(key="training.see.done").click().run()
    assert "**Done.** Open it, or rewind its training, in" in said(at) and not at.exception
    links = [link.proto for link in at.get("page_link")]
    assert any(link.query_string == "run=done" and "lstm" in link.page for link in links)


@together("id", sorted(models.ids()))
def test_every_setting_has_a_control_that_can_be_its_default(id: str) -> None:
    """And whatever is offered makes a config, with the numbers that go with it."""
    kind = models.get(id).config_type
    more = {"passages": False} if "passages" in kind.__dataclass_fields__ else {}
    for one in kind.__dataclass_fields__.values():
        known = form.choices(one)
        assert not known or one.default in known
        for choice in known or ():
            kind(**{**more, one.name: choice})
        if one.type != "float":
            continue
        low, high = one.metadata["min"], one.metadata["max"]
        if low and high / low >= form.WIDE:
            marks = form.scale(low, high, one.default)
            assert one.default in marks and (marks[0], marks[-1]) == (low, high)
            assert len(marks) < 100


def test_numbers_names_and_links_are_words() -> None:
    shown = {1e-5: "0.00001", 1e6: "1,000,000", -5: "−5", 0.5: "0.5", 2000: "2,000", "": "empty"}
    assert all(form.write_value(value) == words for value, words in shown.items())
    names = {"ngrams_3": "different 3-grams", "kept_4": "4-grams kept", "loss_nats": "loss nats"}
    assert all(watched.words(name) == words for name, words in names.items())
    folders = {"My Novel!": "my-novel", "../../etc": "etc", "😀": "", "a\x00b": "a-b", "-x-": "x"}
    for typed, made in (folders | {"É" * 99: "e" * 40}).items():
        assert slug(typed) == made
    for settings in ({"optimiser": "sgd", "rate": 0.25, "mixed": True}, {"lambdas": "1,9"}, {}):
        pairs = [f"{name}={settings_in_address.written(value)}" for name, value in settings.items()]
        assert (
            settings_in_address.split_settings(settings_in_address.join_settings(settings)) == pairs
        )


def test_presets_fit_the_time() -> None:
    config = models.get("lstm").config_type()
    found = new.steps_for((Probed(2000, 5.0, 0.05, 0), config), config, 605.0)
    assert found["steps"] == pytest.approx(0.85 * 600 / 0.05, rel=0.1)
    assert 1 <= found["held_out_every"] <= 500
    kind = models.get("skipgram").config_type
    found = new.steps_for((Probed(1000, 0.0, 0.01, 0), kind()), kind(), 60.0)
    assert found == {"epochs": 30}  # 2 s an epoch
    seconds = new.seconds_of((Probed(1000, 1.0, 0.01, 0), kind()), kind(epochs=10))
    assert seconds == pytest.approx(21)


def test_histograms_and_how_often_it_was_clipped() -> None:
    told = {"low": 0.0, "high": 2.0, "counts": [4, 8]}
    found = watched.rebinned(told, np.array([-1.0, 0.0, 0.5, 1.5, 3.0]))
    assert found.tolist() == [0.0, 2.0, 6.0, 4.0]
    point: dict[str, Any] = {"low": 1.0, "high": 1.0, "counts": [7]}
    assert watched.rebinned(point, np.linspace(0, 3, 4)).sum() == pytest.approx(7)
    # 20 steps, of which 5 are cut, one of them in the last tenth; nothing is said where nothing clips.
    steps, before = np.arange(1, 21), np.full(20, 0.5)
    before[[1, 3, 5, 7, 19]] = 4.0
    found = {"gradient_norm": (steps, before)}
    found["gradient_norm_clipped"] = steps, before.clip(max=1.0)
    said = watched.clipped(found, 0.0)
    assert said.startswith("Clipped: 5 of 20 steps (25%), of the last tenth 50%.")
    assert "shorter than 0.500, 95 % than 4." in said
    assert watched.clipped(found | {"gradient_norm_clipped": (steps, before)}, 0.0) == ""
    assert watched.clipped({}, 0.0) == ""


def one(at: AppTest, name: str) -> str:
    """A parameter of the address, which the test's own may hold as a list."""
    found = at.query_params[name]
    return found if isinstance(found, str) else found[0]


def test_a_link_brings_its_settings(home: Path) -> None:
    """And the address holds those of the form, so that it can be sent on."""
    asked = "optimiser:sgd,rate:0.03,lambdas:1,2,nonsense,span:x,mixed:true,warmup:7"
    at = opened(model="transformer", set=asked)
    key = "training.transformer"
    assert at.selectbox(key="training.model").value == "transformer"
    assert at.selectbox(key=f"{key}.optimiser").value == "sgd"
    assert at.select_slider(key=f"{key}.rate").value == 0.03  # which is no mark of the scale
    assert at.toggle(key=f"{key}.mixed").value and at.number_input(key=f"{key}.warmup").value == 7
    left_out = [w.value.replace("\\", "") for w in at.warning]
    assert len(left_out) == 2 and "no setting 'lambdas'" in left_out[0]
    assert "span takes a whole number, not 'x'" in left_out[1]
    kept = {"optimiser=sgd", "warmup=7", "mixed=true", "rate=0.03"}
    assert {*settings_in_address.split_settings(one(at, "set"))} == kept
    at.number_input(key=f"{key}.warmup").set_value(9).run()
    assert "warmup:9" in one(at, "set") and not at.warning
    assert at.select_slider(key=f"{key}.rate").value == 0.03
    at.selectbox(key="training.model").set_value("lstm").run()
    assert "set" not in at.query_params
    assert at.selectbox(key="training.lstm.optimiser").value == ("adamw")
    # the same settings for another model, in a session that has the form open
    at.query_params["model"], at.query_params["set"] = "gru", "optimiser:rmsprop"
    at.run()
    assert at.selectbox(key="training.gru.optimiser").value == "rmsprop" and not at.exception
    at.button(key="training.gru.reset").click().run()
    assert "set" not in at.query_params and not at.exception


def test_a_link_with_settings_shows_the_form_though_a_training_goes_on(home: Path) -> None:
    folder_of(home, "waiting", waiting(), steps=1)
    assert opened().session_state["training.mode"] == overview.MODES[1]
    at = opened(model="lstm", set="smoothing:0.1")
    assert at.session_state["training.mode"] == overview.MODES[0]
    assert at.number_input(key="training.lstm.smoothing").value == 0.1
    at.segmented_control(key="training.mode").set_value(overview.MODES[1]).run()
    assert "set" not in at.query_params and not at.exception


def test_a_training_that_ends_as_it_is_listed(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(overview.jobs, "unfinished", lambda roots: [tmp_path / "a", tmp_path / "b"])
    monkeypatch.setattr(overview.jobs, "finished", lambda roots, most: [tmp_path / "a"])
    assert sorted(folder.name for folder in overview.list_trainings()) == ["a", "b"]


def test_a_training_that_overfits_is_called_so(home: Path) -> None:
    """The numbers of the sentence are those of its history: least at step 20, 0.5 higher in the end."""
    folder = folder_of(home, "heart", status.TrainingStatus(status.PAUSED, step=40, total=90))
    loss = "".join(f"{n},loss_nats,{5 / n:.4g}\n" for n in range(1, 41))
    values = enumerate((2, 1, 1.2, 1.5), 1)
    held = "".join(f"{10 * n},held_out_nats,{value}\n" for n, value in values)
    (folder / HISTORY).write_text(f"step,metric,value\n{loss}{held}", encoding="utf-8")
    said_there = said(opened(training="heart"))
    assert (
        "**Overfitted.** The held-out loss was least at step 20 and has risen by 0.500 (12 %), while"
        " the training loss went on falling." in said_there
    )
    assert "it ends 5 % above its least" in said_there


@pytest.fixture
def one_run(
    run_folder: Any, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A home of its own with a small run, `transformer`; no process is started."""
    for _ in only_runs(tmp_path_factory, {"transformer": run_folder("transformer")}):
        monkeypatch.setattr(new, "text_of", lambda id: TEXT)
        yield overview.root()


def test_a_training_begins_with_a_run(one_run: Path, started: list[tuple[Job, Path, bool]]) -> None:
    """What a link asks for is chosen; only what differs from what is usual goes into the command."""
    asked = {"model": "transformer", "start": "transformer", "set": "tune:lora,lora_rank:2"}
    at = opened(**asked)
    assert at.selectbox(key="training.on.transformer").value == "transformer"
    assert "of LoRA" in said(at) or "(LoRA)" in said(at)
    assert "parameters learn" in said(at)
    on = "training.on.transformer.transformer"
    assert at.number_input(key=f"{on}.lora_rank").value == 2
    assert at.select_slider(key=f"{on}.rate").value == 0.002
    assert not [w for w in at.number_input if (w.key or "").endswith(".width")]
    assert {m.label: m.value for m in at.metric}["Parameters"] == "256" and "learn from" in said(at)
    at.number_input(key=f"{on}.lora_rank").set_value(4000).run()
    assert "This can't be trained: a rank of 4000 is larger than the matrix" in said(at)
    assert not [b for b in at.button if b.key == "training.start"]
    at.number_input(key=f"{on}.lora_rank").set_value(3).run()
    at.selectbox(key=f"{on}.tune").set_value("layers").run()
    assert at.select_slider(key=f"{on}.rate").value == 0.0005
    at.number_input(key=f"{on}.unfrozen").set_value(0).run()
    at.button(key="training.start").click().run()
    assert not at.exception
    ((one, folder, _),) = started
    assert one.start == "transformer" and folder.parent == one_run
    assert set(one.settings) >= {"tune=layers", "unfrozen=0"}
    assert "--start transformer" in one.command(folder)
    at.segmented_control(key="training.mode").set_value(overview.MODES[0]).run()
    at.selectbox(key="training.on.transformer").set_value("").run()
    assert at.number_input(key="training.transformer.width").value == 256
    at.selectbox(key="training.model").set_value("ngram").run()  # which can't go on
    assert not [w for w in at.selectbox if (w.key or "").startswith("training.on.")]
