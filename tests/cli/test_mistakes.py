"""What the command line answers to a mistake: exit status 2 and one line that says what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.core.registry import models
from engine.storage.run_folder import JOB
from tests.cli.test_cli import Capture, Folder, text_file, wrong
from tests.conftest import sampled

__all__ = ["text_file"]  # the fixture


MISTAKES = {
    "no command": ([], "required"),
    "unknown command": (["fly"], "invalid choice"),
    "unknown model": (
        ["train", "gpt9", "--text", "FILE", "--out", "NEW"],
        "no model 'gpt9'; there are",
    ),
    "no --out": (["train", "lstm", "--text", "FILE"], "--out"),
    "no --text": (["train", "lstm", "--out", "NEW"], "--text"),
    "unknown setting": (
        ["train", "lstm", "--text", "FILE", "--set", "unit=3", "--out", "NEW"],
        "no setting 'unit'; there are units",
    ),
    "setting without value": (
        ["train", "lstm", "--text", "FILE", "--set", "units", "--out", "NEW"],
        "write --set units=value",
    ),
    "word for a number": (
        ["train", "lstm", "--text", "FILE", "--set", "units=many", "--out", "NEW"],
        "whole number",
    ),
    "fraction for a whole": (
        ["train", "lstm", "--text", "FILE", "--set", "units=2.5", "--out", "NEW"],
        "whole number",
    ),
    "too large": (
        ["train", "lstm", "--text", "FILE", "--set", "units=99999", "--out", "NEW"],
        "from 4 to 1024",
    ),
    "not a number": (
        ["train", "lstm", "--text", "FILE", "--set", "rate=nan", "--out", "NEW"],
        "out of range",
    ),
    "infinite": (
        ["train", "lstm", "--text", "FILE", "--set", "rate=inf", "--out", "NEW"],
        "out of range",
    ),
    "no truth": (
        ["train", "lstm", "--text", "FILE", "--set", "mixed=perhaps", "--out", "NEW"],
        "true or false",
    ),
    "unknown tokenizer": (
        ["train", "lstm", "--text", "FILE", "--set", "tokenizer=runes", "--out", "NEW"],
        "bpe, chars",
    ),
    "settings that disagree": (
        ["train", "transformer", "--text", "FILE", "--set", "heads=3", "--out", "NEW"],
        "heads",
    ),
    "negative seed": (
        ["train", "lstm", "--text", "FILE", "--seed", "-1", "--out", "NEW"],
        "at least 0",
    ),
    "missing file": (
        ["train", "lstm", "--text", "nowhere.txt", "--out", "NEW"],
        "there is no file nowhere.txt",
    ),
    "folder as text": (["train", "lstm", "--text", "FOLDER", "--out", "NEW"], "is a folder"),
    "empty file": (["train", "lstm", "--text", "EMPTY", "--out", "NEW"], "empty"),
    "binary file": (["train", "lstm", "--text", "BINARY", "--out", "NEW"], "picture"),
    "file as out": (["train", "lstm", "--text", "FILE", "--out", "FILE"], "is a file"),
    "folder with other things": (
        ["train", "lstm", "--text", "FILE", "--out", "FOLDER"],
        "not empty",
    ),
    "unknown device": (
        ["train", "lstm", "--text", "FILE", "--device", "tpu", "--out", "NEW"],
        "invalid choice",
    ),
    "unknown run": (["trace", "nobody", "x"], "no run 'nobody'"),
    "nothing for a run": (["trace", "", "x"], "no run ''"),
    "k of nothing": (["next", "RUN", "x", "-k", "0"], "at least 1"),
    "k and all": (["next", "RUN", "x", "-k", "3", "--all"], "not allowed"),
    "cold temperature": (["sample", "RUN", "x", "--temperature", "-1"], "at least 0"),
    "no beam": (["sample", "RUN", "x", "--beams", "0"], "at least 1"),
    "typical above 1": (["sample", "RUN", "x", "--typical", "2"], "at most 1"),
    "penalty of 0": (["sample", "RUN", "x", "--repetition-penalty", "0"], "at least 0.001"),
    "top-p above 1": (["sample", "RUN", "x", "--top-p", "1.5"], "at most 1"),
    "score of nothing": (["score", "RUN", "--text", "nowhere.txt"], "no file"),
    "gradients of counts": (
        ["trace", "ngram", "x", "--gradients-of", "loss"],
        "no neural network that predicts the next token",
    ),
    "gradients of BERT": (
        ["trace", "bert", "x", "--gradients-of", "loss"],
        "BERT learns by gradients, but predicts hidden tokens from both sides",
    ),
    "gradients of an encoder-decoder": (
        ["trace", "translator", "x", "--gradients-of", "loss"],
        "learns by gradients, but predicts a translation",
    ),
    "gradients of a recurrent encoder-decoder": (
        ["trace", "seq2seq", "x", "--gradients-of", "loss"],
        "learns by gradients, but predicts a translation",
    ),
    "gradients of labels": (
        ["trace", "sentiment", "x", "--gradients-of", "loss"],
        "but predicts labels, not the next token",
    ),
    "gradients of a word": (["trace", "rnn", "x", "--gradients-of", "cat"], "number of a token"),
    "gradients of a far token": (["trace", "rnn", "x", "--gradients-of", "9"], "no prediction"),
    "trace to a folder": (["trace", "RUN", "x", "--out", "FOLDER"], "is a folder"),
    "unknown bench": (["bench", "nobody"], "no bench 'nobody'"),
    "unknown zoo": (["zoo", "nobody", "--text", "FILE"], "no run 'nobody' in the zoo"),
}


@sampled("mistake", MISTAKES)
def test_a_mistake_is_one_line(
    mistake: str, capsys: Capture, tmp_path: Path, text_file: str, run_folder: Folder
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
    arguments, said = MISTAKES[mistake]
    assert said in wrong(capsys, *(names.get(a, a) for a in arguments))
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
