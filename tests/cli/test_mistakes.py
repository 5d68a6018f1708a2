"""What the command line answers to a mistake: exit status 2 and one line that says what to do."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.core.registry import models
from engine.storage.run_folder import JOB
from tests.cli.test_cli import Capture, Folder, text_file, wrong
from tests.conftest import sampled

__all__ = ["text_file"]  # the fixture


# A command, and a part of its answer.
MISTAKES = [
    ("", "required"),
    ("fly", "invalid choice"),
    ("train gpt9 --text FILE --out NEW", "no model 'gpt9'; there are"),
    ("train lstm --text FILE", "--out"),
    ("train lstm --out NEW", "--text"),
    ("train transformer --text FILE --set heads=3 --out NEW", "heads"),
    ("train lstm --text nowhere.txt --out NEW", "there is no file nowhere.txt"),
    ("train lstm --text FOLDER --out NEW", "is a folder"),
    ("train lstm --text EMPTY --out NEW", "empty"),
    ("train lstm --text BINARY --out NEW", "picture"),
    ("train lstm --text FILE --out FILE", "is a file"),
    ("train lstm --text FILE --out FOLDER", "not empty"),
    ("trace nobody x", "no run 'nobody'"),
    ("trace '' x", "no run ''"),
    ("next RUN x -k 0", "at least 1"),
    ("next RUN x -k 3 --all", "not allowed"),
    ("sample RUN x --temperature -1", "at least 0"),
    ("sample RUN x --beams 0", "at least 1"),
    ("sample RUN x --typical 2", "at most 1"),
    ("sample RUN x --repetition-penalty 0", "at least 0.001"),
    ("sample RUN x --top-p 1.5", "at most 1"),
    ("score RUN --text nowhere.txt", "no file"),
    ("trace ngram x --gradients-of loss", "no neural network that predicts the next token"),
    (
        "trace bert x --gradients-of loss",
        "BERT learns by gradients, but predicts hidden tokens from both sides",
    ),
    ("trace translator x --gradients-of loss", "learns by gradients, but predicts a translation"),
    ("trace seq2seq x --gradients-of loss", "learns by gradients, but predicts a translation"),
    ("trace sentiment x --gradients-of loss", "but predicts labels, not the next token"),
    ("trace rnn x --gradients-of cat", "number of a token"),
    ("trace rnn x --gradients-of 9", "no prediction"),
    ("trace RUN x --out FOLDER", "is a folder"),
    ("bench nobody", "no bench 'nobody'"),
    ("zoo nobody --text FILE", "no run 'nobody' in the zoo"),
    *(
        (f"train lstm --text FILE {more} --out NEW", said)
        for more, said in (
            ("--set unit=3", "no setting 'unit'; there are units"),
            ("--set units", "write --set units=value"),
            ("--set units=many", "whole number"),
            ("--set units=2.5", "whole number"),
            ("--set units=99999", "from 4 to 1024"),
            ("--set rate=nan", "out of range"),
            ("--set rate=inf", "out of range"),
            ("--set mixed=perhaps", "true or false"),
            ("--set tokenizer=runes", "bpe, chars"),
            ("--seed -1", "at least 0"),
            ("--device tpu", "invalid choice"),
        )
    ),
]


@sampled("command, said", MISTAKES)
def test_a_mistake_is_one_line(
    command: str, said: str, capsys: Capture, tmp_path: Path, text_file: str, run_folder: Folder
) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "binary").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    names = {
        "FILE": text_file,
        "NEW": str(tmp_path / "new"),
        "FOLDER": str(tmp_path),
        "EMPTY": str(tmp_path / "empty"),
    }
    names |= {"BINARY": str(tmp_path / "binary"), "RUN": str(run_folder("lstm"))}
    assert said in wrong(capsys, *(names.get(a, a) for a in shlex.split(command)))
    assert not (tmp_path / "new").exists(), "nothing is left behind"


@pytest.mark.parametrize("command", ["next", "sample", "score"])
def test_a_model_that_does_not_speak_says_so(
    command: str,
    capsys: Capture,
    run_folder: Folder,
    text_file: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, lstm = run_folder("lstm"), models.get("lstm")
    promise = lstm.spec
    monkeypatch.setattr(
        lstm, "spec", lambda self: tuple(s for s in promise(self) if s.name != "probability")
    )
    rest = ["--text", text_file] if command == "score" else ["the cat"]
    assert "gives no probability" in wrong(capsys, command, str(folder), *rest)


def test_a_damaged_run_is_one_line(capsys: Capture, tmp_path: Path, run_folder: Folder) -> None:
    shutil.copytree(run_folder("lstm"), tmp_path / "bad")
    (tmp_path / "bad" / "weights.safetensors").write_bytes(b"12345678")
    assert "can't be opened" in wrong(capsys, "next", str(tmp_path / "bad"), "x")


def test_a_refused_training_leaves_a_folder_as_it_was(capsys: Capture, tmp_path: Path) -> None:
    """Found by tests/bench/attack.py: job.json and status.json stayed.  What a page began it with stays,
    for there its refusal is read."""
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    new, empty, begun = (tmp_path / name for name in ("new", "empty", "begun"))
    empty.mkdir()
    begun.mkdir()
    (begun / JOB).write_text("{}", encoding="utf-8")
    for folder, more in ((new, ()), (empty, ()), (begun, ("--resume",)), (new, ("--queue",))):
        arguments = ("train", "lstm", "--text", str(tmp_path / "a.txt"), "--out", str(folder))
        assert "nothing to learn from" in wrong(capsys, *arguments, *more)
    assert not new.exists() and not list(empty.iterdir())
    assert JOB in {path.name for path in begun.iterdir()}


TURNS = "\u202eevil\x1b[31m"


def test_no_name_steers_the_terminal(capsys: Capture, tmp_path: Path, run_folder: Folder) -> None:
    """Of a folder, a section of analogies, a title, a word in a file of vectors."""
    analogies, vectors = tmp_path / "analogies.txt", tmp_path / f"{TURNS}.txt"
    analogies.write_text(f": {TURNS}\nthe a the of\n", encoding="utf-8")
    vectors.write_text("".join(f"{TURNS}{n} 0.5 1\n" for n in range(9)), encoding="utf-8")
    for command in (
        ("next", str(tmp_path / TURNS), "x"),
        ("import", str(tmp_path / TURNS)),
        ("import", str(vectors), "--out", str(tmp_path / TURNS), "--title", TURNS),
        ("vectors", str(run_folder("skipgram")), "--analogies", str(analogies)),
        ("unpack", str(tmp_path / TURNS)),
        ("train", "ngram", "--text", str(tmp_path / TURNS), "--out", str(tmp_path / "new")),
    ):
        main(command)
        said = "".join(capsys.readouterr())
        assert said and not {"\u202e", "\x1b"} & set(said), command


def test_scores_are_not_compared_with_probabilities(
    capsys: Capture, tmp_path: Path, text_file: str
) -> None:
    """Stupid back-off has a number where others have a perplexity: it is said that it is none."""
    out, more = str(tmp_path / "stupid"), ("--set", "smoothing=stupid-backoff")
    assert main(("train", "ngram", "--text", text_file, "--out", out, *more)) == 0
    capsys.readouterr()
    assert main(("score", out, "--text", text_file)) == 0
    assert "scores that do not sum to 1" in "".join(capsys.readouterr())
