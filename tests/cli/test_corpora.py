"""`python -m engine corpora`, and corpora and files of any format as --text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import main
from engine.cli.console import Wrong, read_text
from engine.text.collection import Library
from tests import made_files as made
from tests.cli.test_cli import Capture, object_of, wrong
from tests.conftest import Patch

LINES = [f"the cat number {n} sat on the mat" for n in range(60)]
TABLE = b"mood,line,id\ngood,a fine film,1\nbad,a long bore,2\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: Patch) -> Path:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "novel.txt").write_text("\n".join(LINES))
    (tmp_path / "table.csv").write_bytes(TABLE)
    (tmp_path / "letter.docx").write_bytes(made.docx(["Dear reader,", "it is raining."]))
    return tmp_path


def test_corpora_are_added_listed_and_deleted(capsys: Capture) -> None:
    def said(*arguments: str) -> list[dict[str, Any]]:
        return list(object_of(capsys, "corpora", *arguments)["corpora"])

    [added] = said("add", "novel.txt", "letter.docx", "--name", "Two files", "--seed", "4")
    assert [added[of] for of in ("name", "kind", "built_in")] == ["Two files", "text", False]
    about = added["about"]
    assert about["source"] == ["novel.txt", "letter.docx"] and about["seed"] == 4
    assert about["passages"]["test"] >= 1
    [labelled] = said("add", "table.csv", "--kind", "labelled", "--columns", "mood, line")
    pairs = [("good", "a fine film"), ("bad", "a long bore")]
    assert labelled["name"] == "table" and Library().find(labelled["id"]).pairs() == pairs
    listed = {corpus["id"]: corpus for corpus in said()}
    assert listed[added["id"]] == added and listed["stories"]["about"] is None
    assert listed["reviews"]["kind"] == "labelled"
    assert main(["corpora", "list"]) == 0
    assert added["id"] in capsys.readouterr().out
    assert [corpus["id"] for corpus in said("delete", labelled["id"])] == [labelled["id"]]
    assert [c.id for c in Library().all()] == [added["id"]]


def test_mistakes_are_one_line_and_change_nothing(capsys: Capture) -> None:
    id = Library().add("kept", "kept").id
    parallel = ("add", "novel.txt", "letter.docx", "--kind", "parallel")
    for arguments, said in {
        ("add",): "give files to add",
        ("add", "nowhere.txt"): "there is no file nowhere.txt",
        ("add", "table.csv"): "say which one is the text",
        ("add", "table.csv", "--columns", "lines"): "no column “lines”",
        ("add", "novel.txt", "--kind", "labelled"): "is not a label, a tab and a text",
        parallel: "do not go together line by line",
        ("add", "novel.txt", "--seed", "-1"): "at least 0",
        ("add", "--hub", "not a name"): "not the name of a data set",
        ("delete",): "name the corpus",
        ("delete", id, "../kept"): "no stored corpus '../kept'",
        ("delete", "stories"): "no stored corpus 'stories'",
        ("list", "x"): "takes no names",
    }.items():
        assert said in wrong(capsys, "corpora", *arguments)
    assert [c.id for c in Library().all()] == [id]


def test_a_text_is_a_file_of_any_format_a_column_or_a_corpus(capsys: Capture) -> None:
    assert read_text(["letter.docx"]) == "Dear reader,\nit is raining.\n"
    assert read_text(["table.csv:line"]) == "a fine film\na long bore\n"
    assert len(read_text(["stories"])) > 1000, "a built-in one"
    stored = Library().add("\n".join(LINES), "novel")
    assert read_text([stored.id]) == stored.text()
    assert read_text([f"{stored.id}:train"]) == stored.part("train")
    assert read_text([f"{stored.id}:test"], test=True) == stored.part("test")
    Path("table.csv:line").write_text("a file of that name")
    # a file that is there comes first
    assert read_text(["table.csv:line"]) == "a file of that name\n"
    for source, said in {
        "table.csv": "as table.csv:COLUMN",
        "table.csv:x": "no column “x”",
        f"{stored.id}:test": "kept for `score`",
        f"{stored.id}:x": "no part 'x'",
        "stories:test": "has no parts",
        "novel-12345678": f"one of the corpora .*{stored.id}",
        "../novel-12345678": "there is no file",
        ".": "is a folder",
    }.items():
        with pytest.raises((Wrong, LookupError), match=said):
            read_text([source])
    capsys.readouterr()


def test_a_model_is_trained_on_a_corpus_and_scored_on_its_test_part(
    capsys: Capture, home: Path
) -> None:
    stored = Library().add("\n".join(LINES), "novel")
    object_of(capsys, "train", "ngram", "--text", stored.id, "--out", "run")
    note = json.loads((home / "run" / "run.json").read_text())
    assert note["texts"] == [stored.id] and note["corpus"]["characters"] == len(stored.text())
    scored = object_of(capsys, "score", "run", "--text", f"{stored.id}:test")
    assert scored["characters"] == len(stored.part("test"))
    again = ("train", "ngram", "--text", f"{stored.id}:test", "--out", "other")
    assert "kept for `score`" in wrong(capsys, *again)
