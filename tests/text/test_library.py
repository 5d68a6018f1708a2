"""The store of a person's own corpora: what is in it, how it is parted, and that nothing is ever
half there."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from engine.storage import record
from engine.text import collection
from engine.text.collection import Library, Stored, hub, pairs, parts, store
from engine.text.collection.duplicates import duplicates
from engine.text.collection.frequencies import frequencies, sample
from engine.text.collection.gather import gather
from engine.text.collection.language import guess
from engine.text.collection.scan import BLOCK, blocks, characters, scan
from engine.text.collection.search import extract, search
from engine.text.collection.statistics import measure
from engine.text.corpora.base import Corpus
from engine.text.paged import Paged, Spool
from engine.text.tokenizer_comparison.languages import ENGLISH, SENTENCES
from engine.text.tokenizers.base import passages, split
from tests import made_files as made
from tests.conftest import ROOT, together

NOVEL = "".join(f"Sentence {n} of the novel is here. And then one more!\n" for n in range(400))


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return Library(tmp_path / "corpora")


def test_a_corpus_is_stored_found_renamed_exported_and_deleted(shelf: Library) -> None:
    made_ = shelf.add(
        NOVEL, "  My “Novel”\n", source=("novel.txt",), notes=("decoded as cp1252",), seed=3
    )
    assert re.fullmatch("my-novel-[0-9a-f]{8}", made_.id) and made_.title == "My “Novel”"
    assert isinstance(made_, Corpus)
    assert [c.id for c in shelf.all()] == [made_.id] and shelf.find(made_.id).whole() == NOVEL
    about = made_.about
    assert (about["characters"], about["words"], about["sentences"]) == (len(NOVEL), 400 * 11, 800)
    assert about["passages"] == {which: len(passages(made_.part(which))) for which in parts.PARTS}
    assert (
        about["language"]["name"] == "English"
        and about["source"] == ["novel.txt"]
        and about["notes"] == ["decoded as cp1252"]
    )
    assert made_.says == "Your own text, from novel.txt: 4,400 words."
    # the same text is found again
    assert shelf.add(NOVEL, "another name").id == made_.id and len(shelf.all()) == 1
    renamed = shelf.rename(made_.id, "Better")
    assert (renamed.id, renamed.title, renamed.text()) == (made_.id, "Better", made_.text())
    assert shelf.export(made_.id) == (f"{made_.id}.txt", NOVEL.encode())
    name, raw = shelf.export(made_.id, packed=True)
    with zipfile.ZipFile(io.BytesIO(raw)) as file:
        assert gather([(name, raw)]).content.whole() == NOVEL  # it can be given back
        assert (
            name == f"{made_.id}.zip"
            and file.read("text.txt").decode() == NOVEL
            and json.loads(file.read("about.json"))["name"] == "Better"
        )
    shelf.delete(made_.id)
    assert shelf.all() == [] and list(shelf.root.iterdir()) == []
    with pytest.raises(LookupError, match="none yet"):
        shelf.delete(made_.id)


def test_the_parts_share_nothing_and_a_model_validates_on_just_its_own(shelf: Library) -> None:
    stored = shelf.add("\n\n".join(f"line {n}" for n in range(1000)), "numbers", seed=5)
    train, validation, test = (passages(stored.part(which)) for which in parts.PARTS)
    assert sorted(train + validation + test) == sorted(passages(stored.whole()))
    assert 30 <= len(test) <= 70
    assert split(passages(stored.text()), 5) == (train, validation)
    assert stored.text() == "\n".join(
        line for line in stored.whole().split("\n") if line not in set(test)
    )  # blank lines stay
    assert shelf.add("\n".join(f"line {n}" for n in range(1000)), "one line end less", seed=6).part(
        "test"
    ) != stored.part("test")
    with pytest.raises(LookupError, match="there are train, validation, test"):
        stored.part("tests")


@pytest.mark.parametrize(("n", "test"), [(1, 0), (2, 0), (3, 1), (25, 1)])
def test_short_texts_have_a_test_part_where_they_can(n: int, test: int) -> None:
    text = "".join(f"line {k}\n" for k in range(n))
    for seed in range(5):
        counts = parts.sizes(text, seed)
        assert sum(counts.values()) == n and counts["test"] >= test and counts["train"] >= 1


def test_labelled_parallel_and_tagged_corpora_are_read_by_their_models(shelf: Library) -> None:
    from engine.core.registry import models
    from engine.models.translating import pair_of

    labelled = shelf.add(
        [("good", "a fine\tfilm"), ("bad", " a\nbore "), ("", "nothing")], "films", kind="labelled"
    )
    assert labelled.whole() == "good\ta fine film\nbad\ta bore\n" and labelled.pairs() == [
        ("good", "a fine film"),
        ("bad", "a bore"),
    ]
    assert labelled.about["notes"] == ["1 row with an empty side left out"]
    assert [
        models.get("sentiment").parse(line).labels[0] for line in passages(labelled.whole())
    ] == ["good", "bad"]
    tagged = shelf.add([("the cat 1/2", "DET NOUN NUM")], "tags", kind="tagged")
    assert tagged.pairs() == [("the cat 1/2", "DET NOUN NUM")]
    assert models.get("tagger").parse(tagged.whole().strip()).labels == ("DET", "NOUN", "NUM")
    parallel = shelf.add([("the cat", "le chat")], "french", kind="parallel")
    assert pair_of(1, parallel.whole().strip()) == ("the cat", "le chat")
    for kind in ("labelled", "parallel", "tagged"):
        own = collection.every(kind)
        assert shelf.add("a\tb\n" if kind != "tagged" else "a/B\n", "x", kind=kind).kind == kind
        assert own == collection.every(kind)  # another folder is another store
        with pytest.raises(ValueError, match=r"line 2, 'oh', is not"):
            shelf.add("a/b\tc/d\noh\n", "x", kind=kind)
    with pytest.raises(ValueError, match="row 1 has 2 words and 1 tags"):
        shelf.add([("a b", "X")], "x", kind="tagged")
    with pytest.raises(LookupError, match="plain text"):
        shelf.add("plain", "x").pairs()
    with pytest.raises(ValueError, match="no kind 'song'"):
        shelf.add("la", "x", kind="song")


def test_two_files_go_together_line_by_line_or_it_is_said_where_they_part() -> None:
    def aligned(first: str, second: str, *names: Any) -> list[tuple[str, str]]:
        return list(pairs.aligned(Spool(first).close(), Spool(second).close(), *names))

    assert aligned("a\n\nb\n", "x\n\ny") == [("a", "x"), ("b", "y")]
    with pytest.raises(
        ValueError,
        match=(
            "en has 3 lines and fr 2, so they do not go together line by line; line 3, 'c', has no"
            " partner"
        ),
    ):
        aligned("a\nb\nc\n", "x\ny\n", ("en", "fr"))
    with pytest.raises(ValueError, match="line 2 is empty in only one"):
        aligned("a\n\nb\nc\n", "x\ny\nz\n")
    wrapped = b"straightforward words fill every line until no other would fit,\n\n" * 3
    found = gather([("en.txt", wrapped), ("fr.txt", wrapped.upper())], "parallel")
    assert found.content.line_B[-1] == 3 and found.source == ("en.txt", "fr.txt")
    table = b"label,text\ngood,a film\nbad,a bore\n"
    assert (
        gather([("t.csv", table)], "labelled", ("label", "text")).content.whole()
        == "good\ta film\nbad\ta bore\n"
    )
    assert (
        gather([("t.csv", table), ("a.txt", b"more")], "text", ("text",)).content.whole()
        == "a film\na bore\nmore\n"
    )
    with pytest.raises(ValueError, match="two columns are needed"):
        gather([("t.csv", table)], "labelled", ("label", "text", "label"))
    with pytest.raises(ValueError, match=r"u\.pdf: the file is empty"):
        gather([("a.txt", b"text"), ("u.pdf", b"")])


EVIL = [
    "../x",
    "../../etc/passwd-12345678",
    "/etc/passwd",
    "a/b-12345678",
    "a\0b-12345678",
    ".new-12345678",
    "x-1234567",
    "X-12345678",
    "-12345678",
    "a" * 5000,
    "",
    "novel-12345678\n",
    "novel-१२३४५६७८",
    "~-12345678",
    "novel-12345678/../x",
]


@pytest.mark.parametrize("id", EVIL, ids=range(len(EVIL)))
def test_ids_cannot_escape(shelf: Library, id: str) -> None:
    (shelf.root.parent / "x").mkdir(parents=True)
    (shelf.root.parent / "x" / "about.json").write_text("{}")
    for ask in (
        shelf.find,
        shelf.delete,
        shelf.export,
        lambda id: shelf.rename(id, "y"),
        collection.find,
    ):
        with pytest.raises(LookupError) as problem:
            ask(id)
        assert "\n" not in str(problem.value) and len(str(problem.value)) < 400
    assert (shelf.root.parent / "x" / "about.json").is_file()


@pytest.mark.parametrize(
    "name", ["../../x", "", "\0", "💥", "<b>", "a" * 10_000, "CON", "….", "名前", "\u202egnp"]
)
def test_names_become_harmless_ids(shelf: Library, name: str) -> None:
    stored = shelf.add(f"text of {name!r}", name)
    assert store.ID.fullmatch(stored.id) and len(stored.id) <= store.MOST_ID
    assert [p.name for p in shelf.root.iterdir()] == [stored.id] and shelf.find(
        stored.id
    ).title == stored.title
    assert stored.title.isprintable() and 0 < len(stored.title) <= store.MOST_NAME


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("when", ["text.txt", "about.json", "rename"])
def test_a_disk_that_fails_leaves_what_was_there(
    shelf: Library, monkeypatch: pytest.MonkeyPatch, number: int, when: str
) -> None:
    kept = shelf.add(NOVEL, "kept")
    write, save = store.write_bytes, store.save

    def failing(path: Path, *content: bytes) -> None:
        if path.name == when:
            path.with_name(f".{path.name}.part").write_bytes(content[0][: len(content[0]) // 2])
            raise OSError(number, os.strerror(number))
        write(path, *content)

    def saving(text: Paged, path: Path) -> None:
        failing(path, text.whole().encode()) if path.name == when else save(text, path)

    def no_rename(self: Path, to: Path) -> Path:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(store, "write_bytes", failing)
    monkeypatch.setattr(store, "save", saving)
    monkeypatch.setattr(record, "write_bytes", failing)
    if when == "rename":
        monkeypatch.setattr(Path, "rename", no_rename)
    sentence = (
        "the disk is full, so nothing was stored" if number == errno.ENOSPC else "can't be written"
    )
    with pytest.raises(ValueError, match=sentence):
        shelf.add("another text", "another")
    if when != "text.txt":
        with pytest.raises(ValueError, match=sentence.partition(",")[0]):
            shelf.rename(kept.id, "new name") if when == "about.json" else shelf.delete(kept.id)
    monkeypatch.undo()
    assert (
        [c.id for c in shelf.all()] == [kept.id]
        and shelf.find(kept.id).whole() == NOVEL
        and shelf.find(kept.id).title == "kept"
    )
    assert [p.name for p in shelf.root.iterdir()] == [kept.id]
    assert shelf.add("another text", "another").whole() == "another text\n"


def test_the_same_text_stored_many_times_at_once_is_stored_once(shelf: Library) -> None:
    """Whoever came last threw away what the others had just found."""
    meet = threading.Barrier(8, timeout=20)

    def tell(share: float, what: str) -> None:
        if what == "storing":
            meet.wait()

    with ThreadPoolExecutor(8) as threads:
        made = [threads.submit(shelf.add, NOVEL, "novel", tell=tell) for _ in range(8)]
    assert len({one.result().id for one in made}) == 1
    assert [p.name for p in shelf.root.iterdir()] == [made[0].result().id]


def test_a_process_that_is_killed_while_storing_leaves_no_corpus(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from engine.text.collection import store; write ="
        " store.write_bytes\ndef killed(path, *content):\n    if path.name == 'about.json':"
        " os.kill(os.getpid(), signal.SIGKILL)\n    write(path, *content)\nstore.write_bytes ="
        f" killed; store.Library(Path({str(tmp_path)!r})).add('a text that is lost', 'lost')"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode < 0
    shelf, [left] = Library(tmp_path), list(tmp_path.iterdir())
    assert shelf.all() == [] and left.name.startswith(".new-")
    os.utime(left, (0, 0))
    stored = shelf.add("a text that is lost", "found")
    assert [p.name for p in tmp_path.iterdir()] == [stored.id]  # what was abandoned long ago goes


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"name": 3}', "\0" * 50, "[" * 100_000])
def test_a_damaged_folder_does_not_hide_the_others(shelf: Library, damage: str) -> None:
    bad, good = shelf.add("one text", "one"), shelf.add("two texts", "two")
    (bad.folder / store.ABOUT).write_text(damage)
    assert [c.id for c in shelf.all()] == [good.id]
    with pytest.raises(ValueError, match="damaged"):
        shelf.find(bad.id)
    assert shelf.add("one text", "one").whole() == "one text\n"  # stored anew in its place
    (bad.folder / store.ABOUT).write_text(damage)
    shelf.delete(bad.id)
    (good.folder / store.TEXT).write_text("cut")
    with pytest.raises(LookupError, match="damaged"):
        shelf.find(good.id).text()


def test_the_quota_is_said_with_the_way_round_it(
    shelf: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shelf.quota_bytes == 2_000_000_000
    monkeypatch.setenv("UNROLLED_QUOTA_MB", "0.03")
    shelf.add(NOVEL, "first")
    with pytest.raises(
        ValueError,
        match=r"takes 0\.0 MB, and 0\.0 of the 0 MB .* delete one, or set UNROLLED_QUOTA_MB",
    ):
        shelf.add(NOVEL[5:], "second")
    monkeypatch.setenv("UNROLLED_QUOTA_MB", "many")
    assert shelf.quota_bytes == 2_000_000_000 and shelf.add(NOVEL[5:], "second")
    with pytest.raises(ValueError, match="no text to store"):
        shelf.add(" \n", "empty")


def test_a_pasted_text_is_cleaned(shelf: Library) -> None:
    stored = shelf.add("one\r\ntwo\0 \ud800three", "pasted")
    assert stored.whole() == "one\ntwo ?three\n" and stored.about["notes"] == [
        "1 NUL character removed"
    ]


def test_every_corpus_is_listed_by_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    own = Library().add("mine", "Mine")
    ids = [c.id for c in collection.every()]
    assert ids[-1] == own.id and {"stories", "reviews", "phrases"} <= set(ids[:-1])
    assert [c.id for c in collection.every("labelled")] == ["reviews"] and [
        c.id for c in collection.every("parallel")
    ] == ["phrases"]
    assert collection.find("reviews").title == "Short reviews" and isinstance(
        collection.find(own.id), Stored
    )
    code = (
        "import sys, engine.text.collection as l; l.every(); print([m for m in ('torch', 'pandas',"
        " 'pyarrow', 'lxml', 'pypdfium2', 'datasets') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


words = st.text(st.sampled_from("ab'’é1_ .!?\"\n中\u0301,"), max_size=60)


def by_hand(text: str) -> list[str]:
    """Its characters: a mark goes with what stands before it, but never with a line end."""
    found: list[str] = []
    for sign in text:
        if sign == "\u0301" and found and found[-1] != "\n":
            found[-1] += sign
        else:
            found.append(sign)
    return found


@bounds(max_examples=150)
@given(words)
def test_a_scan_counts_what_a_plain_loop_counts(text: str) -> None:
    seen = scan(text)
    signs = by_hand(text)
    assert characters(text) == Counter(signs)
    # a word's letters as a, so that a pattern can look for them; a 中 is a word alone
    plain = "".join("a" if s[0] in "abé1" else s[0] for s in signs)
    spans = [m.span() for m in re.finditer(r"a+(?:['’]a+)*|中", plain)]
    assert seen.lengths["word"].counts.nonzero()[0].tolist() == sorted(
        {b - a for a, b in spans}
    ) and seen.words == len(spans)
    sentences = []
    for line in text.split("\n"):
        rest = line
        while end := re.search(r"[.!?][\"'’]{0,3}(?=\s)(?<![.!?](?=[.!?]))", rest):
            sentences.append(rest[: end.end()])
            rest = rest[end.end() :]
        sentences.append(rest)
    assert seen.sentences == sum(bool(s.strip()) for s in sentences)
    assert seen.passages == len(passages(text))
    assert seen.lengths["passage"].total == seen.words == seen.lengths["sentence"].total


def test_a_long_text_is_scanned_in_blocks_to_the_same_counts() -> None:
    line = "Some words here. And there’s more!\n"
    text = line * (3 * BLOCK // len(line))
    assert len(list(blocks(text))) > 2 and "".join(block for _, block in blocks(text)) == text
    seen, once = scan(text), scan(line)
    times = 3 * BLOCK // len(line)
    assert (
        (seen.words, seen.sentences, seen.passages)
        == (6 * times, 2 * times, times)
        == (once.words * times, once.sentences * times, times)
    )
    lengths = seen.lengths["word"]
    assert (lengths.mean, lengths.median, lengths.longest) == (pytest.approx(27 / 6), 4, 7)
    assert scan("x " * 2 * BLOCK).words == 2 * BLOCK


def test_duplicates_are_those_of_a_counter() -> None:
    rng = np.random.default_rng(0)
    rows = [f"passage {n}" for n in rng.integers(0, 60, 500)]
    counts = Counter(rows)
    found = duplicates("\n".join(f" {row} " for row in rows) + "\n\n")
    assert (found.passages, found.copies) == (500, 500 - len(counts))
    assert found.share == pytest.approx(
        sum(len(r) * (n - 1) for r, n in counts.items()) / sum(map(len, rows))
    )
    assert sorted(n for _, n in found.most) == sorted(n for _, n in counts.most_common(10)) and all(
        counts[row] == n for row, n in found.most
    )
    assert duplicates("") == duplicates("\n") and duplicates("a\nb").most == ()


def test_frequencies_are_those_of_a_counter() -> None:
    rng = np.random.default_rng(1)
    lines = [" ".join(f"w{n}" for n in rng.zipf(1.5, 12) if n < 50) for _ in range(300)]
    text = "\n".join(lines)
    found = frequencies(text.upper())
    cut = [line.split() for line in lines]
    for n in range(1, 6):
        counts = Counter(" ".join(row[i : i + n]) for row in cut for i in range(len(row) - n + 1))
        assert [c for _, c in found.ngrams[n]] == [c for _, c in counts.most_common(30)]
        assert all(counts[gram] == c for gram, c in found.ngrams[n])
    all_words = [w for row in cut for w in row]
    assert (found.tokens, found.types) == (len(all_words), len(set(all_words)))
    assert [len(set(all_words[:t])) for t in found.heaps.x] == found.heaps.y.tolist()
    ranked = sorted(Counter(all_words).values(), reverse=True)
    assert [ranked[r - 1] for r in found.zipf.x] == found.zipf.y.tolist()


def test_the_exponents_of_a_text_made_to_measure_are_found() -> None:
    exact = "\n".join(f"word{r} " * round(20_000 / r) for r in range(1, 200))
    assert frequencies(exact).zipf.exponent == pytest.approx(-1, abs=0.02)
    # as many words as the root of the tokens
    fresh = [str(t) if round((t + 1) ** 0.5) > round(t**0.5) else "old" for t in range(40_000)]
    heaps = frequencies(" ".join(fresh)).heaps
    assert heaps.exponent == pytest.approx(0.5, abs=0.02) and heaps.scale == pytest.approx(
        1, abs=0.15
    )


@together("text", ["", "\n", "x", "!", "🙂", "word", "a b c d e f g", "\u202e"])
def test_statistics_of_next_to_nothing(text: str) -> None:
    found = measure(text)
    assert found.characters == len(text) == sum(
        n for _, n in found.classes
    ) and found.alphabet == len(set(text))
    assert found.frequencies.zipf.exponent is None and found.notes == ()


def test_a_sample_is_said_and_comes_from_all_over_the_text() -> None:
    text = "".join(f"line {n} of many lines\n" for n in range(8 * BLOCK // 22))
    found = measure(text, sample=2 * BLOCK)
    assert (
        found.characters == len(text)
        and "million characters, from places evenly spread" in found.notes[0]
    )
    numbers = [int(n) for n in re.findall(r"\d+", sample(text, 2 * BLOCK))]
    assert (
        numbers[0] == 0
        and numbers[-1] > 0.85 * 8 * BLOCK // 22
        and found.frequencies.characters < 4 * BLOCK
    )


@bounds(max_examples=80)
@given(
    st.text("aAbB_ \n.ßİé", max_size=40),
    st.text("aAbB.ßé", min_size=1, max_size=3),
    st.booleans(),
    st.booleans(),
)
def test_search_finds_what_a_pattern_finds(
    text: str, wanted: str, ignore_case: bool, whole_words: bool
) -> None:
    found = search(text, wanted, ignore_case=ignore_case, whole_words=whole_words, per_page=100)
    spans, at = [], 0
    while at < len(text):  # by hand, letter by letter
        part = text[at : at + len(wanted)]
        same = part == wanted or (
            ignore_case and [c.lower() for c in part] == [c.lower() for c in wanted]
        )
        at += 1
        if same:
            spans.append((at - 1, at - 1 + len(wanted)))
            at += len(wanted) - 1
    if whole_words:
        spans = [
            (a, b)
            for a, b in spans
            if re.fullmatch(rf"(?<!\w){re.escape(text[a:b])}(?!\w)", text[a:b])
            and not _goes_on(text, a, b)
        ]
    assert [(m.start, m.stop) for m in found.matches] == spans and found.total == len(spans)
    for m in found.matches:
        assert text[m.start : m.stop] == m.text and m.line == text[: m.start].count("\n") + 1
        assert (
            text[m.start - len(m.before) : m.start] == m.before and "\n" not in m.before + m.after
        )


def _goes_on(text: str, start: int, stop: int) -> bool:
    letter = re.compile(r"\w")
    left = start > 0 and letter.match(text[start - 1]) and letter.match(text[start])
    right = stop < len(text) and letter.match(text[stop]) and letter.match(text[stop - 1])
    return bool(left or right)


def test_search_pages_and_bounds() -> None:
    text = "the cat\n" * 200_000
    found = search(text, "CAT", page=1)
    assert (found.total, found.more, found.page, found.pages) == (100_000, True, 1, 5000)
    assert found.matches[0].line == 21 and found.matches[0].before == "the "
    assert search(text, "cat", page=10**9).page == 4999 and search(text, "dog").matches == ()
    far = "x" * (1 << 20) + "needle"  # over the edge of a stretch
    assert search(far[4:], "needle").total == search("xxxneedle" + far, "NEEDLE").total - 1 == 1
    for words in ("", " \n", "x" * 201):
        with pytest.raises(ValueError, match="search"):
            search(text, words)
    start, stop = extract(text, 1000, 100)
    assert text[start:stop] == "the cat\n" * 13 and extract("", 5) == (0, 0)


@together("name", SENTENCES)
def test_languages_are_told_apart(name: str) -> None:
    found = guess(f"{SENTENCES[name]}\n" * 3)
    if name in ("Polish", "Turkish", "Swahili", "Finnish"):  # one sentence has too few small words
        assert found.name in (name, "unknown") or found.sure != "sure"
    else:
        assert name in found.name or (name, found.name) == (
            "Hindi",
            "Hindi or another language in Devanagari",
        )
    assert found.says.endswith(".")


def test_what_is_no_language_is_unknown() -> None:
    assert guess("zxq vbn " * 50).name == guess("").name == guess("0123 4567").name == "unknown"
    assert guess(f"{SENTENCES[ENGLISH]}\n" * 3).sure == "sure"


def test_a_data_set_in_a_folder_is_read_by_the_code_for_the_hub(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(
        made.jsonl([{"text": f"film {n}", "label": n % 2, "tokens": ["a"]} for n in range(30)])
    )
    sheet = hub.columns(tmp_path)
    assert (sheet.names, sheet.nested, sheet.first[1]) == (
        ("text", "label", "tokens[]"),
        (),
        ("film 1", "1", "a"),
    )
    piece = hub.load(tmp_path, ("label", "text"))
    assert piece.rows[:2] == (("0", "film 0"), ("1", "film 1")) and len(piece.rows) == 30
    assert hub.load(tmp_path, ("text",), most_bytes=20).notes[1].startswith("only the first")
    assert hub.load(tmp_path, ("tokens",)).text == "a\n" * 30
    for chosen, what in (
        (None, "say which one"),
        (("texts",), "no column “texts”"),
    ):
        with pytest.raises(ValueError, match=what):
            hub.load(tmp_path, chosen)
    with pytest.raises(ValueError, match="the hub can't be reached; check the network"):
        hub.load("someone/something")
    for name in ("/etc", "../x/y", "a b", "https://x.y/z"):
        with pytest.raises(ValueError, match="not the name of a data set"):
            hub.load(name)


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: Any = None
    monkeypatch.setitem(sys.modules, "datasets", gone)
    with pytest.raises(ValueError, match="pip install datasets"):
        hub.load("someone/something")
