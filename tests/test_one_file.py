"""One thing of one's own costs one file: smoothing method, position, score, projection, task with
known answers, command.  Each lies in a folder of its own, and is then chosen, named and drawn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.__main__ import main
from engine.core import registry
from engine.frame.control import Pick
from engine.lessons.cells import parts as cell_parts
from engine.lessons.embeddings import head, live
from engine.lessons.positions import encodings
from engine.lessons.positions import parts as position_parts
from engine.lessons.smoothing import parts
from engine.models.transformer import Config, Transformer
from engine.text.tasks.base import SILENT
from engine.vectors.base import Vectors
from tests.conftest import TEXT
from tests.pages.opening import opened

FILES = {
    "smoothing": """
from dataclasses import dataclass

from engine.ngram.smoothing.base import Smoothing

@dataclass(frozen=True, slots=True)
class Half(Smoothing):
    title, source, formula = "Half of all", "this test", "c / 2"
    idea = "Half of every count stays."

    def kept(self, level):
        return level.share(level.count_G) / 2

SMOOTHING = Half
""",
    "positions": """
from engine.nn.positions.base import Position

class Near(Position):
    title, says, about = "Near", "Less for each token between.", "Near: what is near counts."

    def bias(self, q_BNTK, query_T, key_S):
        far_TS = (key_S[None] - query_T[:, None]).abs().to(q_BNTK.dtype)
        return -2 * far_TS.expand(1, self.frame.heads, -1, -1)

POSITION = Near
""",
    "scores": """
from engine.nn.scores.base import Score

class Distance(Score):
    title, formula, says = "Distance", "-|q - k|", "High for keys that lie near the query."

    def forward(self, q_NK, k_MK):
        return -(q_NK[..., :, None, :] - k_MK[..., None, :, :]).norm(dim=-1)

    def multiplications(self):
        return self.k

SCORE = Distance
""",
    "projection": """
from engine.analysis.projection.base import Map, Projection

class First(Projection):
    title, source = "The first numbers", "this test"

    def __init__(self, map):
        self.map = map

    @classmethod
    def drawn(cls, given, dims=2):
        found = given["points"][:, :dims]
        return cls(Map(found, "All but the first numbers are lost.", found.var(0)))

    def transform(self, points):
        return points[:, : self.map.positions.shape[1]]

PROJECTION = First
""",
    "tasks": """
import numpy as np

from engine.text.tasks.base import SILENT, Task

class Same(Task):
    title, says = "Same: the first letter", "The first letter is asked for at the end."
    labels, answers = ("?", "a", "b"), ("a", "b")

    def make(self, n, distance, seed, noise=0.0):
        ids_NT = np.random.default_rng(seed).integers(1, 3, (n, distance + 1))
        ids_NT[:, -1] = 0
        targets_NT = np.full_like(ids_NT, SILENT)
        targets_NT[:, -1] = ids_NT[:, 0]
        return ids_NT, targets_NT

TASK = Same
""",
    "cli": """
from engine.cli.console import Command

def options(command):
    command.add_argument("word")

def run(args):
    return {"said": args.word}

COMMAND = Command(1000, "say a word", "Say it.  --json: {said}", options, run)
""",
}
ID = "own_thing"


@pytest.fixture(scope="module", autouse=True)
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for kind, program in FILES.items():
            place = tmp_path_factory.mktemp(kind)
            (place / f"{ID}.py").write_text(f'"""Of one\'s own."""\n{program}', encoding="utf-8")
            patch.setenv(f"UNROLLED_{kind.upper()}", os.pathsep.join((str(place), "/nowhere")))
        yield


def test_it_stands_last_in_the_list() -> None:
    for kind in "smoothings positions scores projections tasks".split():
        listed: Any = getattr(registry, kind)
        assert listed.listed()[-1] == ID and listed.get(ID).title


def test_a_smoothing_method_is_compared_and_explained_on_its_page() -> None:
    parts.methods._answers.clear()
    at = opened("smoothing")
    method = next(box for box in at.selectbox if box.label == "Method")
    assert "Half of all" in method.options
    part = next(group for group in at.get("button_group") if group.key == "smoothing.part")
    at = part.set_value("All methods").run()
    ideas = [caption.value for caption in at.caption]
    assert "**Half of all** · Half of every count stays." in ideas


def test_a_position_is_trained_and_its_places_are_shown() -> None:
    config = Config(position=ID, width=8, heads=2, layers=1, steps=2, batch=2, span=8)
    model = [r.model for r in Transformer.fit(TEXT, config, seed=0) if r.model][-1]
    trace = model.trace("the cat sat")
    place = encodings.place(model, trace)
    t = len(trace.tokens)
    assert model.tower.position.says == "Less for each token between."
    assert place.shape == (1, 2, t, t) and place[0, 1, t - 1, 0] == -2 * (t - 1)
    with pytest.raises(ValueError, match=f"{ID} is one"):
        next(Transformer.fit(TEXT, Config(position=ID, kernel="linear"), seed=0))
    assert "Near" in [row["positions"] for row in position_parts.facts()]


def test_a_score_is_high_where_it_says_and_is_among_those_of_translators() -> None:
    score = registry.scores.get(ID)
    query, keys = np.array([[1.0, 2.0]]), np.array([[1.0, 2.0], [1.0, 0.0], [-2.0, 6.0]])
    np.testing.assert_allclose(score.drawn(2, 0).numbers(query, keys), [[0, -2, -5]])
    assert score.title == "Distance" and ID in registry.scores.listed()


def test_a_projection_draws_a_map_and_says_what_it_lost() -> None:
    points = np.random.default_rng(0).normal(size=(30, 5)).astype(np.float32)
    made = head.draw(ID, 500, Vectors([f"w{n}" for n in range(30)], points))
    np.testing.assert_array_equal(made.places, made.given["points"][:, :2])
    assert made.quality is not None and len(made.quality.trust) == 30
    assert "All but the first numbers are lost." in live.says(made)
    menu = head.HEAD.controls["map_kind"]
    assert isinstance(menu, Pick) and menu.options({})[-1] == ID


def test_a_task_is_offered_to_the_cells() -> None:
    assert "Same: the first letter" in cell_parts.titles({}).values()
    task = cell_parts.contest.values({"task": "Same: the first letter"})["task"]
    assert "The first letter is asked for at the end." in cell_parts.contest.blocks(task=task)
    ids_NT, targets_NT = registry.tasks.get(ID)().make(2, 3, 0)
    assert (targets_NT[:, -1] == ids_NT[:, 0]).all() and (targets_NT[:, :-1] == SILENT).all()


def test_a_command_is_listed_and_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([ID, "hello", "--json"]) == 0
    assert capsys.readouterr().out == '{"said": "hello"}\n'
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "say a word" in capsys.readouterr().out
