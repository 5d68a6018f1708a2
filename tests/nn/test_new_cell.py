"""A cell of one's own: one file in a folder of one's own, and nothing else.  It is a language model
on the command line, a cell of the gates' page, and takes part in the contest.

The file is the update gate RNN of Collins, Sohl-Dickstein & Sussillo, Capacity and Trainability in
Recurrent Neural Networks, 2017, with one option of its own.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.__main__ import main
from engine.analysis.contest.entry import Entry
from engine.analysis.contest.parameters import parameters
from engine.analysis.contest.train import train
from engine.core import cell_card
from engine.core.registry import cells, models
from engine.frame.blocks import Rows, blocks_in
from engine.lessons.cells import parts as cell_parts
from engine.lessons.lstm import live as gates
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel
from engine.runs.store import RunStore
from tests.conftest import TEXT, small
from tests.models import test_contract as contract
from tests.pages import test_lstm as gates_page

ID = "own_ugrnn"
PROGRAM = '''"""Update gate RNN: one gate that says how much of the state is replaced.

What      u = sigmoid(W x + U h' + b); n = tanh(W x + U h' + b); h = (1 - u) * h' + u * n
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from engine.core.cell_card import Card
from engine.core.setting import setting
from engine.core.trace import FieldSpec, Kind
from engine.nn.cells.base import UNITS, Memory, Moment, OwnWeights, State
from engine.nn.cells.config import RecurrentConfig

CARD = Card(
    title="Update gate RNN, one gate",
    year=2017,
    source="Collins, Sohl-Dickstein & Sussillo, Capacity and Trainability in RNNs",
    blocks=2,
    short="Update gate RNN",
)


@dataclass(frozen=True, slots=True)
class Config(RecurrentConfig):
    keep: float = setting(0.0, "how shut it is", min=-5.0, max=5.0)


@final
class UGRNN(OwnWeights):
    fields = (
        FieldSpec("gate.update", Kind.GATE, UNITS, "Share that is replaced.", "u_t"),
        FieldSpec("candidate", Kind.STATE, UNITS, "New content.", "n_t"),
        FieldSpec("hidden", Kind.STATE, UNITS, "Hidden state.", "h_t"),
    )
    state = ("hidden",)
    memories = (Memory("hidden", "gate.update", ("gate.update", "candidate"), complement=True),)
    gates = ("gate.update", "candidate")
    config_type = Config

    def __init__(self, d: int, h: int, keep: float = 0.0) -> None:
        super().__init__(d, h)
        self.keep = keep

    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        (h,), n = last, self.h
        a = a + now.product(now.drop(h), w["u"])
        u = now.see("gate.update", now.sigmoid(a[..., :n] - self.keep))
        new = now.see("candidate", now.tanh(a[..., n:]))
        return (now.see("hidden", (1 - u) * h + u * new),)


CELL = UGRNN
'''


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("my cells")
    (place / f"{ID}.py").write_text(PROGRAM, encoding="utf-8")
    (place / "lstm.py").write_text("CELL = None\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNROLLED_CELLS", os.pathsep.join(("/no such folder", str(place))))
        yield place


def command(*arguments: str) -> Any:
    said = io.StringIO()
    with redirect_stdout(said):
        assert main([*arguments, "--json"]) == 0
    return json.loads(said.getvalue())


@cache
def trained(id: str) -> Model[Any]:
    """As the contract tests ask for it."""
    found = [p.model for p in models.get(id).fit(TEXT, small(models.get(id)), seed=0) if p.model]
    return found[-1]


def test_it_is_listed_as_a_cell_and_as_a_language_model() -> None:
    assert ID in cells.ids() and ID in models.ids() and cell_card.listed()[-1] == ID
    assert issubclass(models.get(ID), RecurrentModel)
    assert models.get(ID).card.title == "Update gate RNN, one gate"
    assert models.get("lstm").card.title == "LSTM", "a name that Unrolled has stays its own"


def test_it_keeps_the_contract_of_every_model() -> None:
    contract.keeps_its_promises(ID, trained)


def test_the_command_line_trains_and_traces_it(tmp_path: Path) -> None:
    text, run, out = tmp_path / "text.txt", tmp_path / "mine", tmp_path / "trace.npz"
    text.write_text(TEXT, encoding="utf-8")
    settings = ["keep=1", "units=6", "layers=2", "width=5", "steps=5", "batch=2", "span=8"]
    sets = [part for one in settings for part in ("--set", one)]
    said = command("train", ID, "--text", str(text), "--out", str(run), *sets)
    assert said["model"] == ID and said["config"]["keep"] == 1
    command("trace", str(run), "the cat", "--out", str(out))
    model = RunStore().load(RunStore().find(str(run)))
    field = model.trace("the cat").field("gate.update")
    with np.load(out, allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["gate.update"], field.values)
    assert isinstance(model, RecurrentModel) and model.config.keep == 1


def test_the_option_of_its_config_reaches_the_cell() -> None:
    kind = models.get(ID)
    assert kind.options(kind.config_type(keep=2.0)) == {"keep": 2.0}  # type: ignore[attr-defined]
    assert models.get("seq2seq").config_type(cell=ID).cell == ID


def test_the_gates_page_inspects_it() -> None:
    model = trained(ID)
    assert isinstance(model, RecurrentModel)
    layout = gates.stage(SimpleNamespace(title=ID, id=ID, note={}), model).layout()  # type: ignore[arg-type]
    assert set(layout["readers"][0]["fields"]) == {"gate.update", "candidate", "hidden"}
    gates_page.test_the_equations_of_every_cell_hold(ID, trained)


def test_the_contest_counts_and_trains_it() -> None:
    made = cells.get(ID)(7, 5)
    assert parameters(ID, 7, 5) == sum(p.numel() for p in made.parameters()) == 130
    blocks = cell_parts.costs.blocks(cells=(ID,), d=7, h=5)
    ((row,),) = [block.rows for block in blocks_in(blocks) if isinstance(block, Rows)]
    assert row["cell"] == "Update gate RNN" and row["formula"] == "2 h (d + h + 1)"
    assert row["parameters"] == 130
    *_, last = train(Entry(ID, "lag", units=8, distance=2, steps=3, batch=4))
    assert last.result is not None and last.result.clean


def test_a_cell_without_a_card_is_told_so(folder: Path) -> None:
    for id, card in {"own_none": "", "own_odd": "CARD = Card(title='Odd', colour=3)\n"}.items():
        (folder / f"{id}.py").write_text(f"{card}CELL = None\n", encoding="utf-8")
        with pytest.raises(ValueError, match="card"):
            cell_card.get(id)
        (folder / f"{id}.py").unlink()
