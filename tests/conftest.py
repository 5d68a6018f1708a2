"""What every test runs under: one thread, no network, a home of its own, and small models, trained once:
`trained("lstm")` gives the model of that id, `run_folder("lstm")` the folder of its run."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch

settings.register_profile("busy", deadline=None)  # a machine with other work may take its time
settings.load_profile("busy")

ROOT = Path(__file__).parents[1]
HOME = Path(tempfile.mkdtemp(prefix="unrolled-tests-"))

# Set before anything of ours is imported, and inherited by every process that a test starts.
os.environ |= {"UNROLLED_HOME": str(HOME), "UNROLLED_THREADS": "1"}
os.environ |= {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# Tests with their asserts rewritten are kept for the next run: half the time of collecting them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
sys.path.insert(0, str(ROOT))
gc.disable()  # until all is collected: a twelfth of that time

LINES = """the cat sat on the mat/the dog sat on the log/a bird sang in the tall tree/\
the old cat saw the small bird/a dog and a cat ran to the sea/she read the book in the evening/\
he wrote a letter to the old captain/the ship came home from the sea""".split("/")
TEXT = "\n".join(LINES * 6) + "\n"


def behind_a_source(model: Any, text: str) -> str:
    """A text as the model takes it: behind a source where it reads one, alone where it does not."""
    return f"the old dog\n{text}" if model.tokens("").source else text


# One small value per setting that a config may have; a new model is small without being named here.
SMALL: dict[str, Any] = {"units": 12, "width": 16, "heads": 2, "layers": 2, "context": 24}
SMALL |= {"span": 12, "batch": 16, "steps": 30, "epochs": 2, "order": 3, "vocabulary": 300}
SMALL |= {"dim": 8, "window": 2, "negatives": 3}


def text_of(model: Any) -> str:
    """What a model of any kind can learn from here: plain lines, or its own sample where it wants labels."""
    return model.sample * 12 or TEXT


def small(model: Any, **more: Any) -> Any:
    """A small config of any model."""
    names = {f.name for f in fields(model.config_type)}
    return model.config_type(**{k: v for k, v in SMALL.items() if k in names} | more)


class Sweep:
    """Whether all of it is asked for; where not, the parameters that are slow are not even made."""

    whole = True


def pytest_configure(config: pytest.Config) -> None:
    Sweep.whole = config.getoption("markexpr") != "not slow"


def pytest_collection_finish() -> None:
    """What a server does once, AppTest does for every page: ask all packages for components (0.1 s), compile the page.
    What is imported by now stays, so the garbage collector need not look at it again (a tenth of tests/pages)."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)
    if "streamlit.testing.v1" in sys.modules:
        from streamlit.components.v2 import manifest_scanner
        from streamlit.testing.v1 import local_script_runner

        compiled = local_script_runner.ScriptCache()
        local_script_runner.ScriptCache = lambda: compiled
        manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def pytest_sessionfinish() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Nothing outside this computer is asked, and a process whose work a test does slows down nothing."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        inside = ("127.0.0.1", "::1", "localhost")
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in inside:
            raise AssertionError(f"a test asked for {address}: nothing may be fetched from outside")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.jobs.process.lower_priority", lambda: None)
        patch.setattr("engine.frame.making.PATIENCE", 1e9)  # pages are drawn once
        patch.setattr(socket.socket, "connect", guarded)
        yield


@cache
def _run_folder(id: str) -> Path:
    from engine.core.registry import models
    from engine.runs.store import Recipe, digest
    from engine.training.fit import fit

    folder, text = HOME / "runs" / f"small-{id}", text_of(models.get(id))
    for _ in fit(folder, Recipe(id, small(models.get(id)), digest(text), 0), text):
        pass
    return folder


@cache
def _trained(id: str) -> Any:
    from engine.runs.store import RunStore

    store = RunStore()
    return store.load(store.find(str(_run_folder(id))))


@cache
def shipped(id: str) -> Any:
    """A shipped model, the same object for all tests: do not change it."""
    from engine.runs.store import SHIPPED, RunStore

    store = RunStore(SHIPPED)
    return store.load(store.find(id))


def edits_of(model: Any, text: str) -> tuple[Any, ...]:
    """Edits as a link of the page Model surgery names them."""
    from engine.analysis import surgery

    found, problems = surgery.read(text, surgery.operable(model)) if text else ((), [])
    assert not problems
    return found


def p_after(model: Any, text: str, edits: str = "") -> dict[str, float]:
    """What a model expects after a text, by token; `edits` as `edits_of` takes them."""
    field = model.trace(text, edits_of(model, edits), fields=("probability",)).field("probability")
    return dict(zip(field.axis("next").labels, map(float, field.values[-1]), strict=True))


def spread(members: Iterable[Any], kinds: Iterable[Any], each: int = 1) -> list[Any]:
    """Of a check of every member with every kind, as parameters (member, kinds): each member with
    `each` kinds, in turn, so that every kind has its member; each with all of them in `make bench`."""
    of, kinds = list(members), list(kinds)
    some = [[kinds[(n * each + k) % len(kinds)] for k in range(each)] for n in range(len(of))]
    one_each = [pytest.param(one, part, id=str(one)) for one, part in zip(of, some, strict=True)]
    rest = of if Sweep.whole else []
    slow = pytest.mark.slow
    return [*one_each, *(pytest.param(one, kinds, id=f"{one}-all", marks=slow) for one in rest)]


def sampled(
    names: str | tuple[str, ...], values: Iterable[Any], each: int = 4, ids: Any = None
) -> pytest.MarkDecorator:
    """As `pytest.mark.parametrize`, of many alike: one in `each`, first and last; the rest for `make bench`."""
    many = len(names.split(",") if isinstance(names, str) else names) > 1
    found, made = list(values), []
    for n, one in enumerate(found):
        here = n % each == 0 or n == len(found) - 1
        marks, id = () if here else (pytest.mark.slow,), None
        if isinstance(one, ParameterSet):
            marks, one, id = (*one.marks, *marks), one.values, one.id
        elif not many:
            one = (one,)
        if isinstance(ids, list):
            id = ids[n]
        if here or Sweep.whole:
            made.append(pytest.param(*one, marks=marks, id=id))
    return pytest.mark.parametrize(names, made, ids=ids if callable(ids) else None)


def together(
    names: str | tuple[str, ...], values: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, in one test, of small checks alike: each is tried, all that fail are named."""
    keys = [key.strip() for key in names.split(",")] if isinstance(names, str) else list(names)
    found = list(values)

    def over(test: Callable[..., None]) -> Callable[..., None]:
        def each() -> None:
            failed: list[Exception] = []
            for value in found:
                given = dict(zip(keys, value if len(keys) > 1 else (value,), strict=True))
                try:
                    test(**given)
                except Exception as error:
                    error.add_note(f"with {given!r}"[:1000])
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(found)}", failed)

        each.__name__, each.__doc__, each.__module__ = test.__name__, test.__doc__, test.__module__
        return each

    return over


def diagonal(names: str, ones: Iterable[Any], others: Iterable[Any]) -> pytest.MarkDecorator:
    """Of a check of every pair: pairs in which each of both has its turn; the others are for `make bench`."""
    first, second = list(ones), list(others)
    here = {(n % len(first), n % len(second)) for n in range(max(len(first), len(second)))}
    every = [(n, k) for n in range(len(first)) for k in range(len(second))]
    pairs = [(first[n], second[k], (n, k) in here) for n, k in every]
    shown = [(*pair, () if now else pytest.mark.slow) for *pair, now in pairs if Sweep.whole or now]
    return pytest.mark.parametrize(names, [pytest.param(*pair, marks=m) for *pair, m in shown])


@pytest.fixture(scope="session")
def run_folder() -> Callable[[str], Path]:
    """The folder of a finished run of a small model, by the model's id; its run id is small-<model>."""
    return _run_folder


@pytest.fixture(scope="session")
def trained() -> Callable[[str], Any]:
    """A small trained model by its id, the same object for all tests: do not change it."""
    return _trained


def only_runs(factory: Any, shown: Mapping[str, Path] | None = None) -> Iterator[Path]:
    """For a fixture to yield from: the app sees these shipped runs, by id (None: all), and a home of its own."""
    import streamlit as st

    from engine.runs import store as runs

    with pytest.MonkeyPatch.context() as patch:
        root = runs.SHIPPED
        if shown is not None:
            root = factory.mktemp("shipped")
            for id, folder in shown.items():
                (root / id).symlink_to(folder, target_is_directory=True)
            patch.setattr(runs, "SHIPPED", root)
        patch.setenv("UNROLLED_HOME", str(factory.mktemp("home")))
        yield root
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture(scope="session")
def chromium() -> Iterator[str | None]:
    """Where Chromium lies, for `playwright.chromium.launch(executable_path=...)`; None means playwright's own."""
    from tests.bench.server import find_browser

    yield find_browser()
