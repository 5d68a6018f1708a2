"""Documents of every format: noise, sound files that were damaged, made ones that contain anything.
Each becomes texts, or one sentence."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import time

import pytest
from hypothesis import strategies as st

from engine.jobs.worker import Worker
from engine.text import documents
from engine.text.documents import base, columns, parquet, pdf, read
from tests import made_files as made
from tests.fuzz.while_time import JSON, SECONDS, Sound, broken, is_plain, tried

SOUND = {name: Sound(raw) for name, raw in made.sound().items()}
STARTS = [
    b"",
    b"%PDF-1.4\n",
    b"PK\x03\x04",
    b"\x1f\x8b\x08\0",
    b"PAR1",
    b"<html>",
    b"<?xml version='1.0' encoding='utf-7'?>",
    b"1\n00:00:01,000 --> 00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
]
TEXTS = st.text(max_size=60)
NAMES = st.text(max_size=20) | st.sampled_from(["../a.txt", "a/b.html", "x.zip", "", "\u202e.csv"])
MOST_SECONDS = 10.0


def as_csv(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


CONTENTS: st.SearchStrategy[tuple[str, bytes]] = st.one_of(
    st.tuples(st.just("a.txt"), TEXTS.map(str.encode)),
    st.tuples(
        st.sampled_from(["a.csv", "a.tsv"]),
        st.lists(st.lists(TEXTS, max_size=4), max_size=6).map(as_csv),
    ),
    st.tuples(st.just("a.jsonl"), st.lists(JSON, max_size=5).map(made.jsonl)),
    st.tuples(st.just("a.json"), JSON.map(lambda v: json.dumps(v).encode())),
    st.tuples(st.just("a.html"), st.lists(TEXTS, max_size=4).map(made.html)),
    st.tuples(st.just("a.srt"), st.lists(TEXTS, max_size=4).map(made.srt)),
    st.tuples(
        st.just("a.parquet"),
        st.lists(TEXTS | st.none(), max_size=5).map(lambda rows: made.parquet({"text": rows})),
    ),
    st.tuples(st.sampled_from([f"a.{e}" for e in documents.endings()]), st.binary(max_size=200)),
    st.tuples(
        st.sampled_from([f"a.{e}" for e in documents.endings()]),
        st.tuples(st.sampled_from(STARTS), st.binary(max_size=300)).map(b"".join),
    ),
    st.sampled_from(sorted(SOUND)).flatmap(
        lambda name: st.tuples(st.just(name), broken(SOUND[name]))
    ),
)


def archive(parts: list[tuple[str, tuple[str, bytes]]]) -> bytes:
    return made.packed({name + inside[0]: inside[1] for name, inside in parts})


FILES: st.SearchStrategy[tuple[str, bytes]] = st.one_of(
    CONTENTS,
    CONTENTS,
    CONTENTS.map(lambda one: (one[0] + ".gz", gzip.compress(one[1]))),
    st.tuples(st.just("a.zip"), st.lists(st.tuples(NAMES, CONTENTS), max_size=3).map(archive)),
)


def is_text_or_sentence(file: tuple[str, bytes]) -> None:
    name, raw = file
    begun = time.process_time()
    try:
        for piece in read(name, raw):
            assert piece.text.strip() and "\0" not in piece.text
            piece.text.encode()
            assert is_plain(piece.name) and len(piece.name) <= 125
    except ValueError as problem:
        said = str(problem)
        assert type(problem) in (ValueError, base.TooMuch) and is_plain(said) and len(said) < 500
    try:
        columns(name, raw)
    except ValueError as problem:
        assert type(problem) in (ValueError, base.TooMuch)
    assert time.process_time() - begun < MOST_SECONDS


@SECONDS
def test_any_document(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # a process for each would take minutes; the fuzzing is of what it runs
    monkeypatch.setattr(pdf, "_apart", lambda source, seconds: pdf.texts(source.raw))
    with Worker(parquet.__name__) as lasting:
        monkeypatch.setattr(parquet, "Worker", lambda module: contextlib.nullcontext(lasting))
        assert tried(FILES, is_text_or_sentence, seconds) > 100
