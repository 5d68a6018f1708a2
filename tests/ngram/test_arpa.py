"""ARPA files: what is written, KenLM's package reads with the same scores; what is read back is the
same model.

KenLM gives the log10 probability of each word of a sentence and of </s>; ours are computed from the
counts.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import kenlm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.study import Study
from engine.models.ngram import METHODS, Config, method_of
from engine.ngram import arpa
from engine.ngram.backoff import backed_off, listed
from engine.ngram.counts import Counts, count
from engine.ngram.prune import prune
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.ngram.smoothing.mle import MLE
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.text.corpora.stories import CORPUS as STORIES
from tests.cli.test_cli import Capture, Folder, object_of, wrong
from tests.conftest import diagonal
from tests.ngram.test_oracle import CORPUS

PROBABILITIES = [name for name in METHODS if name not in ("stupid-backoff", "mle")]
READ = "the cat saw the dog|a cat sat on the dog|the bird sat||zebra|the dog saw a zebra on the mat"


@cache
def study(name: str, order: int, tokenizer: str = "words") -> Study:
    text = "\n".join(CORPUS) if name == "four" else "\n".join(STORIES.generate(300))
    return Study.of(text, order, tokenizer, hold_out=name != "four")


def peer(path: Path) -> kenlm.Model:
    config = kenlm.Config()
    config.show_progress, config.arpa_complain = False, kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def scores(path: Path, line: str) -> list[float]:
    """log10 of each word and of </s>."""
    return [score for score, _, _ in peer(path).full_scores(line)]


def written(ids: np.ndarray, of: Study) -> str:
    """Tokens as a line of the file's words; what is unknown stays unknown."""
    return " ".join(arpa.escape(of.vocab[i]) for i in ids.tolist())


def compare(path: Path, model: Smoothed, of: Study, lines: Iterable[str]) -> None:
    arpa.write(path, model, of.vocab)
    theirs = peer(path)
    assert theirs.order == max(2, model.order)
    for line in lines:
        stream_N = of.tokenizer.stream([line])
        ours = np.log10(np.maximum(model.probabilities(stream_N), 1e-99))
        found = [score for score, _, _ in theirs.full_scores(written(stream_N[1:-1], of))]
        assert found == pytest.approx(ours.tolist(), abs=1e-5), line


@diagonal("method,order", PROBABILITIES, range(1, 6))
def test_kenlm_reads_the_same_scores(method: str, order: int, tmp_path: Path) -> None:
    four, stories = study("four", order), study("stories", order)
    compare(
        tmp_path / "four.arpa",
        four.smoothed(method_of(Config(smoothing=method))),
        four,
        READ.split("|"),
    )
    model = stories.smoothed(method_of(Config(smoothing=method)))
    lines = (*stories.held_out[:8], "The fox and the zebra !", "quagga")
    compare(tmp_path / "stories.arpa", model, stories, lines)


@diagonal("method,threshold", ["modified-kneser-ney", "witten-bell", "katz"], [1e-6, 1e-4, 0.01])
def test_pruned_models(method: str, threshold: float, tmp_path: Path) -> None:
    stories = study("stories", 4)
    model = prune(stories.smoothed(method_of(Config(smoothing=method))), threshold)
    compare(tmp_path / "x.arpa", model, stories, (*stories.held_out[:8], "quagga"))


@diagonal("method,least", [ModifiedKneserNey(), MLE()], [(1, 1, 2, 2), (1, 3, 2, 1)])
def test_cut_off_models(method: Any, least: tuple[int, ...], tmp_path: Path) -> None:
    """Where bigrams are cut off, longer n-grams lose their context and go too, or their suffix and
    stay; KenLM wants few of these."""
    stories = study("stories", 4)
    model = Smoothed.estimate(method, stories.raw, 1, least)
    arpa.write(tmp_path / "x.arpa", model, stories.vocab)
    again, _ = arpa.read(tmp_path / "x.arpa")
    stream_N = stories.tokenizer.stream(stories.held_out)
    p_N = model.probabilities(stream_N)
    assert again.probabilities(stream_N) == pytest.approx(p_N, rel=1e-5, abs=1e-12)
    if method.uniform and least[1] == 1:
        compare(tmp_path / "x.arpa", model, stories, stories.held_out[:8])


@pytest.mark.parametrize("tokenizer", ["chars", "bpe"])
def test_tokens_with_white_space_inside(tokenizer: str, tmp_path: Path) -> None:
    stories = study("stories", 3, tokenizer)
    model = stories.smoothed(KneserNey())
    compare(tmp_path / "x.arpa", model, stories, stories.held_out[:3])
    again, vocab = arpa.read(tmp_path / "x.arpa")
    names = [*stories.vocab]
    names[stories.tokenizer.boundary] = "</s>"
    place_V = np.array([vocab.index(name) for name in names])
    stream_N = stories.tokenizer.stream(stories.held_out[:3])
    p_N = model.probabilities(stream_N)
    assert again.probabilities(place_V[stream_N]) == pytest.approx(p_N, rel=1e-6)


def test_no_order_but_the_first_with_n_grams(tmp_path: Path) -> None:
    """Two words a line make no n-gram of five tokens."""
    short = Study.of("a b\nb a\n", 5, hold_out=False)
    model = short.smoothed(ModifiedKneserNey())
    compare(tmp_path / "x.arpa", model, short, ("a b", "b b", "", "c"))
    again, _ = arpa.read(tmp_path / "x.arpa")
    assert [len(grams) for grams in again.counts.orders] == [5, 6, 4, 2, 0]


ODD = ["<s>", "</s>", "\\u0020", "\\", "\\\\u0020", "\\ ", " ", "\n", "\ud83d", "\0"]


@given(st.text(max_size=12) | st.sampled_from(ODD))
def test_every_token_can_be_written_and_read(token: str) -> None:
    text = arpa.escape(token)
    assert arpa.unescape(text) == token
    assert text.encode().split() == ([text.encode()] if token else [])
    assert text not in ("<s>", "</s>")


def test_the_file_itself(tmp_path: Path) -> None:
    """Add-one of one sentence "a": c(<s> a) = c(a </s>) = 1, three tokens can come: 2/4 where seen,
    else 1/4 = 3/4 * 1/3."""
    tiny = Study.of("a", 2, hold_out=False)
    path = tmp_path / "x.arpa"
    arpa.write(path, tiny.smoothed(method_of(Config(smoothing="laplace"))), tiny.vocab)
    third, half, left = (f"{math.log10(p):.7f}" for p in (1 / 3, 1 / 2, 3 / 4))
    assert (
        path.read_text(encoding="utf-8") == "\\data\\\nngram 1=4\nngram"
        f" 2=2\n\n\\1-grams:\n{third}\t<unk>\t0.0000000\n-99.0000000\t<s>\t{left}\n"
        f"{third}\t</s>\t0.0000000\n{third}\ta\t{left}\n\n\\2-grams:\n{half}\t<s>"
        f" a\n{half}\ta </s>\n\n\\end\\\n"
    )
    assert [p.name for p in tmp_path.iterdir()] == ["x.arpa"]


lines = st.lists(st.lists(st.integers(3, 6), max_size=7), min_size=1, max_size=8)


words = st.lists(st.integers(3, 7), max_size=6)


@settings(max_examples=60, deadline=None)
@given(lines, st.integers(1, 7), st.sampled_from(PROBABILITIES), words)
def test_read_write_read(
    tmp_path_factory: Any, found: list[list[int]], order: int, method: str, text: list[int]
) -> None:
    """Ids 1 and 2 are the marks; 7 never occurs."""
    path = tmp_path_factory.mktemp("arpa") / "x.arpa"
    stream_N = np.array([2, *(i for line in found for i in (*line, 2))])
    vocab = ("<unk>", "<s>", "</s>", *"abcde")
    raw = Counts(list(count(stream_N, 8, order, 2)), 2)
    chosen = method_of(Config(smoothing=method, lambdas=",".join("1" * (order + 1))))
    model = Smoothed.estimate(chosen, raw, 1)
    arpa.write(path, model, vocab)
    again, words = arpa.read(path)
    assert words == vocab
    place_TM = model.counts.places(np.array([2, *text]))
    same_TM = again.counts.places(np.array([2, *text]))
    p_TV = model.distributions(place_TM)
    assert again.distributions(same_TM) == pytest.approx(p_TV, abs=1e-6)
    assert backed_off(model).distributions(place_TM) == pytest.approx(p_TV, abs=1e-6)
    arpa.write(path, again, words)
    once_more, _ = arpa.read(path)
    for mine, first, stored in zip(listed(model), listed(again), listed(once_more), strict=False):
        assert stored == pytest.approx(first, rel=1e-6) and first == pytest.approx(mine, rel=1e-6)


def test_order_does_not_matter(tmp_path: Path) -> None:
    """Another toolkit may list n-grams in any order, with spaces for tabs and without weights of 0."""
    four = study("four", 3)
    model = four.smoothed(ModifiedKneserNey())
    arpa.write(tmp_path / "x.arpa", model, four.vocab)
    head, *parts = (tmp_path / "x.arpa").read_text().split("\n\n")
    turned = [head]
    for part in parts:
        name, *rows = part.rstrip("\n").replace("\t0.0000000", "").replace("\t", " ").split("\n")
        turned.append("\n".join([name, *rows[::-1]]))
    (tmp_path / "y.arpa").write_text("\n" + "\r\n\r\n".join(turned) + "\r\n")
    again, vocab = arpa.read(tmp_path / "y.arpa")
    for line in READ.split("|"):
        stream_N = four.tokenizer.stream([line])
        same_N = np.array([vocab.index(four.vocab[i]) for i in stream_N.tolist()])
        want_N = model.probabilities(stream_N)
        assert again.probabilities(same_N) == pytest.approx(want_N, rel=1e-6)


GOOD = """\\data\\
ngram 1=3
ngram 2=2
ngram 3=1

\\1-grams:
-99\t<s>\t-0.3
-0.5\t</s>
-0.3\ta\t-0.2

\\2-grams:
-0.1\t<s> a\t-0.2
-0.2\ta </s>

\\3-grams:
-0.1\t<s> a </s>

\\end\\
"""
# what is put in place of what, and what is said then
BAD: list[tuple[str, str, str]] = [
    (GOOD, "", "line 1: this is no ARPA file"),
    (GOOD, "the cat sat\n" * 9, "line 1: this is no ARPA file"),
    (GOOD, "\x89PNG\r\n\x1a\n\0\0", "line 1: this is no ARPA file"),
    ("ngram ", "grams ", 'line 2: "ngram 1=..." is expected'),
    ("ngram 2=2\n", "", "line 3: the number of 2-grams is expected here, not that of 3-"),
    ("2=2", "2=3", r"line 15: a number, 2 tokens .* 3 2-grams are announced, 2 stand"),
    ("2=2", "2=1", r"line 13: \\3-grams: is expected here"),
    ("\n\\end", "-1 a </s> a\n\n\\end", r"line 17: \\end\\ is expected here"),
    (GOOD[GOOD.index("-0.2\ta </s>") :], "", "line 12: the file ends among the 2-grams"),
    (GOOD[GOOD.index("</s>\n\n\\3") :], "", "line 13: a number, 2 tokens"),
    ("\\end\\", "", "line 18: the file ends before"),
    ("-0.2\ta <", "half\ta <", "line 13: a base-10 logarithm of at most 0 .* 'half'"),
    ("-0.2\ta <", "0.2\ta <", "line 13: a base-10 logarithm of at most 0 .* '0.2'"),
    ("a\t-0.2", "a\tnan", "line 9: a base-10 logarithm of at most 99 .* 'nan'"),
    ("-0.2\ta <", "-0.2\tb <", "line 13: a token is not among the 1-grams"),
    ("-0.1\t<s> a </", "-0.1\ta a </", "line 16: its first 2 tokens are not listed"),
    ("-0.5\t</s>", "-0.5\ta", "line 9: this token is listed for the second time"),
    ("-0.2\ta </s>", "-0.2\t<s> a", "line 13: these tokens are listed for the second time"),
    ("</s>", "b", "line 9: there is no </s> among the 1-grams"),
    ("-0.2\ta </s>", "-0.2\ta <s>", "line 13: <s> can only stand first"),
    ("-0.2\ta </s>", "-0.2\t</s> a", "line 13: </s> can only stand last"),
]


def test_the_good_one_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.arpa").write_text(GOOD)
    model, vocab = arpa.read(tmp_path / "x.arpa")
    assert vocab == ("<s>", "</s>", "a") and model.never == 0
    found = np.log10(model.probabilities(np.array([1, 2, 1, 1])))
    assert found == pytest.approx([-0.1, -0.1, -0.3 - 0.5])


def test_a_bad_file_is_one_sentence_with_its_line(tmp_path: Path) -> None:
    for old, new, said in BAD:
        assert old in GOOD
        (tmp_path / "x.arpa").write_bytes(GOOD.replace(old, new).encode("latin-1"))
        with pytest.raises(ValueError, match=rf"x\.arpa, {said}"):
            arpa.read(tmp_path / "x.arpa")


PLAIN = """\\data\\
ngram 1=5
ngram 2=4

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.30103
-0.60206\t</s>
-0.60206\train\t-0.30103
-0.60206\tsun\t-0.17609

\\2-grams:
-0.30103\t<s> rain
-0.2\train sun
-0.60206\train </s>
-0.30103\tsun </s>

\\end\\
"""
NOTICE = """## a made-up toolkit's long notice
Beginning of data mark: \\data\\
ngram 1=nr            # number of 1-grams
\\1-grams:
end of data mark: \\end\\

"""
# what KenLM reads too; what it refuses has the numbers of the same file without that peculiarity
READ_BY_KENLM: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "line ends of Windows": lambda s: s.replace("\n", "\r\n").encode(),
    "gzip": lambda s: gzip.compress(s.encode()),
    "bzip2": lambda s: bz2.compress(s.encode()),
    "xz": lambda s: lzma.compress(s.encode()),
    "comments first": lambda s: f"# one\n\n# two\n{s}".encode(),
    "blank lines inside": lambda s: s.replace("-0.60206", "\n  \n-0.60206").encode(),
    "no blank line before the end": lambda s: s.replace("\n\n\\end", "\n\\end").encode(),
    "blanks in the head": lambda s: s.replace("ngram 2=", "ngram  2= ").encode(),
    "an order without n-grams": lambda s: (
        s.replace("2=4\n", "2=4\nngram 3=0\n").replace("\\end", "\\3-grams:\n\n\\end").encode()
    ),
    "an unknown word in capitals": lambda s: s.replace("<unk>", "<UNK>").encode(),
    "minus infinity": lambda s: s.replace("-99", "-inf").encode(),
}
READ_BY_US: dict[str, Callable[[str], bytes]] = {
    "a byte order mark": lambda s: b"\xef\xbb\xbf" + s.encode(),
    "a long notice first": lambda s: (NOTICE + s).encode(),
    "several blanks": lambda s: s.replace("\t", "  \t ").encode(),
    "blanks at the ends": lambda s: s.replace("\n", " \t\n").encode(),
    "something after the end": lambda s: (s + "and more\n").encode(),
}


def test_files_as_other_toolkits_write_them(tmp_path: Path) -> None:
    """KenLM's scores, of the very file where it reads it: as SRILM, we pass over more."""
    (tmp_path / "plain.arpa").write_text(PLAIN)
    path = tmp_path / "x.arpa"
    for what, make in (READ_BY_KENLM | READ_BY_US).items():
        path.write_bytes(make(PLAIN))
        if what in READ_BY_US:
            with pytest.raises(OSError, match="Cannot read model"):
                scores(path, "rain")
        model, vocab = arpa.read(path)
        assert vocab == ("<unk>", "<s>", "</s>", "rain", "sun") and model.never == 1, what
        for line in ("", "rain sun", "sun snow rain", "hail hail"):
            words = [word if word in vocab else "<unk>" for word in ("</s>", *line.split(), "</s>")]
            theirs = scores(path if what in READ_BY_KENLM else tmp_path / "plain.arpa", line)
            ours = model.probabilities(np.array([vocab.index(word) for word in words]))
            assert np.log10(ours).tolist() == pytest.approx(theirs, abs=1e-5), (what, line)


def test_what_is_refused_is_said_by_line(tmp_path: Path) -> None:
    two = PLAIN.replace("1=5", "1=6").replace("-99", "-2\t<UNK>\n-99")
    snow = PLAIN.replace("-0.60206\train </s>", "\n\n-0.60206\train snow")
    marks = PLAIN.replace("-99\t<s>\t-0.30103\n-0.60206\t</s>\n", "")
    large = r"it lists 5,000,004 n-grams, for which 1\.4 GB of memory would be needed"
    for file, said in (
        (re.sub(r"(\d)[.](\d)", r"\1,\2", PLAIN), r"line 6: '-1,0' has a decimal comma"),
        (two, "line 11: <UNK> and <unk> are both listed"),
        (snow, "line 17: a token is not among the 1-grams"),
        (marks.replace("1=5", "1=3"), "line 8: there is no <s> among the 1-grams"),
        (PLAIN.replace("1=5", "1=5000000"), large),
    ):
        (tmp_path / "x.arpa").write_text(file)
        with pytest.raises(ValueError, match=said):
            arpa.read(tmp_path / "x.arpa")


def test_a_packed_file_that_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "x.arpa.gz").write_bytes(gzip.compress(PLAIN.encode())[:-12])
    with pytest.raises(ValueError, match=r"x\.arpa\.gz can't be read"):
        arpa.read(tmp_path / "x.arpa.gz")


def test_tokens_are_what_stands_between_blanks_and_tabs(tmp_path: Path) -> None:
    """Other white space, and bytes that are no UTF-8, are parts of a token to KenLM and SRILM."""
    raw = PLAIN.encode().replace(b"rain", b"ra\x0cin").replace(b"sun", b"caf\xe9")
    (tmp_path / "x.arpa").write_bytes(raw.replace(b"<unk>", b"caf\xe8"))
    model, vocab = arpa.read(tmp_path / "x.arpa")
    assert vocab == ("caf\\xe8", "<s>", "</s>", "ra\x0cin", "caf\\xe9")
    found = np.log10(model.probabilities(np.array([2, 3, 4, 2])))
    assert found.tolist() == pytest.approx([-0.30103, -0.2, -0.30103])


def test_what_cannot_be_written(tmp_path: Path) -> None:
    four = study("four", 2)
    (tmp_path / "x.arpa").write_text("as before")
    stupid = four.smoothed(method_of(Config(smoothing="stupid-backoff")))
    for model, vocab, said in (
        (stupid, four.vocab, "scores that do not sum to 1"),
        (four.smoothed(MLE()), four.vocab[:-1], "the vocabulary 10"),
        (four.smoothed(MLE()), (*four.vocab[:-1], "the"), "both written the"),
    ):
        with pytest.raises(ValueError, match=said):
            arpa.write(tmp_path / "x.arpa", model, vocab)
    assert (tmp_path / "x.arpa").read_text() == "as before" and len(list(tmp_path.iterdir())) == 1


def test_impossible_words_are_minus_99(tmp_path: Path) -> None:
    four = study("four", 2)
    model = four.smoothed(MLE())
    arpa.write(tmp_path / "x.arpa", model, four.vocab)
    found = scores(tmp_path / "x.arpa", "the cat bird")
    assert found[:2] == pytest.approx([math.log10(3 / 4), math.log10(2 / 3)], abs=1e-6)
    assert found[2] <= -99
    again, _ = arpa.read(tmp_path / "x.arpa")
    stream_N = four.tokenizer.stream(["the cat bird"])
    assert again.probabilities(stream_N) == pytest.approx(model.probabilities(stream_N))
    assert (again.probabilities(stream_N)[2:] == 0).all()


def test_the_command(capsys: Capture, run_folder: Folder, tmp_path: Path) -> None:
    out = str(tmp_path / "a model.arpa")
    made = object_of(capsys, "arpa", str(run_folder("ngram")), "--out", out)
    assert made["order"] == len(made["ngrams"]) == 3
    assert made["size_bytes"] == Path(out).stat().st_size
    assert made["out"] == out
    p = object_of(capsys, "next", str(run_folder("ngram")), "the old", "--all")["next"]
    for row in p[:20]:
        if row["token"] not in ("</s>", "<s>", "<unk>"):
            found = scores(Path(out), f"the old {row['token']}")[2]
            assert found == pytest.approx(math.log10(row["probability"]), abs=1e-5)


def test_mistakes_of_the_command(capsys: Capture, run_folder: Folder, tmp_path: Path) -> None:
    run, out = str(run_folder("ngram")), tmp_path / "x.arpa"
    for asked, said in (
        ((run,), "--out"),
        ((run, "--out", str(tmp_path)), "is a folder"),
        ((run, "--out", str(tmp_path / "no" / "x.arpa")), "there is no folder"),
        ((str(run_folder("lstm")), "--out", str(out)), "choose a run of the model ngram"),
    ):
        assert said in wrong(capsys, "arpa", *asked)
    assert not out.exists()
