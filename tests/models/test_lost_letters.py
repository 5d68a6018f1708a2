"""A checkpoint whose tokenizer can't write some letters: the model reads what `transformers` gives
it, and what was lost is told beside it, in replies, scores and comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from engine.__main__ import main
from engine.analysis import measure
from engine.lessons.compare import alignment
from engine.lessons.compare.examine import examine
from engine.lessons.tokenizers.live import Stack
from engine.lessons.tokenizers.rows import Row
from engine.live import lookup, reply
from engine.live.reader import Reader
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.window import tokens
from engine.pretrained import checkpoint
from engine.runs.store import Run, RunStore
from tests.cli.test_cli import Capture, object_of
from tests.text.test_lossy import HUG, MARK, MERGES, WORDS, bpe, whole

TEXT = "mug hug uxg"
LOST = ((0, 1), (9, 10))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("lossy") / "gpt"
    torch.manual_seed(0)
    sizes = {"vocab_size": 11, "n_positions": 16, "n_embd": 8, "n_layer": 1, "n_head": 2}
    config = hf.GPT2Config(bos_token_id=10, eos_token_id=10, **sizes)
    hf.GPT2LMHeadModel(config).save_pretrained(place)
    about = whole(bpe(HUG, MERGES), pre_tokenizer=WORDS, added_tokens=[{"id": 10, **MARK}])
    (place / "tokenizer.json").write_text(json.dumps(about))
    kind = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<end>"}
    (place / "tokenizer_config.json").write_text(json.dumps(kind | {"eos_token": "<end>"}))
    return place


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return checkpoint.load(folder)


def test_the_numbers_are_those_of_transformers(folder: Path, model: Any) -> None:
    theirs = hf.AutoTokenizer.from_pretrained(str(folder))
    ids = theirs(TEXT)["input_ids"]
    trace = model.trace(TEXT)
    assert trace.ids.tolist() == ids and trace.tokens == ("ug", "hug", "ug")
    assert trace.spans == ((1, 3), (4, 7), (8, 11)) and trace.lost == LOST
    net = hf.GPT2LMHeadModel.from_pretrained(str(folder)).eval()
    with torch.no_grad():
        p_TV = net(torch.tensor([ids])).logits[0].softmax(-1).numpy()
    np.testing.assert_allclose(trace.field("probability").values, p_TV, atol=1e-5)


def test_a_reply_tells_what_was_lost_where_it_is_shown(model: Any) -> None:
    reader = Reader("it", "it", model, "it", "probability")
    run = Run(Path("it"), {"model": "it", "title": "it", "recipe": "it"})

    def part(text: str, *characters: int) -> dict[str, Any]:
        shown = Shown.of(reader, run, text, characters, tokens(model, text))  # type: ignore[arg-type]
        return dict(reply.outline(shown, 0))

    assert part(TEXT, 0, len(TEXT))["lost"] == LOST
    assert part(TEXT, 4, len(TEXT))["lost"] == LOST[1:]
    assert "lost" not in part("hug pun", 0, 7)
    assert part("x", 0, 1)["lost"] == ((0, 1),) and part("x", 0, 1)["labels"] == ("<end>",)
    row = Row("mine", "Mine", "mine", "", model.tokenizer)
    (found,) = Stack((row,)).unread(TEXT, (0, len(TEXT)), Request())
    assert found.part["lost"] == LOST and found.part["said"]["numbers"]["unknown"] == 2


def test_a_word_that_is_looked_up_says_what_was_lost(model: Any) -> None:
    said = "No piece writes “m”; the rest is read as “ug”."
    assert lookup.find(model, "mug") == lookup.Word(7, said)
    assert lookup.find(model, "xx").says == "No piece of the vocabulary writes any of it."
    assert lookup.find(model, " ").says == "There is nothing to look up."


def test_scores_and_comparisons_count_it(model: Any) -> None:
    score = measure.score(model, TEXT + "\nhug\n")
    assert (score.lost, score.oov, score.tokens) == (2, 0, 2)
    assert sum(part.lost for part in measure.running(model, [TEXT, "xx"])) == 4
    assert examine(model, TEXT).unknown == 2
    reading = alignment.reading(model.trace(TEXT))
    found = alignment.segments([reading], alignment.words(TEXT))
    assert found.labels(TEXT) == (" hug", " uxg")  # nothing is expected of the first
    assert found.unknown_SM[:, 0].tolist() == [False, True]


def test_the_command_says_it(folder: Path, capsys: Capture, tmp_path: Path) -> None:
    assert main(["import", str(folder), "--out", str(tmp_path / "run")]) == 0
    (tmp_path / "text.txt").write_text(TEXT)
    capsys.readouterr()
    run = RunStore().find(str(tmp_path / "run"))
    said = object_of(capsys, "score", str(run.folder), "--text", str(tmp_path / "text.txt"))
    assert said["oov"] == 0 and said["notes"][0].startswith("at 2 places the text has letters")
