"""The ledger of topics: every entry names rows and a page that exist, and a search finds the right
one first."""

from __future__ import annotations

import json
import re

import pytest

from engine.__main__ import main
from engine.course.curriculum import LESSONS, MAP, lesson
from engine.course.topics import TOPICS
from engine.course.topics.search import LONGEST, search, words
from tests.conftest import ROOT, together

SPEC = ROOT.parent / "shared" / "spec"
with_spec = pytest.mark.skipif(
    not (SPEC / "coverage.md").is_file(),
    reason="the specification lies beside the checkout, in ../shared/spec, and is not there",
)
ROW = re.compile(r"\| ([A-Z]+\d+[a-z]?) \| .*? \| (WORKS|PART|NONE) \|")


def coverage() -> dict[tuple[str, str], str]:
    """{(file without its ending, row id): WORKS, PART or NONE} of the specification."""
    found, file = {}, ""
    for line in (SPEC / "coverage.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            file = line[3:].removesuffix(".md") if line.endswith(".md") else ""
        elif file and (row := ROW.match(line)):
            found[file, row[1]] = row[2]
    return found


def test_ids_are_unique_and_pages_exist() -> None:
    assert len({topic.id for topic in TOPICS}) == len(TOPICS) > 200
    for topic in TOPICS:
        assert (ROOT / "pages" / lesson(topic.lesson).page).is_file()
        assert topic.says.endswith((".", "?")) and "\n" not in topic.says
        assert [*topic.rows()] and len({*topic.rows()}) == len([*topic.rows()]), topic.id


def test_every_lesson_has_a_topic() -> None:
    assert {topic.lesson for topic in TOPICS} == {item.id for item in LESSONS if item is not MAP}


STATES = ("NONE", "PART", "WORKS")


@with_spec
def test_rows_are_rows_of_the_specification() -> None:
    """What was shown whole when the rows were counted is listed whole; since then a row may have
    come nearer to that, and none has gone."""
    rows = coverage()
    assert len(rows) > 700
    listed = {(file, row): state for topic in TOPICS for file, row, state in topic.rows()}
    assert listed.keys() <= rows.keys()
    for (file, row), state in listed.items():
        text = (SPEC / f"{file}.md").read_text(encoding="utf-8")
        assert re.search(rf"^\| {row} \|", text, re.MULTILINE), (file, row)
        assert STATES.index(state.upper()) >= STATES.index(rows[file, row]), (file, row)
    assert {row for row, state in rows.items() if state == "WORKS"} <= listed.keys()


def test_a_row_is_not_both_whole_and_in_part() -> None:
    states: dict[tuple[str, str], set[str]] = {}
    for topic in TOPICS:
        for file, row, state in topic.rows():
            states.setdefault((file, row), set()).add(state)
    assert all(len(found) == 1 for found in states.values())


@together(
    ("query", "first"),
    [
        ("peephole-lstm", "peephole-lstm"),
        ("teacher forcing", "teacher-forcing-and-free-running"),
        ("Kneser-Ney", "kneser-ney-smoothing"),
        ("LSTM", "lstm"),
        ("PPL", "perplexity"),
        ("BPTT", "backpropagation-through-time-bptt"),
        ("vanishing gradient", "how-fast-a-gradient-fades-over-the-steps"),
        ("truncation", "truncated-backpropagation-through-time"),
        ("long short term memory", "lstm"),
        ("GRU", "gru"),
        ("BPE", "byte-pair-encoding"),
        ("self-attention-step-by-step", "self-attention-step-by-step"),
        ("RoPE", "rotary-positions-rope"),
        ("KV cache", "how-long-writing-takes-the-kv-cache"),
        ("word sense disambiguation", "two-banks-one-state"),
        ("CBOW", "cbow"),
        ("transformer", "the-way-of-one-token-through-a-transformer"),
        ("perplexty", "perplexity"),  # slips
        ("knesser ney", "kneser-ney-smoothing"),
        ("gradient cliping", "gradient-clipping"),
        ("what is a forget gate?", "forget-gate"),  # a question
        ("embedings", "word-embeddings"),
        ("Naïve Bayes", "naive-bayes"),
        # as somebody asks who has never seen the course; not all of the words are there
        ("which unit counts open brackets", "the-unit-that-counts-open-brackets"),
        ("unit that knows quotations", "the-unit-that-knows-quotations"),
        ("which smoothing is best", "which-smoothing-method-is-best"),
        ("n-grams of my own text", "n-grams-of-your-own-text"),
        ("how can I upload a text", "bring-your-own-text"),
        ("train a small LSTM", "train-a-model-of-your-own"),
        ("rewind the training", "rewind-a-training"),
        ("compare two models on my sentence", "models-side-by-side-on-one-text"),
        ("what did BPE do to my word", "cut-a-new-word"),
        ("attention of one head on my sentence", "self-attention-step-by-step"),
        ("does the model copy its training text", "how-much-is-only-a-copy"),
        ("which word surprised the model", "surprisal"),
        ("how long does training take?", "train-a-model-of-your-own"),
        ("detect sentiment", "many-to-one-sentiment"),
        ("is this review positive", "many-to-one-sentiment"),
        ("how many parameters does a Transformer have", "where-the-parameters-are"),
        ("translate my sentence", "translation-word-by-word"),
        ("download the vectors", "frozen-or-adaptive-vectors"),
    ],
)
def test_the_right_place_comes_first(query: str, first: str) -> None:
    assert search(query, TOPICS)[0].id == first


def test_names_come_before_sentences() -> None:
    found = [topic.id for topic in search("forget gate", TOPICS)]
    assert found[0] == "forget-gate" and "how-a-memory-fades" in found[1:]  # its sentence says it


@together("query", ["", "   ", "?!", "xqzzvk", "\x00", "💡"])
def test_nothing_is_found_for_nothing(query: str) -> None:
    assert search(query, TOPICS) == []


def test_a_long_query_is_cut() -> None:
    assert search("peephole " * 10_000, TOPICS) == search(("peephole " * 100)[:LONGEST], TOPICS)


def test_words_forget_case_accents_and_plurals() -> None:
    assert words("Naïve-Bayes GATES, loss") == ("naive", "baye", "gate", "loss")


def test_the_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "topics", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out).values()
    assert {*listed[0]} == {"id", "spec", "title", "state", "page", "anchor"}
    assert len({entry["id"] for entry in listed}) == len(listed)
    pages = {item.id for item in LESSONS}
    assert all(entry["page"] in pages and entry["state"] in ("works", "part") for entry in listed)
    assert {entry["spec"] for entry in listed} == {
        f"{file}.md {row}" for topic in TOPICS for file, row, _ in topic.rows()
    }
