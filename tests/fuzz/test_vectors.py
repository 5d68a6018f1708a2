"""Files of word vectors, tests of analogies and similarity, ARPA files: damaged, or with anything in
them.  Each is read, or one sentence says why not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import time
import warnings
import zipfile
from pathlib import Path

from hypothesis import strategies as st

from engine.ngram import arpa
from engine.vectors import evaluate, files
from tests.fuzz.timed import SECONDS, Sound, broken, is_plain, repeated, tried

MOST_SECONDS = 10.0
WORDS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)
NUMBERS = st.one_of(
    st.floats(width=32).map(str), st.sampled_from(["1", "-0.5", "nan", "1e400", "x"])
)
ROWS = st.lists(
    st.tuples(WORDS, st.lists(NUMBERS, max_size=4)).map(lambda row: " ".join([row[0], *row[1]])),
    max_size=6,
).map("\n".join)
TEXT_FILE = b"3 2\nthe 1 2\nof 3 4\nto 5 6\n"
BINARY_FILE = b"2 2\nthe " + struct.pack("<2f", 1, 2) + b"\nof " + struct.pack("<2f", 3, 4) + b"\n"
ARPA_FILE = (
    b"\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n-1\t<s>\t-0.3\n-0.5\ta\t-0.1\n\n"
    b"\\2-grams:\n-0.2\t<s> a\n\n\\end\\\n"
)
TEST_FILE = b": capitals\nparis france rome italy\nrome italy paris france\n"
COUNTS = st.sampled_from(
    [b"0", b"-1", b"2", b"3", b"4096", b"4097", b"9" * 30, b"1e9", "٣".encode()]
)
AFTER_COUNTS = [TEXT_FILE[4:], BINARY_FILE[4:], b"\n" * 300_000, b"the 1 2\n" * 300_000]
PLAIN = st.one_of(
    st.tuples(COUNTS, COUNTS, st.sampled_from(AFTER_COUNTS)).map(b" ".join),
    repeated(30_000).map(lambda text: text.encode("utf-8", "replace")),
    ROWS.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=200),
    st.binary(max_size=200).map(files.FASTTEXT.__add__),
    broken(Sound(TEXT_FILE)),
    broken(Sound(BINARY_FILE)),
)
TABLE_FILE = b'word,d0,d1\nthe,1.5,2\n"new, york",3,4\n'


def zipped(raw: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vectors/tensors.tsv", raw)
        archive.writestr("vectors/metadata.tsv", "the\nof\nto\n")
    return made.getvalue()


TABLES = broken(Sound(TABLE_FILE)) | broken(Sound(TABLE_FILE.replace(b",", b";")))
PACKED = st.sampled_from([gzip.compress, bz2.compress, lzma.compress, zipped])
VECTORS = st.one_of(
    PLAIN,
    TABLES,
    PLAIN.map(Sound),
    st.tuples(PACKED, PLAIN | TABLES).map(lambda pair: pair[0](bytes(pair[1]))),
    broken(Sound(zipped(b"1.5\t2\n3\t4\n5\t6\n"))),
)
ARPA_COUNTS = st.tuples(st.sampled_from([b"1=", b"2="]), COUNTS).map(
    lambda pair: ARPA_FILE.replace(pair[0] + (b"3" if pair[0] == b"1=" else b"1"), b"".join(pair))
)
EXAMPLES = st.one_of(
    st.tuples(st.just("vectors"), VECTORS),
    st.tuples(
        st.just("arpa"),
        broken(Sound(ARPA_FILE)) | ARPA_COUNTS | st.binary(max_size=200).map(b"\\data\\\n".__add__),
    ),
    st.tuples(st.just("tests"), broken(Sound(TEST_FILE)) | ROWS.map(str.encode)),
)


@SECONDS
def test_any_file_of_vectors(seconds: float, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"

    def is_read_or_refused(example: tuple[str, bytes]) -> None:
        kind, raw = example
        path.write_bytes(raw)
        begun = time.process_time()
        with warnings.catch_warnings(action="error"):
            try:
                if kind == "vectors":
                    files.load(path)
                elif kind == "arpa":
                    arpa.read(path)
                else:
                    text = evaluate.read_file(path)
                    assert isinstance(evaluate.read_questions(text), dict)
                    assert isinstance(evaluate.read_pairs(text), list)
            except ValueError as problem:
                said = str(problem)
                assert type(problem) is ValueError, repr(problem)
                assert is_plain(said) and len(said) < 500, said
        assert time.process_time() - begun < MOST_SECONDS

    assert tried(EXAMPLES, is_read_or_refused, seconds) >= 5
