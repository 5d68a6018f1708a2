"""Files of word vectors: as gensim reads and writes them, hostile ones, and the runs that they
become."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import re
import struct
import time
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import save_facebook_model
from gensim.scripts.word2vec2tensor import word2vec2tensor

from engine.__main__ import main
from engine.models.vectors import LoadedVectors
from engine.runs.store import RunStore
from engine.vectors import files
from engine.vectors.base import Vectors
from tests.conftest import LINES, sampled
from tests.models.test_contract import ODD, same

WORDS = ("the", "King", "naïve", "日本", "don't", "👩‍👧", "king", "1.5", "x_y")
SPACE = Vectors(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32))


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "format,header,binary",
    [("word2vec", True, False), ("binary", True, True), ("glove", False, False)],
)
def test_what_we_write_gensim_reads_and_the_other_way_round(
    format: str, header: bool, binary: bool, tmp_path: Path
) -> None:
    files.save(tmp_path / "ours", SPACE, format)
    heading = b"" if header else b"9 6\n"  # gensim leaves files without a heading open
    theirs = KeyedVectors.load_word2vec_format(
        str(write(tmp_path / "headed", heading + (tmp_path / "ours").read_bytes())), binary=binary
    )
    assert tuple(theirs.index_to_key) == WORDS
    np.testing.assert_array_equal(theirs.vectors, SPACE.values)
    theirs.save_word2vec_format(str(tmp_path / "theirs"), binary=binary, write_header=header)
    for path in (
        tmp_path / "ours",
        tmp_path / "theirs",
        write(tmp_path / "packed.gz", gzip.compress((tmp_path / "ours").read_bytes())),
    ):
        loaded = files.load(path)
        assert loaded.space.words == WORDS and loaded.notes == () and loaded.grams is None
        np.testing.assert_array_equal(loaded.space.values, SPACE.values)
        assert ("binary" in loaded.format, "GloVe" in loaded.format) == (binary, not header)
    few = files.load(tmp_path / "ours", 2)
    assert few.space.words == WORDS[:2] and "first 2 words" in few.notes[0]


def test_a_fasttext_file_composes_like_gensim(tmp_path: Path) -> None:
    made = FastText(
        [line.split() for line in LINES * 5],
        vector_size=8,
        min_count=1,
        epochs=2,
        bucket=300,
        seed=1,
        workers=1,
    )
    save_facebook_model(made, str(tmp_path / "ft.bin"))
    loaded = files.load(tmp_path / "ft.bin")
    assert loaded.space.words == tuple(made.wv.index_to_key)
    assert loaded.grams is not None
    assert loaded.format == "fastText binary"
    np.testing.assert_allclose(loaded.space.values, made.wv.vectors, atol=1e-6)
    assert loaded.space.counts is not None
    assert loaded.space.counts.tolist() == [
        made.wv.get_vecattr(w, "count") for w in loaded.space.words
    ]
    model = LoadedVectors.of(loaded)
    again = LoadedVectors.from_weights(model.config, model.weights())
    for word in ("catlike", "captains", "naïve", "x"):
        composed = loaded.grams.compose(word)
        np.testing.assert_allclose(composed, made.wv[word], atol=1e-6)
        # n-grams are kept as float16
        np.testing.assert_allclose(again.compose(word), composed, atol=1e-3)
    trace = model.trace("the catlike dog")
    np.testing.assert_allclose(trace.field("vector").values[2], made.wv["catlike"], atol=1e-6)
    assert 2 in trace["neighbours"].columns["position"] and trace.unknown == (2,)  # type: ignore[union-attr]
    whole = (tmp_path / "ft.bin").read_bytes()
    # the end of such a file, the other table of training, is not read
    for cut in (8, 40, 200, len(whole) // 2):
        with pytest.raises(ValueError, match=r"damaged fastText file|can't be read"):
            files.load(write(tmp_path / "cut.bin", whole[:cut]))


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "blank": (b"\n\n\n", "empty"),
    "prose": (
        b"It was the best of times, it was the worst of times\n" * 9,
        "no file of word vectors",
    ),
    "no numbers": (b"3 2\nthe a b\nof c d\n", "neither text|cut short|usable"),
    "a short row": (b"3 2\nthe 1 2\nof 1\nto 1 2\n", "line 3 is not a word"),
    "a short row without a heading": (b"the 1 2 3\nof 1 2\n", "line 2 is not a word"),
    "many words promised": (b"99999999999999999999 3\n", "words|usable"),
    "a wide promise": (b"3 999999999\nthe 1\n", "4,096"),
    "no width": (b"3 0\nthe\n", "4,096"),
    "cut binary": (b"2 4\nthe " + b"\0" * 7, "middle of the numbers"),
    "a long word": (b"2 4\n" + b"\x01" * 5000, "neither text"),
    "a long line": (b"the " + b"1 " * 300_000, "4,096|no file|200,000"),
    "only not finite": (b"2 2\nthe nan 1\nof inf 2\n", "usable|no file|neither"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "no file of word vectors"),
    "damaged gzip": (gzip.compress(b"the 1 2\n" * 99)[:-12] + b"\0" * 12, "can't be read"),
    "a fastText word without end": (
        files.FASTTEXT
        + struct.pack("<13id3i2q", 12, *[5] * 12, 1e-4, 1, 1, 0, 10, -1)
        + b"a" * 5000,
        "no end",
    ),
    "another width than it says": (b"3 7\nthe 1 2 3\nof 1 2 3\nto 1 2 3\n", "width|numbers"),
    "not fasttext": (files.FASTTEXT + b"\xff" * 400, "damaged fastText"),
}


@pytest.mark.filterwarnings("error")
@sampled("what", HOSTILE, each=3)
def test_hostile_files_get_one_sentence(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, said = HOSTILE[what]
    path = write(tmp_path / "file.txt", content)
    with pytest.raises(ValueError, match=said):
        files.load(path)
    assert main(["import", str(path), "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: ")
    assert "mistake in Unrolled" not in error
    assert not (tmp_path / "run").exists()


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    rows = ["</s> 0 0", "the 1 2", "new york 3 4", "the 5 6", "of nan 1", "huge 1e300 1", "to 7 8"]
    loaded = files.load(write(tmp_path / "a.vec", ("9 2\n" + "\n".join(rows) + " \n").encode()))
    assert loaded.space.words == ("the", "new york", "to")
    assert loaded.space.values.tolist() == [[1, 2], [3, 4], [7, 8]]
    notes = " / ".join(loaded.notes)
    for said in (
        "1 left out: marks",
        "1 left out: words that stand there twice",
        "2 left out: rows with numbers",
        "promises 9 words and has 7",
    ):
        assert said in notes
    with pytest.raises(ValueError, match="there is no file"):
        files.load(tmp_path / "none")
    blank = Vectors((" ", "a b", "a_b"), np.array([[0, 0], [1, 2], [3, 4]], np.float32))
    files.save(tmp_path / "b.vec", blank, "word2vec")
    assert (tmp_path / "b.vec").read_text() == "1 2\na_b 1 2\n"
    with pytest.raises(ValueError, match="no word that can be written"):
        files.save(tmp_path / "c", Vectors((" ",), np.ones((1, 2), np.float32)), "glove")


def glove(words: Iterable[str] = WORDS, between: str = " ", end: str = "\n") -> bytes:
    rows = zip(words, SPACE.values.tolist(), strict=False)
    return "".join(between.join([word, *map(repr, row)]) + end for word, row in rows).encode()


def mikolov(words: Iterable[str], end: bytes = b"\n") -> bytes:
    """As word2vec.c writes it; gensim without line ends."""
    rows = list(zip(words, SPACE.values, strict=False))
    return b"%d 6\n" % len(rows) + b"".join(
        word.encode() + b" " + row.astype("<f4").tobytes() + end for word, row in rows
    )


def zipped(**files_of: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files_of.items():
            archive.writestr(name, raw)
    return made.getvalue()


FRAME = pd.DataFrame(SPACE.values, index=WORDS)
BLANKS = ("hello", "my name", "windows 95", ". . .", "1999", "2 3 4", "a , b", "at", "x")
MARK = b"\xef\xbb\xbf"
FORMS: dict[str, tuple[bytes, str]] = {
    "a mark before GloVe": (MARK + glove(), "GloVe text"),
    "a mark before word2vec": (MARK + b"9 6\n" + glove(), "word2vec text"),
    "gzip": (gzip.compress(glove()), "GloVe text"),
    "bzip2": (bz2.compress(glove()), "GloVe text"),
    "xz": (lzma.compress(glove()), "GloVe text"),
    "a blank at each end, as fastText": (b"9 6\n" + glove(end=" \n"), "word2vec text"),
    "line ends of Windows": (glove(end="\r\n"), "GloVe text"),
    "columns": (glove(between="   "), "GloVe text"),
    "tabs": (glove(between="\t"), "GloVe text"),
    "pandas": (FRAME.to_csv().encode(), "table"),
    "pandas, named": (FRAME.to_csv(index_label="word").encode(), "table"),
    "pandas, tabs": (FRAME.to_csv(sep="\t").encode(), "table"),
    "pandas, blanks": (FRAME.to_csv(sep=" ").encode(), "table"),
    "pandas, no names": (FRAME.to_csv(header=False).encode(), "table"),
    "pandas, quotes": (FRAME.to_csv(quoting=csv.QUOTE_ALL).encode(), "table"),
    "a spreadsheet": (FRAME.to_csv(sep=";", decimal=",", lineterminator="\r\n").encode(), "table"),
    "semicolons": (MARK + FRAME.to_csv(sep=";", header=False).encode(), "table"),
    "names": (FRAME.add_prefix("dimension ").to_csv(index_label="label").encode(), "table"),
    "commas and blanks": (glove(between=", "), "table"),
    "a comma at the end": (glove(between=",", end=",\n"), "table"),
    "decimal commas between blanks": (re.sub(rb"([ -]\d+)[.]", rb"\1,", glove()), "GloVe"),
    "binary": (mikolov(WORDS), "word2vec binary"),
    "binary, no line ends": (mikolov(WORDS, b""), "word2vec binary"),
    "a zip": (zipped(**{"glove.6B.6d.txt": glove()}), "GloVe text"),
    "a zip with other things": (
        zipped(
            **{
                "__MACOSX/x": b"x",
                "README.txt": b"about",
                "LICENSE": b"all",
                "a/v.bin": mikolov(WORDS),
            }
        ),
        "word2vec binary",
    ),
    "a packed file in a zip": (zipped(**{"v.txt.gz": gzip.compress(glove())}), "GloVe text"),
}


@sampled("what", FORMS)
def test_the_same_vectors_in_many_forms(what: str, tmp_path: Path) -> None:
    raw, format = FORMS[what]
    loaded = files.load(write(tmp_path / "file.txt", raw))
    assert loaded.space.words == WORDS and loaded.notes == ()
    np.testing.assert_array_equal(loaded.space.values, SPACE.values)
    np.testing.assert_array_equal(loaded.table, np.pad(SPACE.values, ((3, 0), (0, 0))))
    assert loaded.format.startswith(format)


@pytest.mark.parametrize(
    "raw",
    [
        glove(BLANKS),
        b"9 6\n" + glove(BLANKS),
        glove(BLANKS, "\t"),
        pd.DataFrame(SPACE.values, index=BLANKS).to_csv().encode(),
        mikolov(BLANKS),
        mikolov(BLANKS, b""),
    ],
    ids=("GloVe", "word2vec", "tabs", "commas", "binary", "binary of gensim"),
)
def test_a_word_may_have_blanks_where_the_numbers_leave_no_doubt(
    raw: bytes, tmp_path: Path
) -> None:
    """gensim writes such words, and reads none of them; GloVe's 840B has some."""
    loaded = files.load(write(tmp_path / "file", raw))
    assert loaded.space.words == BLANKS and loaded.notes == ()
    np.testing.assert_array_equal(loaded.space.values, SPACE.values)
    for format in ("word2vec", "binary"):
        files.save(tmp_path / "saved", loaded.space, format)
        theirs = KeyedVectors.load_word2vec_format(
            str(tmp_path / "saved"), binary=format == "binary"
        )
        assert theirs.index_to_key == [word.replace(" ", "_") for word in BLANKS]
        np.testing.assert_array_equal(theirs.vectors, SPACE.values)


def test_a_row_of_blanks_alone_is_left_out(tmp_path: Path) -> None:
    loaded = files.load(write(tmp_path / "a", b"3 2\na 1 2\n  3 4\n\xc2\xa0 5 6\n"))
    assert loaded.space.words == ("a",) and loaded.notes[0].startswith("2 left out: words that are")


@pytest.mark.parametrize("binary", [False, True])
def test_bytes_that_are_no_text_keep_words_apart(binary: bool, tmp_path: Path) -> None:
    """As gensim has it for fastText files, and for others if it is asked."""
    raw = (mikolov if binary else lambda words: b"9 6\n" + glove(words))(WORDS)
    raw = raw.replace(b"the ", b"caf\xe9 ").replace(b"King ", b"caf\xe8 ")
    path = write(tmp_path / "v", raw)
    loaded = files.load(path)
    theirs = KeyedVectors.load_word2vec_format(
        str(path), binary=binary, unicode_errors="backslashreplace"
    )
    assert loaded.space.words == tuple(theirs.index_to_key)
    assert loaded.space.words[:2] == ("caf\\xe9", "caf\\xe8")
    assert loaded.notes == ("in 2 of the words there are bytes that are no UTF-8, shown as \\xe9",)


@pytest.mark.parametrize(
    ("promised", "behind", "said"),
    [
        (9, b"", None),
        (12, b"", "promises 12 words and has 9"),
        (4, b"", "promises 4 words and has 9"),
        (9, b"the end of it\n", "1 left out: lines behind the words"),
    ],
)
def test_a_wrong_number_of_words(
    promised: int, behind: bytes, said: str | None, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.vec", b"%d 6\n" % promised + glove() + behind)
    loaded = files.load(path)
    assert loaded.space.words == WORDS
    assert loaded.notes == () if said is None else said in loaded.notes[0]


def test_tables_of_the_embedding_projector(tmp_path: Path) -> None:
    """As gensim writes them, as TensorFlow's tutorials call them, in a zip, and alone."""
    files.save(tmp_path / "made.vec", SPACE, "word2vec")
    word2vec2tensor(str(tmp_path / "made.vec"), str(tmp_path / "x"))
    rows, words = ((tmp_path / f"x_{of}.tsv").read_bytes() for of in ("tensor", "metadata"))

    def same(loaded: files.Loaded, words: Sequence[str], *notes: str) -> None:
        assert loaded.space.words == tuple(words) and loaded.notes == notes
        np.testing.assert_allclose(loaded.space.values, SPACE.values, atol=1e-6)

    same(files.load(tmp_path / "x_tensor.tsv"), WORDS, "the words are those of x_metadata.tsv")
    columns = (
        MARK
        + b"id\tWord\tcount\n"
        + b"".join(f"{n}\t{word}\t{9 - n}\n".encode() for n, word in enumerate(WORDS))
    )
    for n, (table, meta, content) in enumerate(
        (
            ("tensors.tsv", "metadata.tsv", words),
            ("vectors.tsv", "metadata.tsv", words.replace(b"\n", b"\r\n")),
            ("vecs.tsv", "meta.tsv", columns),
            ("tensors.tsv", "metadata.tsv", words.rstrip()),
        )
    ):
        (folder := tmp_path / str(n)).mkdir()
        write(folder / meta, content)
        same(files.load(write(folder / table, rows)), WORDS, f"the words are those of {meta}")
        both = zipped(**{f"a/{table}": rows, f"a/{meta}": content})
        packed = files.load(write(folder / "both.zip", both))
        same(packed, WORDS, f"the words are those of {meta}")
    alone = write(tmp_path / "alone.tsv", rows)
    same(
        files.load(alone),
        [str(n) for n in range(1, 10)],
        "the rows have no words and are called by their numbers, 1 to 9; put the words, one a line,"
        " into a file metadata.tsv beside it",
    )
    write(tmp_path / "metadata.tsv", words + b"one more\n")
    with pytest.raises(
        ValueError, match=r"metadata.tsv has 10 lines, and alone.tsv has 9 rows; they do not"
    ):
        files.load(alone)
    write(tmp_path / "metadata.tsv", b"one\n")
    with pytest.raises(ValueError, match=r"metadata.tsv has 1 lines, and alone.tsv has more rows"):
        files.load(alone)
    # numbers of nodes are words, and so is a list of words that stands beside a file with words
    nodes = glove(map(str, range(9)))
    assert files.load(write(tmp_path / "n.txt", nodes)).space.words[:3] == ("0", "1", "2")
    assert files.load(write(tmp_path / "w.tsv", glove(between="\t"))).space.words == WORDS
    assert len(files.load(alone.with_name("made.vec"), 2).space) == 2


ZIPS: dict[str, tuple[bytes, str]] = {
    "no vectors": (zipped(**{"README.md": b"x"}), "no file of word vectors in it"),
    "only words": (zipped(**{"metadata.tsv": b"x"}), "no file of word vectors in it"),
    "a zip in it": (zipped(**{"a.zip": zipped(**{"v.txt": glove()})}), "a.zip in it is a zip too"),
    "fastText": (zipped(**{"a.bin": files.FASTTEXT * 9}), "a.bin in it is a fastText .bin"),
    "a bomb": (zipped(**{"a.txt": b"a 1 2\n" + b" " * 5_000_000}), "times its size"),
    "cut off": (zipped(**{"a.txt": glove()})[:-30], "damaged or cut off"),
    "damaged": (
        zipped(**{"a.txt": glove() * 50})[:80] + b"xx" + zipped(**{"a.txt": glove() * 50})[82:],
        "damaged or cut off|no file of word vectors",
    ),
    "many files": (zipped(**{f"{n}.txt": b"x" for n in range(5_100)}), "more than 5,000 files"),
    "UTF-16": (glove().decode().encode("utf-16"), "is written in UTF-16; save it as UTF-8"),
}


@pytest.mark.parametrize("what", ZIPS)
def test_zips_that_are_refused(what: str, tmp_path: Path) -> None:
    raw, said = ZIPS[what]
    with pytest.raises(ValueError, match=said):
        files.load(write(tmp_path / "file.zip", raw))


def test_of_a_zip_with_several_files_one_is_read(tmp_path: Path) -> None:
    """fastText's makers pack .bin and .vec together, GloVe's four widths."""
    few = {"w.bin": files.FASTTEXT * 9, "w.6d.vec": b"9 6\n" + glove(), "w.2d.txt": b"a 1 2\n"}
    loaded = files.load(write(tmp_path / "w.zip", zipped(**few)))
    assert loaded.space.words == WORDS
    assert loaded.notes == (
        "of the 3 files in the zip, w.6d.vec was read; to read another, unpack it",
    )


def run_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], Any]:
    file, out = tmp_path / "some.vec", tmp_path / "run"
    files.save(file, SPACE, "word2vec")
    assert main(["import", str(file), "--out", str(out), "--title", "Mine", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    store = RunStore(tmp_path)
    return said, store.load(store.find(str(tmp_path / "run")))


def test_a_file_becomes_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, model = run_of(tmp_path, capsys)
    assert said | {"folder": ""} == {
        "run": "run",
        "folder": "",
        "model": "vectors",
        "title": "Mine",
        "format": "word2vec text",
        "words": 9,
        "width": 6,
        "composes": False,
        "notes": [],
    }
    assert model.space.words == WORDS and model.space.counts is None
    np.testing.assert_array_equal(model.space.values, SPACE.values)
    trace = model.trace("The king, KING King nobody")
    found = dict(zip(trace.tokens, (model.vocab[i] for i in trace.ids), strict=True))
    called = {"The": "the", "KING": "king", "King": "King", "king": "king", "nobody": "<unk>"}
    assert found.items() >= called.items()
    position = trace["neighbours"].columns["position"]
    assert trace.tokens.index("nobody") not in position and trace.tokens.index("The") in position

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("engine.storage.files.os.fsync", full)
        assert main(["import", str(tmp_path / "some.vec"), "--out", str(tmp_path / "full")]) == 2
    assert "the disk is full" in capsys.readouterr().err and not (tmp_path / "full").exists()
    # the same again
    assert main(["import", str(tmp_path / "some.vec"), "--out", str(tmp_path / "run")]) == 0
    files.save(tmp_path / "other.vec", Vectors(("a",), np.ones((1, 2), np.float32)), "word2vec")
    assert main(["import", str(tmp_path / "other.vec"), "--out", str(tmp_path / "run")]) == 2
    assert "another run" in capsys.readouterr().err


def test_a_loaded_run_keeps_the_promises_of_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, model = run_of(tmp_path, capsys)
    for odd in ODD.values():
        trace = model.trace(odd, window=(0, 40))
        assert not [p for f in trace.values() if hasattr(f, "problems") for p in f.problems()]
    same(
        model.trace("the king"),
        type(model).from_weights(model.config, model.weights()).trace("the king"),
    )
    with pytest.raises(ValueError, match="not trained"):
        model.fit("text", model.config, seed=0)


def test_the_command_measures_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_of(tmp_path, capsys)
    write(tmp_path / "analogies.txt", b": one\nthe king the king\nthe king nobody king\n")
    write(tmp_path / "pairs.tsv", b"the\tking\t1\nKing\tking\t2\nthe\t1.5\t3\n")
    run = str(tmp_path / "run")
    tests = ["--analogies", str(tmp_path / "analogies.txt")]
    tests += ["--similarity", str(tmp_path / "pairs.tsv")]
    save = ["--keep", "--save", str(tmp_path / "out.bin"), "--format", "binary", "--json"]
    assert main(["vectors", run, *tests, *save]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["analogies"].items() >= {"asked": 2, "known": 1, "honest": 1, "right": 0}.items()
    assert said["similarity"][0]["known"] == 3 and -1 <= said["similarity"][0]["spearman"] <= 1
    assert (
        json.loads((tmp_path / "run" / "evaluation.json").read_text())["similarity"][0]["name"]
        == "pairs"
    )
    np.testing.assert_array_equal(files.load(tmp_path / "out.bin").space.values, SPACE.values)
    assert main(["vectors", run, *tests]) == 0 and "Spearman" in capsys.readouterr().out
    for wrong in (
        [],
        ["--similarity", str(tmp_path / "none")],
        ["--analogies", str(tmp_path / "pairs.tsv")],
        ["--similarity", str(tmp_path / "out.bin")],
    ):
        assert main(["vectors", run, *wrong]) == 2
        assert capsys.readouterr().err.splitlines()[-1].startswith("error: ")


def test_a_large_promise_costs_no_memory(tmp_path: Path) -> None:
    head = b"900000 4000\nthe " + struct.pack("<4000f", *range(4000))
    assert len(files.load(write(tmp_path / "big.bin", head + b"\n")).space) == 1


@pytest.mark.parametrize(
    ("start", "again", "said"),
    [
        (b"a 1 2\n", b"a 1 2\n", "twice"),
        (b"a 1 2\n", b"\n", "lines are empty"),
        (b"1 300\n", b"\n", "no file of word vectors"),
    ],
    ids=("one word", "empty lines", "line ends for a word"),
)
def test_a_small_packed_file_of_next_to_nothing_is_not_read_for_minutes(
    tmp_path: Path, start: bytes, again: bytes, said: str
) -> None:
    path = tmp_path / "vectors.gz"
    path.write_bytes(gzip.compress(start + again * 210_000, 1))
    with pytest.raises(ValueError, match=said):
        files.load(path)


def test_many_sections_of_analogies_take_no_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """100,000 of them took four minutes once."""
    run_of(tmp_path, capsys)
    text = "".join(f": {n}\nthe king the king\n" for n in range(20_000))
    write(tmp_path / "analogies.txt", text.encode())
    begun = time.process_time()
    run, file = str(tmp_path / "run"), str(tmp_path / "analogies.txt")
    main(["vectors", run, "--analogies", file])
    said = "".join(capsys.readouterr())
    assert said and time.process_time() - begun < 10


def test_a_first_row_that_is_not_finite_is_left_out_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("3 2\nnone nan 1\nendless inf 2\nword 1 2\n")
    found = files.load(path)
    assert found.space.words == ("word",) and found.space.values.tolist() == [[1, 2]]
    assert found.notes[0].startswith("2 left out")
