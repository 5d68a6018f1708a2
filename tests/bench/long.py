"""Long use: ten people at once on one server, for half an hour, over all pages: they type, save
files, open every run, train, and open what they trained.  In the end at most
MOST_MB of memory may be there, and no more than in the middle of the time; when all have gone, no
thread, process or open file of theirs is left.  The most that was there on the way is a number
beside, which nothing is judged by.

Each is one browser's tab on raw WebSockets (tests/bench/load.py) that goes from page to page, so
that Streamlit keeps one session of each, as it does of people.

memory   all that is in memory of the server, the pages of files (libraries, weights) among it, and
         what its workers have besides such pages; trainings and other jobs are not counted.  What
         is private to a process, `uss` of psutil, will not do: it is 150 MB less at moments at
         which a training has the same libraries open.  The end: the median of the last tenth of
         the time.  Growth: that less the median of the tenth behind its middle; up to MOST_GROWTH
         of it are the noise of two such medians
rest     threads, processes, open files when all have gone, against those after one person had done
         each thing once and gone.  Threads of a pool stay, and are at most as many as the pool has:
         they are a number beside, not counted as left over

UNROLLED_LONG_MINUTES says another time than half an hour.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil  # type: ignore[import-untyped]

from engine.bench import Bench, Row, p95
from engine.course.curriculum import LESSONS
from engine.runs.store import RunStore
from engine.storage.run_folder import NOTE
from engine.training import status
from tests.bench.load import OPEN_SECONDS, Session, warm
from tests.bench.server import Server, serve

PEOPLE, MINUTES = 10, 30.0
MOST_MB, MOST_GROWTH = 1200.0, 0.02  # growth as a part of what is there
KEYS_PER_SECOND, TYPES_SECONDS = 4.0, 4.0
LOOKS_EVERY = 2.0  # seconds between two looks at the server's memory
GONE_SECONDS = 200.0  # Streamlit keeps the session of a lost connection for 120 s
TRAINING_SECONDS = 600.0
TRAINED = ("ngram", "rnn", "skipgram")
STEPS = 20
# of engine/live/socket.py, and Streamlit's that looks after its settings; Linux keeps 15 letters
POOLS = ("live", "ThreadPoolExecu")
NUMBERS = ("csv", "parquet", "npz", "py")
PICTURES = ("png", "svg", "pdf", "html")
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="120">'
    '<text x="10" y="20">a picture</text>'
    + "".join(f'<rect x="{9 * n}" y="{90 - n}" width="7" height="{n}"/>' for n in range(33))
    + "</svg>"
)


@dataclass(frozen=True, slots=True)
class LongRow(Row):
    most_mb: float = 0.0
    end_mb: float = 0.0
    grown_mb: float = 0.0
    left_over: str = ""
    pooled: int = 0


@dataclass(slots=True)
class Person(Session):
    """Somebody with one tab, who goes from page to page.

    training  held by whoever trains: one at a time, as the training room has it
    widgets  of the page, by label: id and the fragment that it is in
    alerts   what pages warned of
    panels   of the page's live part
    done     how often what was done
    """

    home: Path = Path()
    training: asyncio.Lock = field(default_factory=asyncio.Lock)
    widgets: dict[str, tuple[str, str]] = field(default_factory=dict)
    panels: Sequence[dict[str, Any]] = ()
    file: dict[str, Any] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    alerts: list[str] = field(default_factory=list)

    def _drawn(self, element: Any, fragment: str) -> None:
        Session._drawn(self, element, fragment)
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(f"{self.page}?{self.query}: {element.exception.message}")
        if kind == "alert":
            self.alerts.append(element.alert.body)
        found = getattr(element, kind)
        if {"id", "label"} <= {one.name for one in found.DESCRIPTOR.fields}:
            self.widgets[found.label] = found.id, fragment

    def _take(self, header: dict[str, Any]) -> None:
        Session._take(self, header)
        self.panels = header["layout"].get("panels") or self.panels
        self.file = header.get("file", {})

    async def visit(self, server: Server, page: str, **query: str) -> None:
        """Go to a page; where it has a live part, open that."""
        if self.socket:
            await self.socket.close()
        self.page, self.query, self.socket = page, urlencode(query), None
        self.widget, self.layout, self.answered, self.start = "", None, None, None
        self.text, self.tagged, self.pressed, self.panels = "", False, {}, ()
        self.widgets = {}
        await self._run(self._ask(None))
        self.done["pages"] += 1
        if self.widget:
            await self.begin(server)

    async def types(self, waits: random.Random) -> None:
        self.seed = waits.randrange(10**9)
        try:
            await self.type(KEYS_PER_SECOND, time.perf_counter() + TYPES_SECONDS)
        except RuntimeError:  # only the script can answer that key; a browser asks it too
            await self._script({})
            self.done["keys answered by the script"] += 1

    async def saves(self, waits: random.Random) -> None:
        """A file of one of the panels, its picture or its numbers."""
        panel = waits.choice(self.panels)
        format = waits.choice(NUMBERS if panel["numbers"] else ("csv",))
        if waits.random() < 0.5:
            format = waits.choice(PICTURES)
        table = {"columns": ["a"], "rows": [["1"]]}
        wish: dict[str, Any] = {"id": self.seq, "panel": panel["id"], "format": format}
        wish |= {"text": self.text, "start": None, "selection": {}, "dark": waits.random() < 0.5}
        wish |= {"svg": PICTURE, "title": panel["title"], "says": "", "table": table}
        await self._script({"save": wish})
        self.done["files" if "size" in self.file else "nothing to save"] += 1

    async def _script(self, more: dict[str, Any]) -> None:
        """A message by way of the script, with a wish."""
        message = self._message()
        await self.script.send(self._ask({"msg": message, **more}))
        self._take(await asyncio.wait_for(self._told(), OPEN_SECONDS))

    async def press(self, label: str, **values: float | str) -> None:
        """A button, with what stands in fields beside it, by their labels."""
        message, fragment = self._about(label)
        states = message.rerun_script.widget_states.widgets
        states.add(id=self.widgets[label][0], trigger_value=True)
        for name, value in values.items():
            widget = states.add(id=self.widgets[name][0])
            if isinstance(value, str):
                widget.string_value = value
            else:
                widget.double_value = value
        await self._run(message.SerializeToString(), part=bool(fragment))

    async def choose(self, label: str, option: str) -> None:
        """One of a few that stand side by side."""
        message, fragment = self._about(label)
        widget = message.rerun_script.widget_states.widgets.add(id=self.widgets[label][0])
        widget.string_array_value.data.append(option)
        await self._run(message.SerializeToString(), part=bool(fragment))

    def _about(self, label: str) -> tuple[Any, str]:
        """A message about a widget of the page, and the fragment that it is in."""
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        fragment = self.widgets[label][1]
        message.rerun_script.fragment_id = fragment
        message.rerun_script.page_script_hash = self.hash
        message.rerun_script.query_string = self.query
        return message, fragment

    async def trains(self, server: Server, waits: random.Random) -> None:
        """From the training room to the run opened on Inspect."""
        model, seed = waits.choice(TRAINED), waits.randrange(10**6)
        await self.script.close()  # in a tab of its own: one's last choice goes before an address
        await self.connect(server)
        await self.visit(server, "training", model=model, corpus="scenes")
        if "Start training" not in self.widgets:  # one watches those of before
            await self.choose("What to do", "Train a model")
        more = {"steps": STEPS} if "steps" in self.widgets else {}
        await self.press("Start training", Name=f"n{seed}", Seed=seed, **more)
        folder = self.home / "runs" / f"{model}-n{seed}"
        until = time.monotonic() + TRAINING_SECONDS
        while not (folder / NOTE).is_file():
            last = status.read(folder)
            if time.monotonic() > until or (last is not None and not last.alive):
                said = f"; the page said {self.alerts[-3:]}" if self.alerts else ""
                raise RuntimeError(f"the training in {folder} did not end: {last}{said}")
            await self.visit(server, "training", training=folder.name)
            await asyncio.sleep(3)
        self.done["trainings"] += 1
        await self.visit(server, "inspect", run=folder.name)
        await self.types(waits)

    async def uses(self, server: Server, until: float) -> None:
        """Whatever people do, until it is time to go."""
        waits = random.Random(self.seed)
        runs = RunStore().all()
        todo: list[tuple[str, dict[str, str]]] = []
        while time.perf_counter() < until:
            if not todo:  # each page, and each run on Inspect and on the page of its model
                todo = [(item.id, {}) for item in LESSONS] + [("", {})]
                todo += [("inspect", {"run": run.id}) for run in runs]
                todo += [
                    (item.id, {"run": run.id})
                    for item in LESSONS
                    for run in runs
                    if item.live and item.model == run.model
                ]
                waits.shuffle(todo)
            if waits.random() < 0.05 and not self.training.locked():
                async with self.training:
                    await self.trains(server, waits)
                continue
            page, query = todo.pop()
            await self.visit(server, page, **query)
            if self.socket:
                await self.types(waits)
                await self.saves(waits)
                self.done["runs"] += "run" in query
            else:
                await asyncio.sleep(waits.uniform(1, 4))


@dataclass(frozen=True, slots=True)
class Look:
    """names    threads by name, without the number that a pool gives each of its own
    running  the processes beside the server, by what they run
    """

    memory_mb: float
    processes: int
    files: int
    names: Counter[str]
    running: Counter[str] = field(default_factory=Counter)

    @property
    def threads(self) -> int:
        return self.names.total() - self.pooled

    @property
    def pooled(self) -> int:
        """Threads that a pool keeps for whoever comes next."""
        return sum(count for name, count in self.names.items() if name.startswith(POOLS))


def look(process: psutil.Process) -> Look:
    """The server and its workers.  Jobs (engine/jobs/detached.py: trainings, maps), which are in a
    session of their own and end by themselves, are not counted as memory, but as processes."""
    every = [process, *process.children(recursive=True)]
    found = []
    for one in every:
        with contextlib.suppress(OSError):
            if os.getsid(one.pid) == os.getsid(process.pid):
                found.append(one)
    used = 0
    for one in found:
        with contextlib.suppress(psutil.Error):
            used += one.memory_info().rss if one.pid == process.pid else _own_bytes(one)
    running = Counter[str]()
    for one in every[1:]:
        with contextlib.suppress(psutil.Error):  # python -m MODULE ...
            running[" ".join(one.cmdline()[2:4]) or one.name()] += 1
    names = Counter[str]()
    for thread in Path(f"/proc/{process.pid}/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # it has just ended
            names[thread.read_text().strip().rstrip("_0123456789")] += 1
    return Look(used / 1e6, len(every), process.num_fds(), names, running)


def _own_bytes(process: psutil.Process) -> int:
    """Memory that no file stands for."""
    info = process.memory_info()
    return int(info.rss - getattr(info, "shared", 0))


async def _looks(process: psutil.Process, seen: list[Look]) -> None:
    while True:
        seen.append(await asyncio.to_thread(look, process))
        await asyncio.sleep(LOOKS_EVERY)


async def _crowd(
    server: Server, home: Path, people: int, seconds: float
) -> tuple[list[Person], list[Look]]:
    training = asyncio.Lock()
    crowd = [Person("", 1000 + n, home=home, training=training) for n in range(people)]
    seen: list[Look] = []
    watching = asyncio.create_task(_looks(psutil.Process(server.process.pid), seen))
    try:
        for person in crowd:
            await person.connect(server)
        until = time.perf_counter() + seconds
        await asyncio.gather(*(person.uses(server, until) for person in crowd))
    finally:
        watching.cancel()
        await asyncio.gather(*(person.close() for person in crowd), return_exceptions=True)
    return crowd, seen


async def _once(server: Server, home: Path) -> None:
    """One person does each thing once, and goes."""
    waits, person = random.Random(1), Person("", 1, home=home)
    await person.connect(server)
    try:
        for page in ("lstm", "home", "transformer"):
            await person.visit(server, "" if page == "home" else page)
            await person.types(waits)
            for _ in range(4):
                await person.saves(waits)
        await person.trains(server, waits)
    finally:
        await person.close()


def bench() -> Iterator[Row]:
    minutes = float(os.environ.get("UNROLLED_LONG_MINUTES") or MINUTES)
    with tempfile.TemporaryDirectory(prefix="unrolled-long-", ignore_cleanup_errors=True) as place:
        home = Path(place)
        with serve(home=home) as server:
            process = psutil.Process(server.process.pid)
            warm(server)
            asyncio.run(_once(server, home))
            time.sleep(15)  # threads that nobody needs end after ten seconds
            before = look(process)
            try:
                crowd, seen = asyncio.run(_crowd(server, home, PEOPLE, 60 * minutes))
            except RuntimeError as problem:
                raise RuntimeError(f"{problem}; the log ends: {server.said()[-3000:]}") from problem
            yield from _rows(minutes, crowd, seen, before, _after(server, before))
            if "Traceback" in server.said():
                yield Row.failed("log", RuntimeError(server.said()[-2000:]))


def _after(server: Server, before: Look) -> Look:
    """What is there when all have gone, as soon as nothing is left over of them."""
    process = psutil.Process(server.process.pid)
    until = time.monotonic() + GONE_SECONDS
    while _left(before, after := look(process)) and time.monotonic() < until:
        time.sleep(LOOKS_EVERY)
    return after


def _left(before: Look, after: Look) -> str:
    counts = {
        name: getattr(after, name) - getattr(before, name)
        for name in ("threads", "processes", "files")
    }
    found = [f"{count} {name}" for name, count in counts.items() if count > 0]
    for kind, more in (
        ("threads", after.names - before.names),
        ("processes", after.running - before.running),
    ):
        if counts[kind] > 0:
            said = ", ".join(f"{count} {name}" for name, count in more.items())
            found.append(f"{kind} more: {said}")
    return "; ".join(found)


def _rows(
    minutes: float, crowd: Sequence[Person], seen: Sequence[Look], before: Look, after: Look
) -> Iterator[Row]:
    done = sum((person.done for person in crowd), Counter[str]())
    delays = [delay for person in crowd for delay in person.delays]
    memory = [one.memory_mb for one in seen]
    tenth = max(len(memory) // 10, 1)
    middle = len(memory) // 2
    then = statistics.median(memory[middle : middle + tenth])
    end = statistics.median(memory[-tenth:])
    course = [statistics.median(memory[at : at + tenth]) for at in range(0, len(memory), tenth)]
    left = _left(before, after)
    did = ", ".join(f"{count:,} {name}" for name, count in sorted(done.items()))
    yield LongRow(
        "reply",
        f"{len(crowd)} people, {minutes:g} minutes: {did}, {len(delays):,} keys; memory at the end"
        f" {end:,.0f} MB, {end - then:+,.0f} MB since the middle, at most {max(memory):,.0f} MB;"
        f" by tenths of the time {', '.join(f'{mb:,.0f}' for mb in course)};"
        f" left over: {left or 'nothing'}, beside {after.pooled} threads of pools",
        statistics.median(delays),
        p95(delays),
        most_mb=round(max(memory), 1),
        end_mb=round(end, 1),
        grown_mb=round(end - then, 1),
        left_over=left,
        pooled=after.pooled,
    )
    if end > MOST_MB:
        said = f"{end:,.0f} MB at the end, {MOST_MB:,.0f} at most"
        yield Row.failed("memory", RuntimeError(said))
    if end - then > MOST_GROWTH * then:
        yield Row.failed("growth", RuntimeError(f"{then:,.0f} MB, {end:,.0f} MB in the end"))
    if left:
        yield Row.failed("rest", RuntimeError(f"left over: {left}"))


BENCH = Bench(bench)

if __name__ == "__main__":
    for row in bench():
        print(json.dumps(row.as_dict()))
