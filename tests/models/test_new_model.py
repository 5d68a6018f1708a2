"""A model of one's own: one file in a folder of one's own, and nothing else.  It trains on the
command line and in the training room, lies among the runs, is compared, traced and exported.

The file is a hidden Markov model: what it is made of has axes that no model of Unrolled has, a
field that what follows changes beside one that it does not, and parameters that are tables.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.__main__ import main
from engine.analysis.measure import surprisal
from engine.core.registry import models
from engine.models.base import Model
from engine.runs.store import RunStore
from engine.saving.export import read_trace
from engine.storage.run_folder import NOTE
from engine.training import estimate, job
from pages.ui import training as overview
from pages.ui import training_new as preview
from tests.conftest import LINES, ROOT, TEXT, only_runs, small
from tests.models import test_contract as contract
from tests.models import test_learning as learning
from tests.pages.test_every_page import answered

ID = "own_hmm"
PROGRAM = '''"""Hidden Markov model over classes of words, learned by Baum and Welch's method.

What      P(s_t, w_t | s_t-1) = A[s_t-1, s_t] B[s_t, w_t]
Source    Rabiner, A Tutorial on Hidden Markov Models, 1989
Shapes    T = tokens, S = states, V = vocabulary
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from engine.models.base import Card, Model, Progress, Weights
from engine.core.tap import Tap
from engine.text.tokenizers.base import Tokens, passages, split
from engine.text.tokenizers.words import START, Words
from engine.core.setting import setting
from engine.core.trace import FieldSpec, Kind


@dataclass(frozen=True, slots=True)
class Config:
    states: int = setting(4, "classes of words", min=2, max=64)
    vocabulary: int = setting(500, "the most words to know", min=16, max=5000)
    steps: int = setting(6, "times to read the text", min=1, max=500)


BELIEF = FieldSpec(
    "filter", Kind.PROBABILITY, ("token", "state"), "Which class each word is of, so far.", "f"
)
NEXT = FieldSpec(
    "probability", Kind.PROBABILITY, ("token", "next"), "What is expected after each token.", "P"
)
SMOOTH = FieldSpec(
    "smooth",
    Kind.PROBABILITY,
    ("token", "state"),
    "Which class each word is of, with what follows it.",
    "g",
    derived=True,
    causal=False,
)


@final
class HiddenMarkov(Model[Config]):
    card = Card(
        "own_hmm", "Hidden Markov model of my own", 1966, "Baum & Petrie, Statistical Inference, 1966"
    )
    config_type = Config
    stepwise = True
    foretells = True

    def __init__(
        self, config: Config, tokenizer: Words, start: np.ndarray, a: np.ndarray, b: np.ndarray
    ) -> None:
        self.config, self.tokenizer = config, tokenizer
        self.start_S, self.a_SS, self.b_SV = (kept(x) for x in (start, a, b))

    @classmethod
    def fit(
        cls,
        text: str,
        config: Config,
        *,
        seed: int,
        device: str = "cpu",
        resume: Weights | None = None,
    ) -> Iterator[Progress]:
        lines, held_out = split(passages(text), seed)
        if not lines:
            raise ValueError("there is nothing to learn from: the text has no line")
        first = 0
        if resume is None:
            tokenizer = Words.fit(lines, config.vocabulary)
            rng = np.random.default_rng(seed)
            s, v = config.states, len(tokenizer.vocab)
            model = cls(
                config,
                tokenizer,
                *(rows(1 + rng.random(shape)) for shape in ((s,), (s, s), (s, v))),
            )
        else:
            model, first = cls.from_weights(config, resume), int(resume["step"][0])
        texts = [model.tokens(line + "\\\\n").ids for line in lines]
        unseen = [model.tokens(line + "\\\\n").ids for line in held_out]
        for step in range(first + 1, config.steps + 1):
            nats = model.learn(texts)
            metrics = {"nats": nats}
            if unseen:
                metrics["held_out_nats"] = model.nats(unseen)
            now = model.copy
            yield Progress(
                step,
                config.steps,
                metrics,
                now() if step == config.steps else None,
                lambda step=step: model.weights() | {"step": np.array([step])},
                now,
            )

    def copy(self) -> HiddenMarkov:
        return HiddenMarkov(
            self.config, self.tokenizer, self.start_S.copy(), self.a_SS.copy(), self.b_SV.copy()
        )

    def learn(self, texts: list[np.ndarray]) -> float:
        """One round; nats a token before it."""
        start_S, a_SS, b_SV = (np.full_like(x, 1e-3) for x in (self.start_S, self.a_SS, self.b_SV))
        nats = count = 0.0
        for ids_T in texts:
            like_TS = self.b_SV.T[ids_T]
            f_TS, scale_T = self.forwards(like_TS)
            r_TS = self.backwards(like_TS)
            g_TS = rows(f_TS * r_TS)
            start_S += g_TS[0]
            np.add.at(b_SV.T, ids_T, g_TS)
            for t in range(1, len(ids_T)):
                both_SS = f_TS[t - 1][:, None] * self.a_SS * (like_TS[t] * r_TS[t])
                a_SS += both_SS / both_SS.sum()
            nats -= np.log(scale_T).sum()
            count += len(ids_T)
        self.start_S, self.a_SS, self.b_SV = (kept(rows(x)) for x in (start_S, a_SS, b_SV))
        return float(nats / count)

    def nats(self, texts: list[np.ndarray]) -> float:
        scales = [self.forwards(self.b_SV.T[ids_T])[1] for ids_T in texts]
        return float(-np.log(np.concatenate(scales)).mean())

    def forwards(
        self, like_TS: np.ndarray, tap: Tap | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """P(state | tokens so far) (T, S), and the probability of each token (T,)."""
        f_TS, scale_T = np.zeros_like(like_TS), np.zeros(len(like_TS))
        change = tap.in_loop("filter", ("state",)) if tap else None
        for t, like_S in enumerate(like_TS):
            own_S = (self.start_S if t == 0 else f_TS[t - 1] @ self.a_SS) * like_S
            scale_T[t] = own_S.sum()
            f_TS[t] = own_S / scale_T[t]
            if change is not None:
                f_TS[t] = change(t, f_TS[t], f_TS[t - 1] if t else np.zeros_like(like_S))
        return f_TS, scale_T

    def backwards(self, like_TS: np.ndarray) -> np.ndarray:
        """P(tokens after t | state) (T, S), up to a factor of each row."""
        r_TS = np.ones_like(like_TS)
        for t in range(len(like_TS) - 2, -1, -1):
            r_TS[t] = rows(self.a_SS @ (like_TS[t + 1] * r_TS[t + 1]))
        return r_TS

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text).after(1, START)

    def spec(self) -> tuple[FieldSpec, ...]:
        return BELIEF, NEXT, SMOOTH

    def run(self, tokens: Tokens, tap: Tap) -> None:
        like_TS = self.b_SV.T[tokens.ids]
        f_TS, _ = self.forwards(like_TS, tap)
        tap.keep("filter", f_TS, ("token", "state"))
        tap("probability", f_TS @ self.a_SS @ self.b_SV, ("token", "next"))
        tap.derived("smooth", lambda: rows(f_TS * self.backwards(like_TS)), ("token", "state"))

    def trail(self, stop: int, total: int) -> int:
        return total

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {"token": tokens.labels, "next": self.tokenizer.vocab}

    def parameters_spec(self) -> tuple[FieldSpec, ...]:
        return (
            FieldSpec("start", Kind.PROBABILITY, ("state",), "Where a text begins."),
            FieldSpec(
                "transition", Kind.PROBABILITY, ("source", "target"), "Which class follows which."
            ),
            FieldSpec(
                "emission", Kind.PROBABILITY, ("state", "next"), "Which words a class has.", "B"
            ),
        )

    def show_parameters(self, tap: Tap) -> None:
        tap("start", self.start_S, ("state",))
        tap("transition", self.a_SS, ("source", "target"))
        tap("emission", self.b_SV, ("state", "next"))

    def parameters_labels(self) -> Mapping[str, tuple[str, ...]]:
        return {"next": self.tokenizer.vocab}

    def weights(self) -> dict[str, np.ndarray]:
        state = np.frombuffer(self.tokenizer.state(), np.uint8)
        learned = {"start": self.start_S, "transition": self.a_SS, "emission": self.b_SV}
        return {name: x.astype(np.float32) for name, x in learned.items()} | {"tokenizer": state}

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        tokenizer = Words.from_state(np.asarray(weights["tokenizer"]).tobytes())
        names = ("start", "transition", "emission")
        return cls(config, tokenizer, *(np.asarray(weights[n]) for n in names))


def rows(x: np.ndarray) -> np.ndarray:
    """With a last axis that sums to 1."""
    found: np.ndarray = x / x.sum(-1, keepdims=True)
    return found


def kept(x: np.ndarray) -> np.ndarray:
    """As exact as it is stored, so that a training goes on to the same numbers."""
    return x.astype(np.float32).astype(float)


MODEL = HiddenMarkov
'''


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of models besides Unrolled's own, with one file."""
    place = tmp_path_factory.mktemp("my models")
    (place / f"{ID}.py").write_text(PROGRAM.replace("\\\\n", "\\n"), encoding="utf-8")
    (place / "notes.py").write_text("# no model\n", encoding="utf-8")
    (place / "lstm.py").write_text("MODEL = None\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNROLLED_MODELS", os.pathsep.join(("/no such folder", str(place))))
        yield place


@pytest.fixture(scope="module")
def store(run: Path) -> RunStore:
    return RunStore()


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, run_folder: Callable[[str], Path]
) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory, {"ngram": run_folder("ngram")})


@pytest.fixture(scope="module")
def run(shown: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trained on the command line, among the reader's own runs."""
    text = tmp_path_factory.mktemp("text") / "lines.txt"
    text.write_text(TEXT, encoding="utf-8")
    place = overview.root() / "mine"
    said = command(
        "train",
        ID,
        "--text",
        str(text),
        "--set",
        "states=3",
        "--snapshots",
        "3",
        "--out",
        str(place),
    )
    assert said["model"] == ID and said["config"]["states"] == 3 and said["steps"] == 6
    assert 0 < said["held_out"]["bits_per_char"] < 8
    return place


def command(*arguments: str) -> Any:
    said = io.StringIO()
    with redirect_stdout(said):
        assert main([*arguments, "--json"]) == 0
    return json.loads(said.getvalue())


def opened(page: str, **query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params.update(query)
    at = at.switch_page(page).run()
    assert not at.exception, at.exception
    return at


@cache
def trained(id: str) -> Model[Any]:
    """As the contract tests ask for it."""
    found = [p.model for p in models.get(id).fit(TEXT, small(models.get(id)), seed=0) if p.model]
    return found[-1]


def test_it_keeps_the_contracts_of_every_model() -> None:
    contract.keeps_its_promises(ID, trained)
    learning.test_progress_counts_up_and_a_training_goes_on_to_the_model_of_its_seed(ID)


def test_it_is_listed_and_nothing_else_of_its_folder_is() -> None:
    assert ID in models.ids() and "notes" not in models.ids()
    assert "own_hmm" not in [p.stem for p in (ROOT / "engine" / "models").iterdir()]
    assert models.get("lstm").card.id == "lstm", "a name that Unrolled has stays its own"
    said = {row["id"]: row["says"] for row in command("list", "models")["models"]}
    assert said[ID].startswith("Hidden Markov model over classes of words")


def test_the_command_line_trains_traces_and_exports_it(run: Path, tmp_path: Path) -> None:
    text, out = "the cat sat on the log", tmp_path / "trace.npz"
    said = command("trace", str(run), text, "--out", str(out))
    assert list(said["fields"]) == ["filter", "probability", "smooth"]
    model = RunStore().load(RunStore().find(str(run)))
    with np.load(out, allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["smooth"], model.trace(text).field("smooth").values)
    parameters = tmp_path / "parameters.npz"
    said = command("parameters", str(run), "--out", str(parameters))
    assert said["fields"]["transition"]["axes"] == ["source", "target"]
    assert said["fields"]["transition"]["shape"] == [3, 3]
    back = read_trace(parameters)
    assert back.field("emission").axis("next").labels == model.tokenizer.vocab
    np.testing.assert_array_equal(back.field("transition").values, model.a_SS.astype(np.float32))
    assert command("next", str(run), "the", "-k", "3")["next"]
    score = command("score", str(run), "--text", str(_text(tmp_path)))
    assert 0 < score["bits_per_token"] < 12


def _text(folder: Path) -> Path:
    (folder / "lines.txt").write_text("\n".join(LINES), encoding="utf-8")
    return folder / "lines.txt"


def test_it_is_estimated_like_any_other() -> None:
    config = models.get(ID).config_type(states=3)
    found = estimate.estimate(ID, config, TEXT, snapshots=4)
    model = trained(ID)
    v = len(model.tokenizer.vocab)
    assert found.cut.vocabulary == v and found.cut.whole
    assert found.parameters == 3 + 3 * 3 + 3 * v
    assert found.disk["snapshots"] == 16 * found.parameters
    assert not found.memory, "how much memory it takes is measured"


def test_the_training_room_trains_it(
    shown: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Chosen on the page, with a preview; what the page starts is a real process."""
    monkeypatch.setattr(preview, "text_of", lambda id: TEXT)
    begun: list[tuple[job.Job, Path]] = []
    monkeypatch.setattr(job, "start", lambda one, folder, best=False: begun.append((one, folder)))
    at = opened("pages/610_training.py", model=ID)
    assert at.selectbox(key="training.model").value == ID
    metrics = {m.label: m.value for m in at.metric}
    assert metrics["Parameters"].replace(",", "").isdecimal()
    at.number_input(key=f"training.{ID}.states").set_value(2).run()
    next(b for b in at.button if b.key == "training.start").click().run()
    assert not at.exception and len(begun) == 1
    monkeypatch.undo()
    one, folder = begun[0]
    assert one.model == ID and "states=2" in one.settings
    job.start(job.Job(ID, (str(_text(tmp_path)),), one.settings, snapshots=2), folder)
    until = time.monotonic() + 120
    while not (folder / NOTE).is_file() and time.monotonic() < until:
        time.sleep(0.2)
    assert (folder / NOTE).is_file(), job.last_words(folder)
    run = RunStore().find(str(folder))
    assert run.model == ID and run.snapshots
    assert RunStore().load(run).config.states == 2


def test_compare_sets_it_beside_another(run: Path) -> None:
    assert run.resolve() in [one.folder.resolve() for one in RunStore().all() if one.model == ID]
    at = opened("pages/625_compare.py", runs="mine,ngram")
    assert at.multiselect(key="compare.runs").value == ["mine", "ngram"]
    header, _ = answered(at, "compare", "the cat sat")
    assert not at.exception
    mine = header["readings"][0]
    model = RunStore().load(RunStore().find("mine"))
    bits = surprisal(model.trace("the cat sat"))
    np.testing.assert_allclose(mine["bits"][1:], bits[1:], atol=1e-4)
