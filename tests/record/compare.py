"""What two records say differently, by content: sentences, tables, pictures and controls of a part,
wherever in it they stand; numbers to six digits."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tests.record.store import Record, Shown, State, leaves

NEAR, NONE = 2e-6, 1e-9  # two numbers are one within this share, and so near nothing
ALIKE = 0.6  # two sentences are one that was changed
FEW, LONG = 3, 90  # cells and states that a line names; signs of a title
WHOLE = ("latex", "code", "alt", "readout")  # texts that are one sentence
WORDS = ("label", "title", "says", "help", "placeholder", "axes")
BOX = ("is", "least", "most", "step", "options", "value")
NUMBER = re.compile(r"-?\d+\.\d{6,}(?:e[-+]?\d+)?")
SENTENCE = re.compile(r"\n+|(?<=[.!?:])\s+(?=[^a-z\s])")
SIGNS = re.compile(r"\\([!-/:-@\[-`{-~])|\*\*")

Key = tuple[str, tuple[tuple[str, str], ...]]  # part, and what is chosen there


@dataclass(frozen=True, order=True)
class Difference:
    page: str
    part: str
    kind: str  # lost, new, changed or moved
    says: str
    where: tuple[str, ...]  # the states in which it is so

    def __str__(self) -> str:
        more = f"; … {len(self.where)} states" if len(self.where) > FEW else ""
        return f"  {self.kind} {self.says}  [{'; '.join(self.where[:FEW])}{more}]"


def plain(text: str) -> str:
    """Words without the signs of Markdown, with single spaces and short numbers."""
    words = SIGNS.sub(lambda found: found[1] or "", text)
    return " ".join(NUMBER.sub(lambda found: f"{float(found[0]):.6g}", words).split())


def same(a: Any, b: Any) -> bool:
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except (TypeError, ValueError):
        return isinstance(a, str) and isinstance(b, str) and plain(a) == plain(b)
    return abs(x - y) <= NEAR * max(abs(x), abs(y)) + NONE or (x != x and y != y)


def ordered(cells: Iterable[Any]) -> list[Any]:
    """Numbers by their size, then words."""
    of: dict[bool, list[Any]] = {True: [], False: []}
    for cell in cells:
        of[isinstance(cell, int | float)].append(cell)
    return [*sorted(of[True]), *sorted(of[False], key=str)]


def few(found: Sequence[str]) -> str:
    return "; ".join(found[:FEW]) + (f" … {len(found)} in all" if len(found) > FEW else "")


def is_box(thing: Shown) -> bool:
    """Whether it is a control: of the others only these hold a value."""
    return "value" in thing


def sentences(things: Iterable[Shown]) -> Counter[str]:
    found: Counter[str] = Counter()
    for thing in things:
        for text in leaves([thing.get(name) for name in WORDS[is_box(thing) :]]):
            for one in [text] if thing["is"] in WHOLE else SENTENCE.split(text or ""):
                if words := plain(one or "").removeprefix("- "):
                    found[words] += 1
    return found


def texts(old: Iterable[Shown], new: Iterable[Shown]) -> Iterator[tuple[str, str]]:
    before, after = sentences(old), sentences(new)
    come = [*(after - before).elements()]
    for one in (before - after).elements():
        if near := get_close_matches(one, come, 1, ALIKE):
            come.remove(near[0])
            yield "changed", f"“{one}” → “{near[0]}”"
        else:
            yield "lost", f"sentence “{one}”"
    yield from (("new", f"sentence “{one}”") for one in come)


def cells(old: Shown, new: Shown) -> Iterator[str]:
    """Of two tables."""
    if old["columns"] != new["columns"]:
        yield f"columns {', '.join(old['columns'])} → {', '.join(new['columns'])}"
        return
    for name, before, after in zip(old["columns"], old["cells"], new["cells"], strict=False):
        if len(before) != len(after):
            yield f"{name}: {len(before)} rows → {len(after)}"
        for n, (a, b) in enumerate(zip(before, after, strict=False)):
            if not same(a, b):
                yield f"{name}, row {n + 1}: {a} → {b}"
    if old.get("forms", {}) != new.get("forms", {}):
        yield f"numbers written as {old.get('forms')} → {new.get('forms')}"


def columns(thing: Shown) -> Iterator[tuple[str, list[Any]]]:
    for data in thing["data"]:
        yield from (
            (name, ordered(c)) for name, c in zip(data["columns"], data["cells"], strict=False)
        )


def numbers(old: Shown, new: Shown) -> Iterator[str]:
    """Of two pictures: each column for itself, whatever its name and order."""
    others, left = [*columns(new)], []
    for name, column in columns(old):
        equal = (o for o in others if len(o[1]) == len(column) and all(map(same, column, o[1])))
        if found := next(equal, None):
            others.remove(found)
        else:
            left.append((name, column))
    for name, column in left:
        if found := next((o for o in others if o[0] == name), None):
            others.remove(found)
            pairs = zip(column, found[1], strict=False)
            wrong = [f"{a} → {b}" for a, b in pairs if not same(a, b)]
            yield f"{name}: {len(column)} values → {len(found[1])}, {few(wrong)}"
        else:
            yield f"{name}: {len(column)} values are gone"
    yield from (f"{name}: {len(column)} values are new" for name, column in others)


def bags(old: Shown, new: Shown) -> Iterator[str]:
    """Of two boards."""
    for name in ("words", "numbers"):
        before, after = ordered(old[name]), ordered(new[name])
        if len(before) != len(after) or not all(map(same, before, after)):
            lost = [*(Counter(before) - Counter(after)).elements()]
            come = [*(Counter(after) - Counter(before)).elements()]
            yield f"{len(lost)} {name} gone, {len(come)} new: {lost[:FEW]} → {come[:FEW]}"[:300]


def boxes(old: Shown, new: Shown) -> Iterator[str]:
    """Of two controls."""
    if plain(old["label"]) != plain(new["label"]):
        yield f"label {old['label']} → {new['label']}"
    for name in BOX:
        if not same(old.get(name), new.get(name)):
            yield f"{name} {old.get(name)} → {new.get(name)}"


def title(thing: Shown) -> str:
    named = (thing.get(name) for name in ("label", "title", "says", "columns", "words"))
    return plain(", ".join(leaves(next(filter(None, named), ""))))[:LONG]


COMPARED: dict[str, Callable[[Shown, Shown], Iterator[str]]] = {
    "table": cells,
    "chart": numbers,
    "board": bags,
    "control": boxes,
}


def differ(old: Sequence[Shown], new: Sequence[Shown]) -> Iterator[tuple[str, str]]:
    """(kind, words) of every difference of two states."""
    yield from texts(old, new)
    for kind, compare in COMPARED.items():
        mine = is_box if kind == "control" else lambda one, kind=kind: one["is"] == kind
        others, left = [*filter(mine, new)], []
        for one in filter(mine, old):
            if found := next((o for o in others if o == one or not any(compare(one, o))), None):
                others.remove(found)
            else:
                left.append(one)
        alone = len(left) == len(others) == 1 and kind != "control"
        for one in left:
            if near := [o for o in others if alone or title(o) == title(one)]:
                nearest = min(near, key=lambda o: len([*compare(one, o)]))
                others.remove(nearest)
                yield "changed", f"{kind} “{title(one)}”: {few([*compare(one, nearest)])}"
            else:
                yield "lost", f"{kind} “{title(one)}”"
        yield from (("new", f"{kind} “{title(one)}”") for one in others)


def states(record: Record) -> dict[Key, State]:
    """By part and what is chosen; where two controls are called the same, the second as `#2`."""
    found: dict[Key, State] = {}
    for one in record.states:
        part, n = plain(" / ".join(one.part)), 1
        chosen = own = tuple((plain(a), plain(b)) for a, b in one.chosen)
        while (part, chosen) in found:
            n += 1
            chosen = (*own, ("#", str(n)))
        found[part, chosen] = one
    return found


def compare(
    old: Mapping[str, Record], new: Mapping[str, Record], moved: Mapping[str, str]
) -> list[Difference]:
    """`moved`: where pages or parts have gone, {"page" or "page/part": the same}."""
    found: dict[tuple[str, str, str, str], list[str]] = {}
    after = {id: states(record) for id, record in new.items()}
    met: set[tuple[str, Key]] = set()

    def add(page: str, key: Key, kind: str, says: str) -> None:
        chosen = ", ".join(f"{label} = {value}" for label, value in key[1]) or "first values"
        found.setdefault((page, key[0], kind, says), []).append(chosen)

    for page, record in old.items():
        for key, state in states(record).items():
            there = moved.get(f"{page}/{key[0]}") or f"{moved.get(page, page)}/{key[0]}"
            id, _, part = there.partition("/")
            met.add((id, (part, key[1])))
            if other := after.get(id, {}).get((part, key[1])):
                things = [
                    [r.things[n] for n in s.shown] for r, s in ((record, state), (new[id], other))
                ]
                for kind, says in differ(*things):
                    add(page, key, kind, says)
            else:
                known = any(name == part for name, _ in after.get(id, ()))
                lost = "a state" if known else f"the part: no “{part}” on {id}"
                add(page, key, "lost", lost if id in after else f"the page: {id} is not recorded")
    for id, page_states in after.items():
        for key in page_states:
            if (id, key) not in met:
                add(id, key, "new", "a state")
    return together([Difference(*key, tuple(where)) for key, where in found.items()])


def together(found: list[Difference]) -> list[Difference]:
    """What is lost in one part of a page and new in another has moved."""
    come = {(d.page, d.says): d for d in found if d.kind == "new" and d.says != "a state"}
    rest, gone = [], set()
    for one in found:
        other = come.get((one.page, one.says)) if one.kind == "lost" else None
        if other and other not in gone:
            gone.add(other)
            one = Difference(
                one.page, one.part, "moved", f"{one.says} to “{other.part}”", one.where
            )
        rest.append(one)
    return sorted(one for one in rest if one not in gone)


def read(folder: Path, ids: Iterable[str]) -> dict[str, Record]:
    paths = sorted(folder.glob("*.json.xz"))
    named = {path.name.partition(".")[0]: path for path in paths}
    return {id: Record.read(path) for id, path in named.items() if not ids or id in ids}


def report(found: Sequence[Difference], pages: int, as_json: bool) -> str:
    count = dict(sorted(Counter(one.kind for one in found).items()))
    if as_json:
        every = [asdict(one) for one in found]
        return json.dumps(
            {"pages": pages, "count": count, "differences": every}, indent=1, ensure_ascii=False
        )
    lines, before = [], ("", "")
    for one in found:
        if (one.page, one.part) != before:
            before = one.page, one.part
            lines.append(f"{one.page} / {one.part or 'the page itself'}")
        lines.append(str(one))
    says = ", ".join(f"{number} {kind}" for kind, number in count.items()) or "no difference"
    return "\n".join([*lines, f"{pages} pages: {says}"])
