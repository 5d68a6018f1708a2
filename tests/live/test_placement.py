"""Where a model runs: chosen, measured, said; and what happens where a device has no room.

No GPU is needed.  One is pretended: a copy of the model on the processor, whose numbers stay torch's
until they are fetched, as those on a GPU do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from engine.core import device, numbers, stacking
from engine.core.device import CPU, Choice, Gpu
from engine.core.numbers import Numbers
from engine.core.trace import Trace
from engine.live import cache, placement, reply, wire
from engine.live.reader import Reader
from engine.live.reply import Reply
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Stage
from engine.live.window import tokens
from engine.models import neural
from engine.runs.store import Run, RunStore

GPU = Gpu("cuda", "Pretended", 8_000_000_000)
FIELDS = {"transformer": ("attention", "score", "residual"), "lstm": ("cell", "gate.forget")}
KEYS = ("the", "the c", "the cat", "the cat sat on", "the cat", "the dog sat on the log and sang")


STAGE = Stage((), ())


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A GPU; gives a list of what its copies of models were asked: the texts."""
    asked: list[str] = []
    running: list[str] = []
    plain = neural.copy_apart

    def apart(model: Any, where: str = CPU) -> Any:
        made = plain(model)
        if where == CPU:
            return made
        read = made.trace

        def trace(text: str, *args: Any, **named: Any) -> Trace:
            running.append(text)
            asked.append(text)
            try:
                found: Trace = read(text, *args, **named)
                return found
            finally:
                running.pop()

        made.trace = trace
        return made

    monkeypatch.setattr(neural, "copy_apart", apart)
    for module in (numbers, stacking):
        monkeypatch.setattr(
            module, "stays", lambda value: numbers.on_device(value) and bool(running)
        )
    monkeypatch.setattr(
        Numbers,
        "device",
        property(lambda self: "cuda:0" if numbers.on_device(self._pieces[0]) else CPU),
    )
    monkeypatch.setattr(device, "gpu", lambda: GPU)
    monkeypatch.delenv("UNROLLED_DEVICE", raising=False)
    placement.forget()
    cache.TRACES.clear()
    yield asked
    placement.forget()
    cache.TRACES.clear()


@pytest.fixture(params=[*FIELDS])
def reader(request: pytest.FixtureRequest, run_folder: Callable[[str], Path]) -> tuple[Reader, Run]:
    run = RunStore().find(str(run_folder(request.param)))
    fields = FIELDS[request.param]
    return Reader("r", "The model", cache.model(run), run.id, "tokens", fields), run


def shown(of: tuple[Reader, Run], text: str, before: Shown | None = None) -> Shown:
    made = Shown.of(*of, text, (0, len(text)), tokens(of[0].model, text))  # type: ignore[arg-type]
    return made.after(before)


def typed(of: tuple[Reader, Run], keys: tuple[str, ...] = KEYS) -> list[tuple[dict[str, Any], Any]]:
    """What the browser gets for each key."""
    found, before = [], None
    for text in keys:
        now = shown(of, text, before)
        (made,) = STAGE.readings((now,), Request())
        header = {"page": "x", "seq": 1, "text": text, "notes": []}
        found.append(wire.unpack(wire.pack(Reply(header, [made]))))  # type: ignore[arg-type]
        before = now
    return found


def test_a_key_is_answered_with_the_same_bytes_wherever_the_model_runs(
    pretended: list[str], reader: tuple[Reader, Run]
) -> None:
    with placement.ask_for(Choice.CPU):
        here = typed(reader)
    assert not pretended
    cache.TRACES.clear()
    with placement.ask_for(Choice.CUDA):
        there = typed(reader)
    assert pretended == [*dict.fromkeys(KEYS)] and len(cache.TRACES) == 0
    assert len(placement.traces()) == len(pretended)
    for (header, mine), (other, theirs) in zip(here, there, strict=True):
        for part in (header["readings"][0], other["readings"][0]):
            part["bits"] = [b and round(b, 3) for b in part["bits"]]
            part["top"] = [[[w, round(p, 4)] for w, p in row[:3]] for row in part["top"]]
        assert header == other
        np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_of_a_key_only_the_new_row_is_fetched(
    pretended: list[str], run_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunStore().find(str(run_folder("transformer")))
    of = (Reader("r", "R", cache.model(run), run.id, "tokens", ("attention", "score")), run)
    text = "the cat sat on the mat"
    got: list[tuple[int, ...]] = []
    plain = numbers.fetched
    with placement.ask_for(Choice.CUDA):
        before = shown(of, text)
        cache.trace_of(before)

        def fetched(value: numbers.Array) -> np.ndarray:
            found = plain(value)
            got.append(found.shape)
            return found

        monkeypatch.setattr(numbers, "fetched", fetched)
        now = shown(of, text + " and", before)
        made = reply.read(now, cache.trace_of(now))
        wire.pack(Reply({"page": "x", "seq": 1, "text": "", "notes": []}, [made]))
    config = of[0].model.config  # type: ignore[attr-defined]
    fresh, keys = len(now.part) - now.same, len(now.part)
    heads = (config.layers, config.heads)
    assert fresh < len(now.part) - 3 and (*heads, fresh, keys) in got
    assert all(shape[:2] != heads or shape[2] <= fresh for shape in got), "no old row was fetched"


def test_the_faster_one_is_taken_as_measured_at_rest(
    pretended: list[str], reader: tuple[Reader, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "REST_SECONDS", 0.01)
    monkeypatch.setattr(placement, "_milliseconds", lambda call: 9.0)
    now = shown(reader, "the cat sat")
    cache.trace_of(now)
    run, model, count = reader[1], reader[0].model, len(now.part)
    assert not pretended, "before anything is measured, the processor answers"
    assert waited(lambda: len(placement.find_known(run, count).key_ms) == 2)
    assert placement.find_known(run, count).key_ms == {"cuda": 9.0, CPU: 9.0}
    placement.find_known(run, count).key_ms[CPU] = 41.0
    assert placement.notes(run, model, count, "The model") == [
        "The model runs on the GPU: 9 ms a key here, 41 ms on the processor."
    ]
    asked = len(pretended)
    cache.trace_of(shown(reader, "the cat sat on", now))
    assert len(pretended) == asked + 1, "it goes on there from what was read here"
    placement.find_known(run, count).key_ms["cuda"] = 50.0
    assert placement.place(run, model, count) == CPU  # type: ignore[arg-type]
    assert placement.notes(run, model, count, "The model") == [
        "The model runs on the processor: 41 ms a key here, 50 ms on the GPU."
    ]
    far = placement.SHORTEST * 8
    assert placement.place(run, model, far) == CPU  # type: ignore[arg-type]
    placement.find_known(run, 4 * far).key_ms |= {"cuda": 5.0, CPU: 60.0}
    assert placement.place(run, model, 2 * far) == "cuda"  # type: ignore[arg-type]
    assert placement.place(run, model, count) == CPU, "each length goes by the nearest"  # type: ignore[arg-type]


def waited(done: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not done() and time.monotonic() < end:
        time.sleep(0.01)
    return done()


def test_a_measurement_takes_the_median_of_a_few_keys_and_keeps_no_copy_that_is_slower(
    pretended: list[str], reader: tuple[Reader, Run]
) -> None:
    now = shown(reader, "the cat sat")
    last = cache.trace_of(now)
    run, model = reader[1], reader[0].model
    calls: list[tuple[bool, bool]] = []

    def answer(by: Any, after: Trace | None) -> Trace:
        calls.append((by is model, after is not None))
        if by is not model:
            time.sleep(0.02)
        return last

    found = placement.measure(run, model, 5, last, answer, GPU)  # type: ignore[arg-type]
    assert found.key_ms["cuda"] >= 20 > found.key_ms[CPU]
    assert calls[0] == (False, False) and all(after for _, after in calls[1:])
    assert len(calls) == 1 + 2 * (placement.ROUNDS + 1) and not len(placement.copies())


def test_where_the_device_has_no_room_the_processor_answers_and_it_is_said(
    pretended: list[str], reader: tuple[Reader, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, model = reader[1], reader[0].model
    with placement.ask_for(Choice.CPU):
        want = typed(reader)
    cache.TRACES.clear()
    with placement.ask_for(Choice.CUDA):
        first = shown(reader, KEYS[0])
        cache.trace_of(first)
        copy = placement.copies().get(placement.snapshots.key_of(run))
        assert copy is not None

        def full(*args: Any, **named: Any) -> Trace:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")

        monkeypatch.setattr(copy, "trace", full)
        found = typed(reader)
        assert not len(placement.copies()) and not len(placement.traces())
        for (header, mine), (other, theirs) in zip(want, found, strict=True):
            assert header["readings"][0]["labels"] == other["readings"][0]["labels"]
            np.testing.assert_allclose(mine, theirs, atol=1e-5)
        (said,) = placement.notes(run, model, len(first.part) + 3, "The model")
        assert "no room" in said and "runs on the processor" in said
        assert placement.place(run, model, 1) == "cuda", "a shorter text may have room"  # type: ignore[arg-type]


def test_the_variable_and_the_switch(
    pretended: list[str], reader: tuple[Reader, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, model = reader[1], reader[0].model
    monkeypatch.setenv("UNROLLED_DEVICE", "cuda")
    assert placement.place(run, model, 9) == "cuda"  # type: ignore[arg-type]
    assert placement.notes(run, model, 9, "M") == ["M runs on the GPU, as chosen."]
    with placement.ask_for(Choice.CPU):
        assert placement.place(run, model, 9) == CPU  # type: ignore[arg-type]
    monkeypatch.setenv("UNROLLED_DEVICE", "tpu")
    with pytest.raises(ValueError, match="'tpu'; it can be auto, cpu or cuda"):
        device.read_choice()
    assert placement.choice() is Choice.AUTO
    monkeypatch.setattr(device, "gpu", lambda: None)
    monkeypatch.setenv("UNROLLED_DEVICE", "cuda")
    assert placement.place(run, model, 9) == CPU  # type: ignore[arg-type]
    assert placement.notes(run, model, 9, "M") == ["No GPU found: the models run on the processor."]
    monkeypatch.setenv("UNROLLED_DEVICE", "auto")
    assert placement.notes(run, model, 9, "M") == []
    placement.find_known(run, 9).seen.extend([0.161, 1.4, 0.16])
    assert placement.notes(run, model, 9, "M") == [
        "M runs on the processor, 161 ms a key; no GPU found."
    ]


def test_what_lies_on_the_device_is_bounded(pretended: list[str]) -> None:
    for memory, most in ((8, (1_000_000_000, 4_000_000_000)), (2, (500_000_000, 1_000_000_000))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(device, "gpu", lambda n=memory: Gpu("cuda", "One", n * 1_000_000_000))
            assert (placement.traces().most_bytes, placement.copies().most_bytes) == most
        placement.forget()


def test_a_copy_has_numbers_of_its_own(trained: Callable[[str], Any]) -> None:
    for id in ("transformer", "lstm", "bert"):
        model = trained(id)
        made = neural.copy_apart(model)
        for (name, mine), (_, theirs) in zip(
            model.net.state_dict().items(), made.net.state_dict().items(), strict=True
        ):
            assert mine.data_ptr() != theirs.data_ptr(), name
            assert torch.equal(mine, theirs), name
        on_meta = neural.copy_apart(model, "meta")
        assert all(p.is_meta for p in on_meta.net.parameters())
        assert not any(p.is_meta for p in model.net.parameters())
