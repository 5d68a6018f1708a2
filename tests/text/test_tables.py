"""Tables as people have them: every form of JSON, nested cells, dialects of CSV, Parquet with lists.

Oracles: Python's csv and json, pandas and pyarrow wrote what is read here."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import json
import random
import re
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from engine.text.collection import Library
from engine.text.collection.gather import gather
from engine.text.documents import Piece, columns, dialect, json_rows, read
from engine.text.documents.nested import paths
from engine.text.paged import Spool
from tests import made_files as made
from tests.conftest import together


def one(name: str, raw: bytes | str, *chosen: str) -> Piece:
    [piece] = read(name, raw if isinstance(raw, bytes) else raw.encode(), chosen or None)
    return piece


def lines(name: str, raw: bytes | str, *chosen: str) -> list[str]:
    return one(name, raw, *chosen).text.splitlines()


def names(name: str, raw: bytes | str) -> tuple[str, ...]:
    sheet = columns(name, raw if isinstance(raw, bytes) else raw.encode())
    assert sheet is not None and not sheet.nested
    return sheet.names


TEXTS = ["It rained all day.", "The sun came out, late.", "Snow; that is rare."]
ROWS = [{"text": text, "label": n % 2} for n, text in enumerate(TEXTS)]
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS)
FORMS = {
    "a list": json.dumps(ROWS),
    "a list, pretty": json.dumps(ROWS, indent=2),
    "a mark": "\ufeff" + json.dumps(ROWS),
    "lines": LINES,
    "lines, empty ones between": LINES.replace("\n", "\r\n\r\n"),
    "lines, commas behind": LINES.replace("\n", ",\n"),
    "pretty, one behind the other": "\n".join(json.dumps(row, indent=1) for row in ROWS),
    "one behind the other": "".join(map(json.dumps, ROWS)),
    "in an object": json.dumps({"version": 1, "data": ROWS}),
    "in objects": json.dumps({"ok": True, "response": {"n": 3, "docs": ROWS}}),
    "in two lists": json.dumps({"train": ROWS[:2], "test": ROWS[2:]}),
    "columns": json.dumps({"text": TEXTS, "label": [0, 1, 0]}),
    "a comma at the end": json.dumps(ROWS)[:-1] + ",\n]",
}


@together("form", FORMS)
def test_json_is_a_table_in_whatever_form(form: str) -> None:
    for name in ("a.json", "a.jsonl", "a.ndjson"):
        if name != "a.json" and FORMS[form].startswith('{"') and "\n" not in FORMS[form]:
            continue  # one value a line: that object is a row
        assert names(name, FORMS[form])[:2] == ("text", "label")
        assert lines(name, FORMS[form], "text") == TEXTS
    for encoding in ("utf-8", "utf-16", "utf-32"):
        assert lines("a.json", FORMS[form].lstrip("\ufeff").encode(encoding), "text") == TEXTS


@together(
    "orient,rows",
    [*product(["records", "split", "values"], [3]), ("index", 1_200), ("table", 1_200)],
)
def test_what_pandas_writes_is_read(orient: str, rows: int) -> None:
    frame = pd.DataFrame({"text": [f"{TEXTS[n % 3]} {n} é 😀" for n in range(rows)], "label": 7})
    raw = frame.to_json(orient=orient)
    named = ("column 1", "column 2") if orient == "values" else ("text", "label")
    assert set(named) <= set(names("a.json", raw))
    assert lines("a.json", raw, named[0]) == frame["text"].to_list()


def test_other_json_is_read_too() -> None:
    assert lines("a.json", json.dumps(TEXTS)) == lines("a.json", json.dumps({"x": TEXTS})) == TEXTS
    assert lines("a.jsonl", "\n".join(map(json.dumps, TEXTS))) == TEXTS
    named = '[["label", "text"], ["pos", "good"], ["neg", "bad"]]'
    assert lines("a.json", named, "text") == ["good", "bad"]
    document = {"title": "T", "body": "A long one. " * 9, "authors": [{"name": "x"}, {"name": "y"}]}
    assert names("a.json", json.dumps(document)) == ("title", "body", "authors[].name")
    assert lines("a.json", json.dumps(document), "title") == ["T"]
    words = {f"w{n}": f"meaning {n}" for n in range(1_500)}
    assert lines("a.json", json.dumps(words), "value") == list(words.values())
    mixed = one("a.json", '[{"text": "one"}, "two", null, true, {"text": null}]', "text")
    assert mixed.text == "one\ntwo\n"
    assert "2 values other than objects, texts and lists left out" in mixed.notes
    # as they are written, however long
    for figure in ("9" * 5_000, "1e999", "4.50"):
        assert lines("a.json", f'[{{"x": {figure}}}]', "x") == [figure]
    for raw, text in (("a\\ud800b", "ab"), ("\\ud83d\\ude00", "😀"), ("c\u2028d", "c d")):
        assert lines("a.json", f'[{{"x": "{raw}"}}]') == [text]
    assert lines("a.json", '[{"x": "one", "x": "two"}]') == ["two"]
    nan = one("a.json", '[{"x": NaN}, {"x": 1}, {"x": -Infinity}]')
    assert nan.text == "1\n"
    assert "2 values NaN or Infinity, which JSON does not have, left out" in nan.notes


@together(
    ("raw", "says"),
    [
        ('[{"x": 1,}]', "line 1, .* is not JSON: there is a comma before “}”"),
        ('[{"x": 1},\n\n{"x": [1,]}]', "line 3, .* is not JSON: there is a comma before “]”"),
        ("[{'x': 1}]", "JSON takes double quotation marks"),
        ('[{"x": 1}, // first\n{"x": 2}]', "there is a comment"),
        ('[{"x": 1}', "ends in the middle"),
        ('{"x": 1}\n{"x": "a\n', "line 2, .* is not JSON"),
        ('[{"x": 1]]', "is not JSON"),
        ("]", "is not JSON"),
        ("[" * 5_000, "200 deep"),
        ('{"a":' * 5_000, "200 deep"),
        ("not at all", "line 1, 'not at all', is not JSON"),
        ("[]", "no object, text or list"),
        ("null", "no object, text or list"),
        ("{}", "objects are empty"),
    ],
)
def test_what_is_wrong_with_json_is_said(raw: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as problem:
        read("a.json", raw.encode(), ("x",))
    assert len(str(problem.value)) < 300


CHAT = "".join(
    json.dumps({"id": n, "messages": [{"role": "user", "content": f"What is\n{n}?"}] * 2}) + "\n"
    for n in range(3)
)
NESTED = [
    {"meta": {"lang": "en", "body": "one"}, "tokens": ["It", "rained", "."], "a.b": "literal"},
    {"meta": {"lang": "en", "body": None}, "tokens": [], "a": {"b": "nested", "c": "deep"}},
    {"meta": None, "data": [{"qas": [{"q": "A?"}, {"q": "B?"}]}, {"qas": [{"q": "C?"}]}]},
]


def test_a_path_leads_into_nested_cells() -> None:
    assert names("chat.jsonl", CHAT) == ("id", "messages[].role", "messages[].content")
    found = one("chat.jsonl", CHAT, "messages[].content")
    assert found.text == "".join(f"What is {n}? What is {n}?\n" for n in range(3))
    assert "joined by blanks" in " ".join(found.notes)
    raw = made.jsonl(NESTED)
    leaves = "meta.lang meta.body tokens[] a.b a.c data[].qas[].q"
    assert names("a.jsonl", raw) == tuple(leaves.split())
    assert lines("a.jsonl", raw, "meta.body") == ["one"]
    assert lines("a.jsonl", raw, "tokens") == lines("a.jsonl", raw, "tokens[]") == ["It rained ."]
    assert lines("a.jsonl", raw, "a.b") == ["literal"]
    assert one("a.jsonl", raw, "a.c", "data[].qas[].q").rows == (("deep", ""), ("", "A? B? C?"))
    with pytest.raises(ValueError, match=r"“meta” are lists or objects; choose .* “meta.lang”"):
        read("a.jsonl", raw, ("meta",))
    with pytest.raises(ValueError, match=r"no column “meta\.none”"):
        read("a.jsonl", raw, ("meta.none",))
    wide = json.dumps([{f"k{n}": {"a": n} for n in range(1_001)}])
    with pytest.raises(ValueError, match="1,001 different keys and at most 1,000"):
        columns("a.json", wide.encode())


def test_tokens_and_tags_become_a_tagged_text(tmp_path: Path) -> None:
    rows = [{"tokens": ["the", "cat"], "tags": ["DET", "NOUN"]}, {"tokens": ["a"], "tags": ["DET"]}]
    table = {key: [row[key] for row in rows] for key in rows[0]}
    for name, raw in (("a.jsonl", made.jsonl(rows)), ("a.parquet", made.parquet(table))):
        found = gather([(name, raw)], "tagged", ("tokens[]", "tags[]"))
        assert found.content.whole() == "the/DET cat/NOUN\na/DET\n"
    stored = Library(tmp_path).add(found.content, "tags", kind="tagged")
    assert stored.pairs() == [("the cat", "DET NOUN"), ("a", "DET")]


def test_parquet_gives_what_arrow_has() -> None:
    when = datetime.datetime(2024, 1, 2, 3, 4, 5)
    packed = {  # name -> the cells, and how they are read
        "large": (pa.array(["x", "y", "z"], pa.large_string()), ["x", "y", "z"]),
        "dictionary": (pa.array(["p", "q", "p"]).dictionary_encode(), ["p", "q", "p"]),
        "bytes": (pa.array(["é".encode(), b"ok", None], pa.binary()), ["é", "ok"]),
        "when": (pa.array([when] * 3), [str(when)] * 3),
        "price": (pa.array([decimal.Decimal("1.50")] * 3), ["1.50"] * 3),
        "number": ([1.0, float("nan"), 2.5], ["1.0", "2.5"]),
        "meta.lang": ([{"lang": "en"}, {"lang": "de"}, None], ["en", "de"]),
        "messages[].content": ([[{"content": "a"}, {"content": "b"}], [], None], ["a b"]),
        "lists[][]": ([[["a", "b"], ["c"]], [], None], ["a b c"]),
        "image.path": ([{"bytes": b"\x89\0", "path": "a.png"}] * 3, ["a.png"] * 3),
        "picture": (pa.array([b"\x89PNG\0", b"\xff", b"x"], pa.binary()), []),
    }
    table = pa.table({re.split(r"[.[]", name)[0]: cells for name, (cells, _) in packed.items()})
    file = io.BytesIO()
    pq.write_table(table, file)
    raw = file.getvalue()
    sheet = columns("a.parquet", raw)
    assert sheet is not None and sheet.nested == ("picture",) and sheet.names == tuple(packed)
    for name, (_, wanted) in packed.items():
        assert name == "picture" or lines("a.parquet", raw, name) == wanted, name
    late = made.parquet({"b": [b"ok"] * 150 + [b"\xff"]})
    found = one("a.parquet", late, "b")
    assert found.text.endswith("ok\n\ufffd\n") and "1 damaged cell mended" in found.notes[0]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a\\"[]{},: \n\té😀', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('ab."[', max_size=3), inner)
    ),
    max_leaves=12,
)


def as_written(value: Any) -> Any:
    """Numbers as they are written, for what the reader gives."""
    return json.loads(json.dumps(value), parse_int=str, parse_float=str)


@bounds(max_examples=60, deadline=None)
@given(st.lists(values, max_size=9), st.sampled_from((8, 30, 1 << 20)), st.sampled_from((None, 1)))
def test_rows_of_json_are_those_that_json_reads(
    rows: list[Any], block: int, indent: int | None
) -> None:
    """Whatever stands in the strings, and wherever the blocks end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_rows, "BLOCK", block)
        patch.setattr(json_rows, "BATCH", block)
        for ascii_ in (True, False):
            text = json.dumps(rows, ensure_ascii=ascii_, indent=indent)
            found = json_rows.rows(Spool(text).close())
            assert list(found.values(json_rows.Reader())) == as_written(rows)
            text = "\n".join(json.dumps(r, ensure_ascii=ascii_, indent=indent) for r in rows)
            if len(rows) > 1:
                found = json_rows.rows(Spool(text).close())
                assert list(found.values(json_rows.Reader())) == as_written(rows)


@bounds(max_examples=40)
@given(st.lists(st.dictionaries(st.sampled_from("abc"), values), min_size=1, max_size=4))
def test_each_path_leads_to_what_it_says(rows: list[dict[str, Any]]) -> None:
    found = paths(rows)
    assert len(set(found.plain.values())) == len(found.plain)
    for path in found.plain.values():
        here: list[Any] = list(rows)
        for step in path:
            if step is None:
                here = [inner for one in here if isinstance(one, list) for inner in one]
            else:
                here = [one[step] for one in here if isinstance(one, dict) and step in one]
        assert any(not isinstance(one, list | dict) for one in here)


WORDS = (
    "the sea was grey and captain said nothing for three days because café it's don't rain, sun;"
    ' "come in" 5" a|b (one) and/or 3.5 1,2 "Yes," she \'no\' end. Why? x;y'
).split()


def cell(drawn: random.Random, kind: str) -> str:
    text = " ".join(drawn.choices(WORDS, k=drawn.randint(1, 25)))
    return {
        "id": str(drawn.randint(0, 9999)),
        "label": drawn.choice(["pos", "neg", "neutral"]),
        "score": f"{drawn.random() * 10:.2f}",
        "when": f"2024-{drawn.randint(1, 12):02d}-01 {drawn.randint(0, 23):02d}:30:00",
        "text": text.replace(" ", "\n", 1) if drawn.random() < 0.1 else text,
    }[kind]


def rows_of(text: str, usual: str = ",") -> list[list[str]]:
    found = dialect.find(text, True, usual)
    kept = io.StringIO(text, newline="").readlines()[found.skip :]
    return [
        [" ".join(c.split()) for c in row] for row in dialect.Rows(kept, found.dialect, found.width)
    ]


QUOTING = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_dialect_is_found(mark: str) -> None:
    for quoting, backslash, seed in product(QUOTING, (False, True), range(4)):
        drawn = random.Random(f"{seed} {mark} {backslash} {quoting}")
        kinds = [*drawn.choices(["id", "label", "score", "when"], k=drawn.randint(1, 4)), "text"]
        drawn.shuffle(kinds)
        rows = [[cell(drawn, kind) for kind in kinds] for _ in range(drawn.choice((4, 8, 40)))]
        rows = [[f"{kind}{n}" for n, kind in enumerate(kinds)]][seed % 3 == 0 :] + rows
        how: dict[str, Any] = {"doublequote": False, "escapechar": "\\"} if backslash else {}
        file = io.StringIO()
        writer = csv.writer(file, delimiter=mark, quoting=quoting, lineterminator="\n", **how)
        writer.writerows(rows)
        wanted = [[" ".join(c.split()) for c in row] for row in rows]
        assert rows_of(file.getvalue()) == wanted, seed


STRAY = [
    "It is late.",
    '" That is not so .',
    "He went.",
    "They sat.",
    '" Good night .',
    'A 5" pipe.',
]
LITERAL = ['"Hello," he said.', 'He said "no".', '"Yes" and "no".', "Plain.", 'And he said, "']
LATE = [f"sentence number {n}" for n in range(300)]
DIALECTS: dict[str, tuple[str, list[list[str]]]] = {
    "stray quotes": (
        "label,sentence\n" + "".join(f"{n % 2},{s}\n" for n, s in enumerate(STRAY)),
        [["label", "sentence"], *([str(n % 2), s] for n, s in enumerate(STRAY))],
    ),
    "quotes that are part of the text": (
        "id\ttext\n" + "".join(f"{n}\t{s}\n" for n, s in enumerate(LITERAL)),
        [["id", "text"], *([str(n), s] for n, s in enumerate(LITERAL))],
    ),
    "a stray quote far behind": (
        "".join(f'{n},"{s}, it is"\n' for n, s in enumerate(LATE)) + '8,"Open\n9,"more, x"\n',
        [*([str(n), f"{s}, it is"] for n, s in enumerate(LATE)), ["8", '"Open'], ["9", "more, x"]],
    ),
    "one quote and no other": (
        'a,b\n1,"open\n2,two\n3,three\n4,four\n',
        [["a", "b"], ["1", '"open'], ["2", "two"], ["3", "three"], ["4", "four"]],
    ),
    "a dump": (
        'id,text\n1,"He said \\"come in\\" and smiled"\n2,"A path, C:\\\\temp"\n3,"one\\ntwo"\n4,\\N\n',
        [
            ["id", "text"],
            ["1", 'He said "come in" and smiled'],
            ["2", "A path, C:\\temp"],
            ["3", "one two"],
            ["4", ""],
        ],
    ),
    "paths of Windows": (
        'id,path\n1,"C:\\temp\\"\n2,"D:\\new, old\\"\n3,"E:\\"\n4,"F:\\x"\n',
        [
            ["id", "path"],
            ["1", "C:\\temp\\"],
            ["2", "D:\\new, old\\"],
            ["3", "E:\\"],
            ["4", "F:\\x"],
        ],
    ),
    "it says so": (
        'sep=;\nname;text\nana;It rained.\nben;The sun, at last.\ncleo;"Snow; rare."\n',
        [
            ["name", "text"],
            ["ana", "It rained."],
            ["ben", "The sun, at last."],
            ["cleo", "Snow; rare."],
        ],
    ),
    "decimal commas": (
        "milk;1,20\nbread;2,49\ntea;3,99\n",
        [["milk", "1,20"], ["bread", "2,49"], ["tea", "3,99"]],
    ),
    "blanks behind the commas": (
        'id, text\n1, "a, b"\n2, "c"\n3, "d, e"\n',
        [["id", "text"], ["1", "a, b"], ["2", "c"], ["3", "d, e"]],
    ),
    "single quotes": (
        "'id','text'\n'1','it''s, fine'\n'2','c, d'\n'3','e'\n",
        [["id", "text"], ["1", "it's, fine"], ["2", "c, d"], ["3", "e"]],
    ),
    "apostrophes": (
        "id,text\n1,'Tis late\n2,it's\n3,the boys'\n4,'twas\n",
        [["id", "text"], ["1", "'Tis late"], ["2", "it's"], ["3", "the boys'"], ["4", "'twas"]],
    ),
    "one column, lines in its cells": (
        'text\n"A good\nday"\n"Rain, all day"\n"The ""sun""\ncame"\nNo bread\n',
        [["text"], ["A good day"], ["Rain, all day"], ['The "sun" came'], ["No bread"]],
    ),
    "many lines in cells": (
        "label,text\n" + "".join(f'{n},"line of {n}\ntwo, of it\nthree, too"\n' for n in range(6)),
        [["label", "text"], *([str(n), f"line of {n} two, of it three, too"] for n in range(6))],
    ),
    "comments": (
        "# exported by a tool\n# 2024, version 2\nid,text\n1,a\n2,b\n",
        [["id", "text"], ["1", "a"], ["2", "b"]],
    ),
    "a head that begins like a comment": (
        "#id,text\n1,a\n2,b\n3,#c\n",
        [["#id", "text"], ["1", "a"], ["2", "b"], ["3", "#c"]],
    ),
    "rows that are too short": (
        "id,text,note\n1,a,x\n2,b\n3,c,y\n4,d,z\n5,e,w\n",
        [
            ["id", "text", "note"],
            ["1", "a", "x"],
            ["2", "b"],
            *(list(r) for r in ("3cy", "4dz", "5ew")),
        ],
    ),
}


@together("case", DIALECTS)
def test_tables_that_no_standard_describes(case: str) -> None:
    text, rows = DIALECTS[case]
    assert rows_of(text) == rows


def test_what_was_taken_is_told() -> None:
    def notes(raw: str, *chosen: str) -> str:
        return "; ".join(one("a.csv", raw, *chosen).notes)

    assert notes("id,text\n1,a\n2,b\n", "text") == "2 rows of “text”"
    assert "parted by semicolons" in notes("id;text\n1;a\n2;b\n", "text")
    assert "as its first line says" in notes(DIALECTS["it says so"][0], "text")
    assert "read as ordinary signs" in notes(DIALECTS["stray quotes"][0], "sentence")
    assert "a backslash was taken off" in notes(DIALECTS["a dump"][0], "text")
    assert "2 comment lines left out" in notes(DIALECTS["comments"][0], "text")
    late = notes("id,text\n" + DIALECTS["a stray quote far behind"][0], "text")
    assert "1 line with quotation marks that do not match" in late
    wide = "label,text\n" + "a,b\n" * 9 + "a,b, and more\n"
    assert "1 row with more cells than there are columns" in notes(wide, "text")
    assert names("a.csv", "id,text,\n1,a,\n2,b,\n") == ("id", "text")


def test_temporary_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    text = Spool()
    for _ in range(6):
        text.write("a line of a text\n" * 70_000)
    assert len(text.close()) == 6 * 17 * 70_000 and text[17:33] == "a line of a text"
    del text
    assert not list(tmp_path.iterdir())
