"""`bench`: rows as they come, what fails is a row and the rest goes on, parts by name."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine import bench as benches
from engine.__main__ import main
from engine.bench import Bench, Row, attempt, measure
from tests.bench import load, long
from tests.conftest import Capture, Patch

GOOD = Row.of("a key", "64 characters", [1.0, 2.0, 3.0], "slow", [4.0, 4.0, 8.0])


class Folder:
    """What a registry of these benches would be."""

    def __init__(self, found: dict[str, Bench | Exception]) -> None:
        self.found = found

    def get(self, name: str) -> Bench:
        found = self.found[name]
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture
def given(monkeypatch: Patch) -> Callable[..., None]:
    def give(**found: Bench | Exception) -> None:
        monkeypatch.setattr(benches, "benches", lambda: dict.fromkeys(found, Folder(found)))

    return give


def good() -> Iterator[Row]:
    yield GOOD


def breaks() -> Iterator[Row]:
    yield GOOD
    raise RuntimeError("the page\nis gone")


def pages(parts: tuple[str, ...]) -> Iterator[Row]:
    for part in parts:
        yield from attempt(part, breaks() if part == "heads" else good())


def test_ratios_by_hand() -> None:
    """Medians 2 and 4, the greatest of three 3 and 8."""
    assert GOOD.ratio == 2 / 4 and GOOD.p95_ratio == 3 / 8
    assert Row("a", "b", 1.0, 2.0, "c", 4.0).p95_ratio is None
    row = measure("a", "b", lambda: sum(range(2000)), "c", lambda: None, rounds=3)
    assert row.p95_ratio is not None and row.p95_ratio > 1
    with pytest.raises(ValueError, match="nothing was timed"):
        Row.of("a", "b", [])


def test_what_fails_is_a_row_and_the_rest_goes_on(
    given: Callable[..., None], capsys: Capture
) -> None:
    given(absent=ImportError("no playwright"), broken=Bench(breaks), fine=Bench(good))
    assert main(["bench"]) == 2
    out, err = capsys.readouterr()
    lines = [line.split("  ")[0] for line in out.splitlines()]
    assert lines == ["what", "absent", "a key", "broken", "a key"]
    assert "not measured: ImportError: no playwright" in out
    assert "not measured: RuntimeError: the page is gone" in out
    assert "0.5 x slow (p95 0.375 x)" in out
    assert err.splitlines()[-1] == (
        "error: could not be measured: absent (ImportError: no playwright);"
        " broken (RuntimeError: the page is gone)"
    )


def test_a_failure_in_json_is_said_there_and_by_the_status(
    given: Callable[..., None], capsys: Capture
) -> None:
    given(live=Bench(pages, ("home", "heads", "lstm")))
    assert main(["bench", "--json"]) == 2
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    assert [row["what"] for row in found["rows"]] == ["a key", "a key", "heads", "a key"]
    assert found["failed"] == ["live: heads (RuntimeError: the page is gone)"]
    failed = found["rows"][2]
    assert failed["problem"] and failed["median_ms"] is failed["p95_ms"] is failed["ratio"] is None
    assert found["rows"][0]["p95_ratio"] == 3 / 8
    assert err.count("a key") == 3, "rows are said while they come"


def test_rows_are_printed_as_they_come(given: Callable[..., None], capsys: Capture) -> None:
    seen = []

    def two() -> Iterator[Row]:
        yield GOOD
        seen.append(capsys.readouterr().out)
        yield GOOD

    given(two=Bench(two))
    assert main(["bench", "two"]) == 0
    assert "a key" in seen[0]


def test_parts_by_name(given: Callable[..., None], capsys: Capture) -> None:
    asked = []

    def parted(parts: tuple[str, ...]) -> Iterator[Row]:
        asked.append(parts)
        yield GOOD

    given(live=Bench(parted, ("home", "lstm", "heads")), fine=Bench(good))
    assert main(["bench", "live:lstm,home", "live"]) == 0
    assert asked == [("lstm", "home"), ("home", "lstm", "heads")]
    capsys.readouterr()
    for wrong, said in (
        ("live:nobody", "no part 'nobody' in the bench live; there are home, lstm, heads"),
        ("live:", "no part '' in the bench live"),
        ("fine:home", "no part 'home' in the bench fine; it has none"),
    ):
        assert main(["bench", wrong]) == 2
        out, err = capsys.readouterr()
        assert said in err and "a key" not in out, "nothing is measured before"


def test_every_bench_is_found_with_its_parts() -> None:
    for name, folder in benches.benches().items():
        bench = folder.get(name)
        assert isinstance(bench, Bench) and callable(bench.rows)
    parts = {name: folder.get(name).parts for name, folder in benches.benches().items()}
    assert {"start", "home", "lstm", "switch"} <= set(parts["live"])
    assert {"home", "lstm"} <= set(parts["keys"])


def test_load_goes_on_without_a_page_that_does_not_open(monkeypatch: Patch) -> None:
    crowds: list[tuple[int, list[str]]] = []

    async def alone(_: Any, page: str, *__: float, seed: int) -> list[float]:
        if page == "lstm":
            raise RuntimeError("page 'lstm' has no live component")
        return [1.0]

    async def crowd(
        _: Any, pages: list[str], sessions: int, *__: float, seed: int
    ) -> tuple[list[float], float, float]:
        crowds.append((sessions, pages))
        if len(crowds) <= 2:  # the first keys, and the first crowd
            raise RuntimeError("no key was answered")
        return [2.0, 4.0], 1.0, 0.1

    monkeypatch.setattr(load, "serve", contextlib.nullcontext)
    monkeypatch.setattr(load, "_alone", alone)
    monkeypatch.setattr(load, "crowd", crowd)
    page, first, failed, row = load.bench()
    assert page.what == "lstm" and "no live component" in str(page.problem)
    assert first.what == "the first keys of all pages" and "no key" in str(first.problem)
    assert failed.what == f"{load.CROWDS[0][0]} sessions" and "no key" in str(failed.problem)
    assert row.ratio == 3.0
    others = [page for page in load.PAGES if page != "lstm"]
    assert crowds == [(n, others) for n in (len(others), *(size for size, *_ in load.CROWDS))]


GROWS, STAYS = [900.0, 900.0, 1000.0, 1000.0, 1050.0], [900.0, 1700.0, 1000.0, 990.0, 1010.0]


@pytest.mark.parametrize(
    ("memory", "after", "failed"),
    [
        (STAYS, {"tornado": 1, "live": 4}, []),  # a peak is told, and a pool keeps its threads
        (GROWS, {"tornado": 1}, ["growth"]),
        ([1300.0, 1290.0, 1280.0, 1250.0, 1210.0], {"tornado": 1}, ["memory"]),
        (STAYS, {"tornado": 1, "renders": 1}, ["rest"]),
    ],
)
def test_long_use_is_judged_by_its_end(
    memory: list[float], after: dict[str, int], failed: list[str]
) -> None:
    """Five looks, a tenth of which is one: the end is the last, the middle the third."""
    seen = [long.Look(each, 2, 9, Counter({"tornado": 1})) for each in memory]
    person = long.Person("", 1, delays=[1.0, 2.0, 3.0])
    row, *rest = long._rows(30.0, [person], seen, seen[0], long.Look(900.0, 2, 9, Counter(after)))
    assert [one.what for one in rest] == failed
    assert isinstance(row, long.LongRow)
    assert (row.most_mb, row.end_mb) == (max(memory), memory[-1])
    more = long.Look(900.0, 3, 9, Counter(after), Counter({"engine.training fit": 1}))
    assert "1 processes" in long._left(seen[0], more) and "1 engine.training fit" in long._left(
        seen[0], more
    )
    assert row.grown_mb == memory[-1] - memory[2] and row.pooled == after.get("live", 0)
