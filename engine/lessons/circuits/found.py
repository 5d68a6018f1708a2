"""Found: the circuit of a run for its behaviour, shipped or searched here, and the dictionary of one of its layers.

assets/circuits.json    by run: its recipe; by what stands in for what is cut, of each edge its effect and the standard
                        error of that, and what circuits of all sizes keep

python -m engine.lessons.circuits.found    makes it
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from engine import ROOT
from engine import frame as fr
from engine.language.message import _, refusal
from engine.lessons.circuits import behaviours, circuit, layer, sae
from engine.lessons.circuits.circuit import Other, Question
from engine.lessons.circuits.wires import Wires, check
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.runs.store import Run, RunStore
from engine.storage.files import write_bytes
from engine.text import collection
from engine.text.corpora import agreement, brackets, copying, lag

ASSET = ROOT / "assets" / "circuits.json"
SHIPPED = (
    "transformer_copying",
    "transformer_agreement",
    "transformer_brackets",
    "transformer_lag",
    "transformer",
)
TEXTS, FEWER, LARGE = (
    64,
    16,
    1e6,
)  # texts that a net is asked; of a net of more than so many numbers
SEED, SIZES, SHIPPED_RANDOM = (
    1,
    12,
    60,
)  # circuits of a curve; random ones of each size that is shipped
MOST_EDGES = 6_000  # of a net that is cut edge by edge
PLANTED = {"copying": copying, "agreement": agreement, "brackets": brackets, "lag": lag}
LINES, LINES_SEED = 800, 77
TOKENS, FEWER_TOKENS = 12_000, 6_000  # that a dictionary is learned from and judged on


def is_large(model: Attends[Any]) -> bool:
    return sum(p.numel() for p in model.net.parameters()) > LARGE


def draws(model: Attends[Any]) -> int:
    """Random circuits that one is measured against."""
    return circuit.FEWER_RANDOM if is_large(model) else circuit.RANDOM


@lru_cache(maxsize=6)
def question(model: Attends[Any], run: str, other: Other) -> Question:
    note = RunStore().find(run).note
    some = behaviours.pairs(
        model, behaviours.of_run(note), FEWER if is_large(model) else TEXTS, SEED
    )
    return Question(Wires(model), behaviours.batch(some), other)


@dataclass(frozen=True, eq=False)
class Effects:
    """Of each edge, cut alone, what m loses (E,), and the standard error of that over the texts."""

    mean_E: np.ndarray
    error_E: np.ndarray


@cache
def shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ASSET.read_text(encoding="utf-8")) if ASSET.is_file() else {}
    return found


def known(run: Run, other: Other = "twin") -> Effects | None:
    """Of a shipped run."""
    kept = shipped().get(run.id)
    if kept is None or kept["recipe"] != run.note.get("recipe") or other not in kept["effect"]:
        return None
    return Effects(np.array(kept["effect"][other]), np.array(kept["error"][other]))


def measure(of: Question) -> Iterator[tuple[float, Effects]]:
    """How far it is, and the effects of the edges cut so far."""
    mean_E, error_E = np.zeros((2, len(of.wires.edges)))
    done = 0
    for some, effect_EB in circuit.sweep(of):
        mean_E[some] = effect_EB.mean(1)
        error_E[some] = effect_EB.std(1, ddof=1) / len(of.batch) ** 0.5
        done += len(some)
        yield done / len(mean_E), Effects(mean_E, error_E)


@fr.once_told
def effects(*, model: Attends[Any], run: str, other: Other) -> fr.Taking[Effects]:
    found = known(RunStore().find(run), other)
    if found is None:
        of = question(model, run, other)
        if len(of.wires.edges) > MOST_EDGES:
            raise refusal(
                "This net has {n:,} edges, too many to be cut one by one here; “Each head and layer” takes it.",
                n=len(of.wires.edges),
            )
        assert of.span
        edges = len(of.wires.edges)
        for share, so_far in measure(of):
            found = so_far
            yield fr.Progress(share, _("Cutting {n:,} edges, one by one", n=edges))
    assert found is not None
    return found


Row = tuple[float, ...]
"""Of a size: edges, the share kept and left, that of random circuits (mean, 2.5 %, 97.5 %), how often
the answer is right."""


def sizes(of: Question, mean_E: np.ndarray, random: int) -> Iterator[tuple[float, list[Row]]]:
    """How far it is, and circuits of more and more of the strongest edges."""
    rng, edges, rows = np.random.default_rng(circuit.SEED), len(of.wires.edges), list[Row]()
    counts = [int(n) for n in np.unique(np.geomspace(3, edges, SIZES).round())]
    ways, each = circuit.strongest(of.wires, mean_E, counts)
    for n, (on_E, size) in enumerate(zip(ways, each, strict=True)):
        if size and size not in each[:n]:
            drawn_E = [circuit.at_random(of.wires, size, rng) for _n in range(random)]
            kept = circuit.judge(of, np.stack([on_E, ~on_E, *drawn_E]))
            low, high = np.quantile(kept.share[2:], (0.025, 0.975))
            mean = kept.share[2:].mean()
            rows.append((size, kept.share[0], kept.share[1], mean, low, high, kept.right[0]))
        yield (n + 1) / len(ways), rows


@fr.once_told
def curve(*, model: Attends[Any], run: str, other: Other) -> fr.Taking[list[Row]]:
    """ValueError where there is no circuit."""
    note = RunStore().find(run).note
    kept = shipped().get(run)
    if kept and kept["recipe"] == note.get("recipe") and other in kept["sizes"]:
        return [tuple(row) for row in kept["sizes"][other]]
    effects_E = yield from effects(model=model, run=run, other=other)
    rows = list[Row]()
    for share, rows in sizes(question(model, run, other), effects_E.mean_E, draws(model)):  # noqa: B007
        yield fr.Progress(share, _("Circuits of {n} sizes", n=SIZES))
    if not rows:
        raise ValueError("No way from the text to the answer is strong enough to be a circuit.")
    return rows


# -------------------------------------------------------------- a dictionary


def texts(given: fr.Others) -> dict[str, str]:
    own = behaviours.of_run(given["run"].note).id
    planted = {"planted": "lines of its grammar"} if own in PLANTED else {}
    return planted | {corpus.id: corpus.title for corpus in collection.list_all("text")}


def first_text(given: fr.Others) -> str:
    return "planted" if "planted" in texts(given) else "stories"


@lru_cache(maxsize=4)
def lines(behaviour: str, text: str) -> tuple[str, ...]:
    if text == "planted":
        return tuple(PLANTED[behaviour].CORPUS.generate(LINES, LINES_SEED))
    whole = str(collection.find(text).text())[:400_000]
    return tuple(line for line in whole.splitlines() if line.strip())


@dataclass(frozen=True, eq=False)
class Learned:
    """A dictionary, and the vectors that it was judged on, which it has not learned from.

    bits  a token as it is, with what is rebuilt, and with the mean vector
    """

    of: sae.Dictionary
    read: layer.Read
    scores: sae.Scores
    bits: tuple[float, float, float]
    layer: int
    site: str

    @property
    def recovered(self) -> float:
        whole, with_it, without = self.bits
        return (without - with_it) / max(without - whole, 1e-9)


@lru_cache(maxsize=6)
def vectors(
    model: Attends[Any], behaviour: str, text: str, at: int, site: str
) -> tuple[layer.Read, layer.Read]:
    """Of every other line, and of those between."""
    some = lines(behaviour, text)
    most = FEWER_TOKENS if is_large(model) else TOKENS
    return (
        layer.read(model, some[::2], at, site, most),
        layer.read(model, some[1::2], at, site, most // 2),
    )


def made(x_MD: np.ndarray, settings: sae.Settings) -> fr.Taking[sae.Dictionary]:
    found = None
    for so_far in sae.learn(x_MD, settings):
        found = so_far
        yield fr.Progress(found.rows[-1]["step"] / settings.steps, _("Learning the dictionary"))
    assert found is not None
    return found


@fr.once_told
def learned(
    *, model: Attends[Any], behaviour: str, text: str, at: int, site: str, settings: sae.Settings
) -> fr.Taking[Learned]:
    yield fr.Progress(0, _("Reading the text"))
    train, held = vectors(model, behaviour, text, at, site)
    found = yield from made(train.x_MD, settings)
    bits = layer.recovered(model, held, at, site, found.rebuilt)
    return Learned(found, held, sae.score(found, held.x_MD), bits, at, site)


def main(ids: list[str]) -> None:
    from engine.live import cache as opened

    every = dict(shipped())
    for id in ids or SHIPPED:
        run = RunStore().find(id)
        model = check(opened.model(run, Model))
        ways: list[Other] = ["twin"] if is_large(model) else [*circuit.OTHERS]
        kept: dict[str, Any] = {
            "recipe": run.note["recipe"],
            "effect": {},
            "error": {},
            "sizes": {},
        }
        for other in ways:
            of = question(model, id, other)
            *_before, (_share, found) = measure(of)
            *_more, (_all, rows) = sizes(
                of, found.mean_E, circuit.FEWER_RANDOM if is_large(model) else SHIPPED_RANDOM
            )
            kept["effect"][other] = [float(f"{v:.6g}") for v in found.mean_E]
            kept["error"][other] = [float(f"{v:.3g}") for v in found.error_E]
            kept["sizes"][other] = [[float(f"{v:.5g}") for v in row] for row in rows]
        every[id] = kept
        write_bytes(ASSET, json.dumps(every).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
