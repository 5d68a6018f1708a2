"""One page by AppTest: every part, every fold, both ends of each control."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest, element_tree, local_script_runner

from engine import ROOT
from tests.record.shown import Looks, Name, Sight, state_of
from tests.record.store import Record

# the words of a choice that opens one part of a page
CHOICES = ("Look closer", "Other choices", "Look at", "What to count")
# buttons that show more at once, each time the same
PRESSED = (
    "First minute",
    "Whole sentence",
    "Until it converges",
    "Shuffle again",
    "Pick the best unit",
)
ODD = "zzz 7 – “Œuvre” 👍 |x| $y$ the old captain"
ALL, SOME = 12, 6  # options side by side that are all tried; chosen at once where several may be
DEPTH = 1  # of controls that come with the value of another
SECONDS, WAIT, WAITS = 600, 0.25, 400  # of a run; between two looks at a job; of these at most

Chosen = tuple[tuple[str, str], ...]
Bag = Counter[tuple[tuple[str, ...], int]]


def record(id: str, script: str, out: Path) -> None:
    """A page, in a process of its own: none finds what another has kept."""
    with tempfile.TemporaryDirectory(prefix="unrolled-record-", ignore_cleanup_errors=True) as home:
        os.environ |= {"UNROLLED_HOME": home, "UNROLLED_THREADS": "1", "OMP_NUM_THREADS": "1"}
        fast()
        closed()
        begun = time.monotonic()
        made = Walk(id, script).all()
        made.write(out)
    wrong = sum(thing["is"] == "exception" for thing in made.things)
    took = time.monotonic() - begun
    print(
        f"{id}: {len(made.states)} states, {len(made.things)} elements, {wrong} exceptions,"
        f" {len(made.notes)} notes, {took:.0f} s",
        flush=True,
    )


def fast() -> None:
    """As tests/conftest.py: what a server does once, AppTest does for every run."""
    compiled = local_script_runner.ScriptCache()
    local_script_runner.ScriptCache = lambda: compiled  # type: ignore[misc, assignment]
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)  # type: ignore[assignment]


def closed() -> None:
    """No way to the network."""

    def refuse(self: socket.socket, address: Any) -> None:
        raise OSError(f"{address}: the network is closed while a page is recorded")

    socket.socket.connect = refuse  # type: ignore[method-assign]


class Visit:
    """One person on one page; who comes again does what was `done`."""

    def __init__(self, record: Record, script: str) -> None:
        self.record, self.script, self.looks = record, script, Looks(record)
        self.forced: dict[str, WidgetState] = {}
        self.done: list[Callable[[], object]] = []
        element_tree.get_widget_state = lambda node: (
            self.forced.get(getattr(node, "id", "")) or state_of(node)
        )
        self.open()

    def open(self) -> None:
        self.at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
        if self.script != "app.py":
            self.at.switch_page(self.script)
        self.run()
        self.rest()
        for again in self.done:
            again()

    def run(self) -> None:
        self.seen: Sight | None = None
        self.at.run()
        self.forced.clear()
        for _ in range(WAITS):
            if not self.at.main.get("progress"):
                return
            time.sleep(WAIT)
            self.at.run()
        self.record.notes.append("a job was still at work")

    def rest(self) -> None:
        """What a browser says after a moment of rest, for what stands below the live pictures."""
        for live in self.at.main.get("bidi_component"):
            assert isinstance(live, element_tree.Element)
            if data := live.proto.bytes:
                header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
                look = header.get("initial", {}).get("selection", {})
                said = {"text": header["text"], "seq": 1}
                nothing = dict.fromkeys(("base", "base_start", "have", "start"))
                self.at.session_state[f"{live.key}"] = {"msg": said | nothing}
                self.at.session_state[f"{live.key}.settle"] = {**said, "selection": look, "n": 1}
                self.run()

    def look(self) -> Sight:
        if self.seen is None:
            self.seen = self.looks.look(self.at.main)
        return self.seen

    def choose(self, name: Name, state: WidgetState) -> None:
        node = self.look().controls[name]
        self.forced[node.id] = state = WidgetState.FromString(state.SerializeToString())
        state.id = node.id
        self.run()

    def set(self, keys: Iterable[str], value: object) -> None:
        for key in keys:
            self.at.session_state[key] = value
        self.run()

    def press(self, name: Name) -> None:
        self.look().buttons[name].click()
        self.run()

    @contextmanager
    def step(
        self, says: str, act: Callable[[], object], back: Callable[[], object] | None
    ) -> Iterator[bool]:
        """Do something, and take it back; where that leads not to where it began, come again."""
        before = self.look()
        try:
            act()
            went = True
        except (KeyError, RuntimeError, ValueError) as problem:
            self.record.notes.append(f"{says}: {type(problem).__name__} {problem}")
            went = False
        self.done.append(act)
        yield went
        self.done.pop()
        try:
            if went and back:
                back()
            if went and back and Counter(self.look().shown) == Counter(before.shown):
                return
            if back:
                self.record.notes.append(f"{says}: does not come back")
        except (KeyError, RuntimeError, ValueError) as problem:
            self.record.notes.append(f"back from {says}: {type(problem).__name__} {problem}")
        self.open()


class Walk:
    def __init__(self, page: str, script: str) -> None:
        self.record = Record(page)
        self.visit = Visit(self.record, script)

    def all(self) -> Record:
        self.scope((), (), frozenset(), Counter())
        return self.record

    def scope(
        self,
        part: tuple[str, ...],
        chosen: Chosen,
        before: frozenset[Name],
        known: Bag,
        like: Mapping[tuple[str, ...], list[int]] | None = None,
        own: tuple[str, ...] | None = None,
        depth: int = 0,
    ) -> None:
        """What has come: what is shown besides the `known`, and what can be chosen besides what
        could be `before`.

        like  what was shown before a control was set; the folds in which that is the same are left
              out, but for its `own`
        """
        visit, first = self.visit, self.visit.look()
        new = first.names - before
        choice = next((n for n in first.controls if n in new and n[1] in CHOICES), None)
        parts: list[tuple[str, WidgetState]] = []
        common, shared = Counter(first.shown), first.names
        if choice:
            node = first.controls[choice]
            parts, turns = [*ends(node, every=True)], Counter[Any]()
            with visit.step(
                node.proto.label, lambda: None, partial(visit.choose, choice, state_of(node))
            ):
                for _, state in parts:
                    visit.choose(choice, state)
                    sight = visit.look()
                    turns[sight.places[choice]] = 1
                    common &= Counter(sight.shown)
                    shared &= sight.names
            common += turns
            new = (new & shared) - {choice}
        rest = known + (Counter(first.shown) - common)
        here = self.tell(part, chosen, first, rest, like, own)
        if not depth:
            self.tables(part, chosen, first, new)
        if depth <= DEPTH:
            for name in first.controls:
                if name in new and not first.controls[name].disabled:
                    self.control(part, chosen, name, first, rest, here, depth)
        if not depth:
            for name in first.buttons:
                if name in new and name[1] in PRESSED:
                    with visit.step(name[1], partial(visit.press, name), None) as went:
                        if went:
                            self.tell(
                                part, (*chosen, (name[1], "pressed")), visit.look(), rest, here
                            )
        for name, key in first.folds.items():
            if name in new:
                opens, closes = partial(visit.set, [key], True), partial(visit.set, [key], False)
                with visit.step(name[1], opens, closes) as went:
                    if went:
                        self.scope(part, chosen, first.names, Counter(first.shown), depth=depth)
        for words, state in parts:
            assert choice
            begun = state_of(first.controls[choice])
            with visit.step(
                words, partial(visit.choose, choice, state), partial(visit.choose, choice, begun)
            ) as went:
                if went:
                    self.scope((*part, words), (), shared | before, common + known)

    def control(
        self,
        part: tuple[str, ...],
        chosen: Chosen,
        name: Name,
        first: Sight,
        known: Bag,
        here: Mapping[tuple[str, ...], list[int]],
        depth: int,
    ) -> None:
        node, visit = first.controls[name], self.visit
        begun = state_of(node)
        for words, state in ends(node):
            with visit.step(
                f"{name[1]} = {words}",
                partial(visit.choose, name, state),
                partial(visit.choose, name, begun),
            ) as went:
                if went:
                    now = (*chosen, (name[1], words))
                    folds = first.places[name][0]
                    self.scope(part, now, first.names, known, here, folds, depth + 1)

    def tables(
        self, part: tuple[str, ...], chosen: Chosen, first: Sight, new: frozenset[Name]
    ) -> None:
        """What the Table tabs of the pictures show."""
        keys = [key for name, key in first.tabs.items() if name in new]
        if not keys:
            return
        opens, closes = (
            partial(self.visit.set, keys, "Table"),
            partial(self.visit.set, keys, "Picture"),
        )
        with self.visit.step("Table", opens, closes) as went:
            if went:
                shown = self.visit.look().shown
                found = Sight([s for s in shown if self.record.things[s[1]]["is"] == "table"])
                self.tell(part, (*chosen, ("Table", "")), found, Counter(first.shown))

    def tell(
        self,
        part: tuple[str, ...],
        chosen: Chosen,
        sight: Sight,
        known: Bag,
        like: Mapping[tuple[str, ...], list[int]] | None = None,
        own: tuple[str, ...] | None = None,
    ) -> dict[tuple[str, ...], list[int]]:
        """Write down what is shown besides the known, each fold by itself."""
        left = Counter(known)
        found: dict[tuple[str, ...], list[int]] = dict.fromkeys(like or (), []) | {}
        for folds, number in sight.shown:
            if left[folds, number] > 0:
                left[folds, number] -= 1
            else:
                found[folds] = [*found.get(folds, ()), number]
        for folds, numbers in found.items():
            if like is None or folds == own or like.get(folds) != numbers:
                self.record.add((*part, *folds), chosen, numbers)
        return found


def ends(node: Any, every: bool = False) -> Iterator[tuple[str, WidgetState]]:
    """The least and the most of a control, in words and as a browser would send them; not what it
    holds."""
    held, proto = state_of(node), node.proto
    assert held is not None
    for name, values in _values(node, proto, every):
        state = WidgetState(id=node.id)
        if isinstance(values, list):
            getattr(state, name).SetInParent()
            getattr(state, name).data.extend(values)
        else:
            setattr(state, name, values)
        if every or state != held:
            said = values if isinstance(values, list) else [values]
            yield ", ".join(f"{v:.6g}" if isinstance(v, float) else str(v) for v in said), state


def _values(node: Any, proto: Any, every: bool) -> Iterator[tuple[str, Any]]:
    if node.type == "slider":
        low, high = float(proto.min), float(proto.max)
        for pair in (
            ([low, low], [low, high], [high, high]) if len(proto.default) == 2 else ([low], [high])
        ):
            yield "double_array_value", pair
    elif node.type == "select_slider":
        low, high = proto.options[0], proto.options[-1]
        for pair in ([low, low], [low, high]) if len(proto.default) == 2 else ([low], [high]):
            yield "string_array_value", pair
    elif node.type == "number_input":
        for has, end in ((proto.has_min, proto.min), (proto.has_max, proto.max)):
            if has:
                yield "double_value", float(end)
    elif node.type in ("selectbox", "radio") and proto.options:
        for option in dict.fromkeys((proto.options[0], proto.options[-1])):
            yield "string_value", option
    elif node.type == "button_group" and node.options:
        if proto.click_mode == proto.SINGLE_SELECT:
            few = every or len(node.options) <= ALL
            for option in node.options if few else (node.options[0], node.options[-1]):
                yield "string_array_value", [option]
        else:
            yield "string_array_value", []
            yield "string_array_value", list(node.options[:SOME])
    elif node.type == "multiselect":
        yield "string_array_value", []
        yield "string_array_value", list(proto.options[: proto.max_selections or SOME][:SOME])
    elif node.type in ("checkbox", "toggle"):
        yield "bool_value", False
        yield "bool_value", True
    elif node.type in ("text_input", "text_area"):
        yield "string_value", ""
        yield "string_value", ODD[: proto.max_chars or None]
    elif node.type == "pagination":
        yield "int_value", 1
        yield "int_value", proto.num_pages
