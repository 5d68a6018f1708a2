"""What a training will be of: counted by the training itself, by hand, and by its real memory."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch
from torch import nn

from engine.core.registry import models
from engine.models.abilities import HasNet
from engine.models.neural import NeuralLanguageModel
from engine.nn.cost import activations, blank, parabola
from engine.text.corpora.python_docs import CORPUS
from engine.text.tokenizers.base import passages, split
from engine.training import estimate as subject
from engine.training import going_on
from engine.training.estimate import cut, estimate, estimate_start
from engine.training.timing import Probe, Probed
from tests.conftest import TEXT, Patch, sampled, small, text_of

ANY = sorted(models.ids())
OTHER = "She looked at the door.\nHe did not answer her.\n" * 20


@sampled("id", ANY, each=5)
def test_tokens_vocabulary_and_parameters_are_those_of_the_training(id: str) -> None:
    model = models.get(id)
    few, known = {"buckets": 300, "steps": 2}, model.config_type.__dataclass_fields__
    config = small(model, **{name: value for name, value in few.items() if name in known})
    found = estimate(id, config, text_of(model))
    assert found.cut.whole
    said: dict[str, float] = {}
    for report in model.fit(text_of(model), config, seed=0):
        said |= report.metrics
        made = report.now() if report.now else report.model
        if report.now:
            break
    assert made is not None
    assert found.cut.vocabulary == len(made.tokenizer.vocab)
    if isinstance(made, HasNet):
        assert found.parameters == sum(p.numel() for p in made.net.parameters())
    elif report.checkpoint and "in" in report.checkpoint():
        assert found.parameters == sum(report.checkpoint()[name].size for name in ("in", "out"))
    elif id in ("hmm", "hmm_tagger"):  # a state writes any token but the line end
        learned = [made.parameters().field(name).values for name in ("transition", "emission")]
        assert found.parameters == learned[0].size + learned[1][1:, 1:].size
    elif report.checkpoint:  # GloVe: a column of each table is always 1
        tables = [x for name, x in report.checkpoint().items() if name in ("word", "context")]
        assert found.parameters == sum(x.size - len(x) for x in tables)
    elif id == "trigram_tagger":  # it only counts
        assert found.parameters == 0
    elif id == "ppmi":
        assert found.parameters == made.vectors.shape[0] * config.width
    else:
        assert (found.parameters, found.cut.tokens) == (0, said["tokens"])
        assert found.cut.ngrams == tuple(said[f"ngrams_{m}"] for m in range(1, config.order + 1))


class TwoLayers(nn.Module):
    def __init__(self, v: int, d: int) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(v, d), nn.Linear(d, v)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.embed(ids))


def test_activations_by_hand() -> None:
    """Kept: ids and targets, what goes into the head, the log-softmax, the weight of the mean."""
    b, t, d, v = 3, 5, 7, 11
    with torch.device("meta"):
        net = TwoLayers(v, d)
    config = small(models.get("rnn"), batch=b)
    by_hand = 8 * b * t + 4 * b * t * d + 4 * b * t * v + 8 * b * t
    assert 0 <= activations(net, lambda span: net(blank(config, span)), t) - by_hand <= 8


@pytest.mark.parametrize("id", ["lstm", "transformer", "encoder_decoder"])
def test_three_short_spans_say_what_a_long_one_takes(id: str) -> None:
    model = models.get(id)
    assert issubclass(model, NeuralLanguageModel)
    config = small(model, span=24, batch=4)
    found = cut(model, config, text_of(model))
    carried = model.cost(config, found).memory["activations"]
    with torch.device("meta"):
        net = model.build(config, found.vocabulary)
    assert carried == activations(net.train(), lambda t: model.logits(net, config, t), 24)
    assert parabola((1, 2, 3), [1, 4, 9])(10) == pytest.approx(100)


@pytest.mark.slow
def test_the_memory_of_a_real_training_is_near() -> None:
    """One that left the activations out would be off; the allocator keeps something besides."""
    sizes = {"width": 128, "layers": 3, "heads": 4, "batch": 40, "span": 128, "context": 128}
    words = {"tokenizer": "chars", "vocabulary": 200, "steps": 50}
    config = models.get("transformer").config_type(**sizes, **words)
    found = estimate("transformer", config, CORPUS.text())
    assert found.memory["activations"] > 150e6
    here = np.ones(200_000_000 // 8)  # what this process holds is no part of it
    probe = Probe("transformer", config, "python_docs", long=0.1)
    until = time.monotonic() + 120
    while (state := probe.state) is None and time.monotonic() < until:
        time.sleep(0.1)
    assert isinstance(state, Probed), state
    assert state.steps == 50 and state.step > 0
    assert found.memory_bytes / 1.35 < state.memory_bytes < 1.35 * found.memory_bytes and len(here)


@pytest.mark.parametrize(
    ("id", "more"), [("ngram", {}), ("skipgram", {}), ("transformer", {"vocabulary": 1000})]
)
def test_the_beginning_of_a_long_text_says_about_what_the_whole_is(
    id: str, more: dict[str, int], monkeypatch: Patch
) -> None:
    model, text = models.get(id), CORPUS.text()[:240_000]
    config = model.config_type(**more)
    whole = cut(model, config, text)
    monkeypatch.setattr(subject, "SAMPLE", 80_000)
    part = cut(model, config, text)
    assert whole.whole and not part.whole
    sizes = [(found.tokens, found.vocabulary, *found.ngrams) for found in (part, whole)]
    for a, b in zip(*sizes, strict=True):
        assert 0.75 < a / b < 1.3


def test_disk_and_options() -> None:
    model = models.get("lstm")
    plain, more = (
        estimate("lstm", small(model, **options), TEXT, snapshots=10)
        for options in ({}, {"optimiser": "sgd", "accumulate": 4, "recompute": True})
    )
    bytes_of = {"weights": 4, "best": 4, "checkpoint": 12, "snapshots": 40}
    assert plain.disk == {name: n * plain.parameters for name, n in bytes_of.items()}
    assert more.memory["optimiser"] == 4 * more.parameters == plain.memory["optimiser"] / 2
    assert more.memory["activations"] < plain.memory["activations"] / 3


@pytest.mark.parametrize("text", ["", " \n\n ", "\n" * 1000])
def test_nothing_to_learn_from_is_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="nothing to learn from"):
        estimate("lstm", small(models.get("lstm")), text)


def test_what_an_encoder_is_not_trained_for_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="leave `masked` on"):
        estimate("bert", models.get("bert").config_type(masked=False), "She read a book.\n" * 9)


def test_a_training_that_goes_on_from_a_run_is_of_what_learns() -> None:
    start = going_on.open_start("transformer_rope")
    of = {"tune": "lora", "lora_rank": 4, "steps": 40}
    config = going_on.config_of(start.run, of)
    learned, every = going_on.count(start.run, config)
    found = estimate_start(start, config, OTHER, learned, snapshots=3)
    assert found.parameters == learned == 2 * 2 * 4 * 2 * 96
    assert found.cut.tokens == len(start.model.tokens("\n".join(split(passages(OTHER))[0])))
    sizes = {"weights": 4, "best": 4, "checkpoint": 12, "snapshots": 12}
    assert found.disk == {name: n * learned for name, n in sizes.items()}
    assert found.memory["gradients"] == 4 * learned and found.memory["start"] == 4 * every
    with pytest.raises(ValueError, match="a text of one line"):
        estimate_start(start, config, "one line", learned)


def test_the_first_steps_of_one_are_timed() -> None:
    start = going_on.open_start("transformer_rope")
    config = going_on.config_of(start.run, {"tune": "lora", "steps": 40, "batch": 2, "span": 8})
    probe = Probe("transformer", config, "stories", long=0.1, start="transformer_rope")
    until = time.monotonic() + 120
    while (state := probe.state) is None and time.monotonic() < until:
        time.sleep(0.1)
    assert isinstance(state, Probed), state
    assert state.steps == 40 and state.step > 0


def test_a_probe_that_can_t_run_says_why() -> None:
    probe = Probe("lstm", small(models.get("lstm")), "no-such-text-00000000")
    until = time.monotonic() + 240  # on a busy computer
    while (state := probe.state) is None and time.monotonic() < until:
        time.sleep(0.05)
    assert isinstance(state, str) and "there is no stored corpus" in state


def test_room_is_asked_of_the_disk_that_there_is(tmp_path: object) -> None:
    memory, disk = subject.room(tmp_path / "not" / "yet")  # type: ignore[operator]
    assert memory > 0 and disk > 0 and np.isfinite(disk)
