"""The store of a person's own corpora: what is in it, how it is parted, and that nothing is ever half there;
and an upload that a process of its own reads and stores, bounded, with nothing left when it goes wrong."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from engine.jobs import process, staged, status
from engine.jobs.status import STARTING, Status
from engine.storage import record
from engine.storage.run_folder import STATUS
from engine.text import collection
from engine.text.collection import Library, Stored, hub, job, pairs, parts, reading, store
from engine.text.collection.duplicates import duplicates
from engine.text.collection.frequencies import frequencies, sample
from engine.text.collection.gather import gather
from engine.text.collection.job import Job
from engine.text.collection.language import guess
from engine.text.collection.paged import PagedCorpus
from engine.text.collection.scan import BLOCK, blocks, characters, scan
from engine.text.collection.search import extract, search
from engine.text.collection.statistics import measure
from engine.text.corpora.base import Corpus
from engine.text.paged import Paged, Spool
from engine.text.tokenizer_comparison.languages import ENGLISH, SENTENCES
from engine.text.tokenizers.base import passages, split
from tests import made_files as made
from tests.conftest import ROOT, diagonal, together

NOVEL = "".join(f"Sentence {n} of the novel is here. And then one more!\n" for n in range(400))


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return Library(tmp_path / "corpora")


def test_a_corpus_is_stored_found_renamed_exported_and_deleted(shelf: Library) -> None:
    told = {"source": ("novel.txt",), "notes": ("decoded as cp1252",)}
    made_ = shelf.add(NOVEL, "  My “Novel”\n", seed=3, **told)
    assert re.fullmatch("my-novel-[0-9a-f]{8}", made_.id) and made_.title == "My “Novel”"
    assert isinstance(made_, Corpus)
    assert [c.id for c in shelf.all()] == [made_.id] and shelf.find(made_.id).whole() == NOVEL
    about = made_.about
    assert (about["characters"], about["words"], about["sentences"]) == (len(NOVEL), 400 * 11, 800)
    assert about["passages"] == {which: len(passages(made_.part(which))) for which in parts.PARTS}
    assert about["language"]["name"] == "English"
    assert {key: tuple(about[key]) for key in told} == told
    assert made_.says == "Your own text, from novel.txt: 4,400 words."
    # the same text is found again
    assert shelf.add(NOVEL, "another name").id == made_.id and len(shelf.all()) == 1
    renamed = shelf.rename(made_.id, "Better")
    assert (renamed.id, renamed.title, renamed.text()) == (made_.id, "Better", made_.text())
    assert shelf.export(made_.id) == (f"{made_.id}.txt", NOVEL.encode())
    name, raw = shelf.export(made_.id, packed=True)
    with zipfile.ZipFile(io.BytesIO(raw)) as file:
        assert gather([(name, raw)]).content.whole() == NOVEL  # it can be given back
        assert name == f"{made_.id}.zip"
        assert file.read("text.txt").decode() == NOVEL
        assert json.loads(file.read("about.json"))["name"] == "Better"
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
    rest = [line for line in stored.whole().split("\n") if line not in set(test)]
    assert stored.text() == "\n".join(rest)  # blank lines stay
    other = shelf.add("\n".join(f"line {n}" for n in range(1000)), "one line end less", seed=6)
    assert other.part("test") != stored.part("test")
    with pytest.raises(LookupError, match="there are train, validation, test"):
        stored.part("tests")


@together(("n", "test"), [(1, 0), (2, 0), (3, 1), (25, 1)])
def test_short_texts_have_a_test_part_where_they_can(n: int, test: int) -> None:
    text = "".join(f"line {k}\n" for k in range(n))
    for seed in range(5):
        counts = parts.sizes(text, seed)
        assert sum(counts.values()) == n and counts["test"] >= test and counts["train"] >= 1


def test_labelled_parallel_and_tagged_corpora_are_read_by_their_models(shelf: Library) -> None:
    from engine.core.registry import models
    from engine.models.translating import pair_of

    rows = [("good", "a fine\tfilm"), ("bad", " a\nbore "), ("", "nothing")]
    labelled = shelf.add(rows, "films", kind="labelled")
    assert labelled.whole() == "good\ta fine film\nbad\ta bore\n"
    assert labelled.pairs() == [("good", "a fine film"), ("bad", "a bore")]
    assert labelled.about["notes"] == ["1 row with an empty side left out"]
    read = [models.get("sentiment").parse(line) for line in passages(labelled.whole())]
    assert [line.labels[0] for line in read] == ["good", "bad"]
    tagged = shelf.add([("the cat 1/2", "DET NOUN NUM")], "tags", kind="tagged")
    assert tagged.pairs() == [("the cat 1/2", "DET NOUN NUM")]
    assert models.get("tagger").parse(tagged.whole().strip()).labels == ("DET", "NOUN", "NUM")
    parallel = shelf.add([("the cat", "le chat")], "french", kind="parallel")
    assert pair_of(1, parallel.whole().strip()) == ("the cat", "le chat")
    for kind in ("labelled", "parallel", "tagged"):
        own = collection.list_all(kind)
        assert shelf.add("a\tb\n" if kind != "tagged" else "a/B\n", "x", kind=kind).kind == kind
        assert own == collection.list_all(kind)  # another folder is another store
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
        return list(pairs.align(Spool(first).close(), Spool(second).close(), *names))

    assert aligned("a\n\nb\n", "x\n\ny") == [("a", "x"), ("b", "y")]
    parted = "en has 3 lines and fr 2, .* line 3, 'c', has no partner"
    with pytest.raises(ValueError, match=parted):
        aligned("a\nb\nc\n", "x\ny\n", ("en", "fr"))
    with pytest.raises(ValueError, match="line 2 is empty in only one"):
        aligned("a\n\nb\nc\n", "x\ny\nz\n")
    wrapped = b"straightforward words fill every line until no other would fit,\n\n" * 3
    found = gather([("en.txt", wrapped), ("fr.txt", wrapped.upper())], "parallel")
    assert found.content.line_B[-1] == 3 and found.source == ("en.txt", "fr.txt")
    table = b"label,text\ngood,a film\nbad,a bore\n"
    both = gather([("t.csv", table)], "labelled", ("label", "text"))
    assert both.content.whole() == "good\ta film\nbad\ta bore\n"
    plain = gather([("t.csv", table), ("a.txt", b"more")], "text", ("text",))
    assert plain.content.whole() == "a film\na bore\nmore\n"
    with pytest.raises(ValueError, match="two columns are needed"):
        gather([("t.csv", table)], "labelled", ("label", "text", "label"))
    with pytest.raises(ValueError, match=r"u\.pdf: the file is empty"):
        gather([("a.txt", b"text"), ("u.pdf", b"")])


EVIL = [
    *("../x", "../../etc/passwd-12345678", "/etc/passwd", "a/b-12345678", "a\0b-12345678"),
    *(".new-12345678", "x-1234567", "X-12345678", "-12345678", "a" * 5000, "", "novel-12345678\n"),
    *("novel-१२३४५६७८", "~-12345678", "novel-12345678/../x"),
]


def test_ids_cannot_escape(shelf: Library) -> None:
    (shelf.root.parent / "x").mkdir(parents=True)
    (shelf.root.parent / "x" / "about.json").write_text("{}")
    asked = (shelf.find, shelf.delete, shelf.export, collection.find)
    for id, ask in product(EVIL, (*asked, lambda id: shelf.rename(id, "y"))):
        with pytest.raises(LookupError) as problem:
            ask(id)
        assert "\n" not in str(problem.value) and len(str(problem.value)) < 400
    assert (shelf.root.parent / "x" / "about.json").is_file()


def test_names_become_harmless_ids(shelf: Library) -> None:
    for name in ("../../x", "", "\0", "💥", "<b>", "a" * 10_000, "CON", "….", "名前", "\u202egnp"):
        stored = shelf.add(f"text of {name!r}", name)
        assert store.ID.fullmatch(stored.id) and len(stored.id) <= store.MOST_ID
        assert (shelf.root / stored.id).is_dir() and shelf.find(stored.id).title == stored.title
        assert stored.title.isprintable() and 0 < len(stored.title) <= store.MOST_NAME
    assert len(list(shelf.root.iterdir())) == 10


@diagonal("when,number", ["text.txt", "about.json", "rename"], [errno.ENOSPC, errno.EIO])
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
    full = "the disk is full, so nothing was stored"
    sentence = full if number == errno.ENOSPC else "can't be written"
    with pytest.raises(ValueError, match=sentence):
        shelf.add("another text", "another")
    if when != "text.txt":
        with pytest.raises(ValueError, match=sentence.partition(",")[0]):
            shelf.rename(kept.id, "new name") if when == "about.json" else shelf.delete(kept.id)
    monkeypatch.undo()
    assert [c.id for c in shelf.all()] == [kept.id]
    assert shelf.find(kept.id).whole() == NOVEL and shelf.find(kept.id).title == "kept"
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


def test_a_damaged_folder_does_not_hide_the_others(shelf: Library) -> None:
    good = shelf.add("two texts", "two")
    for damage in ("", "{", "[]", '{"name": 3}', "\0" * 50, "[" * 100_000):
        bad = shelf.add("one text", "one")
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
    over = r"takes 0\.0 MB, and 0\.0 of the 0 MB .* delete one, or set UNROLLED_QUOTA_MB"
    with pytest.raises(ValueError, match=over):
        shelf.add(NOVEL[5:], "second")
    monkeypatch.setenv("UNROLLED_QUOTA_MB", "many")
    assert shelf.quota_bytes == 2_000_000_000 and shelf.add(NOVEL[5:], "second")
    with pytest.raises(ValueError, match="no text to store"):
        shelf.add(" \n", "empty")


def test_every_corpus_is_listed_by_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    own = Library().add("mine", "Mine")
    ids = [c.id for c in collection.list_all()]
    assert ids[-1] == own.id and {"stories", "reviews", "phrases"} <= set(ids[:-1])
    assert [c.id for c in collection.list_all("labelled")] == ["reviews"]
    assert [c.id for c in collection.list_all("parallel")] == ["phrases"]
    assert collection.find("reviews").title == "Short reviews"
    assert isinstance(collection.find(own.id), Stored)


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
    assert seen.lengths["word"].counts.nonzero()[0].tolist() == sorted({b - a for a, b in spans})
    assert seen.words == len(spans)
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


def test_long_texts_are_scanned_in_blocks_and_sampled_from_all_over() -> None:
    line = "Some words here. And there’s more!\n"
    text = line * (3 * BLOCK // len(line))
    assert len(list(blocks(text))) > 2 and "".join(block for _, block in blocks(text)) == text
    seen, once = scan(text), scan(line)
    times = 3 * BLOCK // len(line)
    assert (seen.words, seen.sentences, seen.passages) == (6 * times, 2 * times, times)
    assert (once.words, once.sentences, once.passages) == (6, 2, 1)
    lengths = seen.lengths["word"]
    assert (lengths.mean, lengths.median, lengths.longest) == (pytest.approx(27 / 6), 4, 7)
    assert scan("x " * 2 * BLOCK).words == 2 * BLOCK
    text = "".join(f"line {n} of many lines\n" for n in range(8 * BLOCK // 22))
    found = measure(text, sample=2 * BLOCK)
    assert found.characters == len(text)
    assert "million characters, from places evenly spread" in found.notes[0]
    numbers = [int(n) for n in re.findall(r"\d+", sample(text, 2 * BLOCK))]
    assert numbers[0] == 0
    assert numbers[-1] > 0.85 * 8 * BLOCK // 22
    assert found.frequencies.characters < 4 * BLOCK


def test_duplicates_and_frequencies_are_those_of_a_counter() -> None:
    rng = np.random.default_rng(0)
    rows = [f"passage {n}" for n in rng.integers(0, 60, 500)]
    counts = Counter(rows)
    found = duplicates("\n".join(f" {row} " for row in rows) + "\n\n")
    assert (found.passages, found.copies) == (500, 500 - len(counts))
    copied = sum(len(row) * (n - 1) for row, n in counts.items())
    assert found.share == pytest.approx(copied / sum(map(len, rows)))
    assert sorted(n for _, n in found.most) == sorted(n for _, n in counts.most_common(10))
    assert all(counts[row] == n for row, n in found.most)
    assert duplicates("") == duplicates("\n") and duplicates("a\nb").most == ()
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


@together("text", ["", "\n", "x", "!", "🙂", "word", "a b c d e f g", "\u202e"])
def test_statistics_of_next_to_nothing(text: str) -> None:
    found = measure(text)
    assert found.characters == len(text) == sum(n for _, n in found.classes)
    assert found.alphabet == len(set(text))
    assert found.frequencies.zipf.exponent is None and found.notes == ()


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

    def same(a: str, b: str) -> bool:
        return a == b or (ignore_case and [c.lower() for c in a] == [c.lower() for c in b])

    spans, at, many = [], 0, len(wanted)
    while at < len(text):  # by hand, letter by letter
        here = same(text[at : at + many], wanted)
        spans += [(at, at + many)] if here else []
        at += many if here else 1
    if whole_words:
        spans = [span for span in spans if not _goes_on(text, *span)]
    assert [(m.start, m.stop) for m in found.matches] == spans and found.total == len(spans)
    for m in found.matches:
        assert text[m.start : m.stop] == m.text and m.line == text[: m.start].count("\n") + 1
        assert text[m.start - len(m.before) : m.start] == m.before
        assert "\n" not in m.before + m.after


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
        assert name in found.name
    assert found.says.endswith(".")


def test_what_is_no_language_is_unknown() -> None:
    assert guess("zxq vbn " * 50).name == guess("").name == guess("0123 4567").name == "unknown"
    assert guess(f"{SENTENCES[ENGLISH]}\n" * 3).sure == "sure"


def test_a_data_set_in_a_folder_is_read_by_the_code_for_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"text": f"film {n}", "label": n % 2, "tokens": ["a"]} for n in range(30)]
    (tmp_path / "a.jsonl").write_bytes(made.jsonl(rows))
    sheet = hub.columns(tmp_path)
    assert sheet.names == ("text", "label", "tokens[]") and not sheet.nested
    assert sheet.first[1] == ("film 1", "1", "a")
    piece = hub.load(tmp_path, ("label", "text"))
    assert piece.rows[:2] == (("0", "film 0"), ("1", "film 1")) and len(piece.rows) == 30
    assert hub.load(tmp_path, ("text",), most_bytes=20).notes[1].startswith("only the first")
    assert hub.load(tmp_path, ("tokens",)).text == "a\n" * 30
    for chosen, what in ((None, "say which one"), (("texts",), "no column “texts”")):
        with pytest.raises(ValueError, match=what):
            hub.load(tmp_path, chosen)
    with pytest.raises(ValueError, match="the hub can't be reached; check the network"):
        hub.load("someone/something")
    for name in ("/etc", "../x/y", "a b", "https://x.y/z"):
        with pytest.raises(ValueError, match="not the name of a data set"):
            hub.load(name)
    gone: Any = None
    monkeypatch.setitem(sys.modules, "datasets", gone)
    with pytest.raises(ValueError, match="pip install datasets"):
        hub.load("someone/something")


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


SEA = "".join(f"On day {i} the captain said that the sea was grey.\n" for i in range(300))
TEXT: dict[str, Any] = {"kind": "text", "columns": None, "look": True}


def wait(of: Job) -> Job:
    until = time.monotonic() + 180
    while of.state.alive:
        assert time.monotonic() < until, "it goes on and on"
        time.sleep(0.05)
    return of


def left(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*"))


def test_a_process_reads_and_stores_what_would_be_read_here(tmp_path: Path) -> None:
    files = [
        ("novel.txt", SEA.encode("cp1252") + b"\xe9t\xe9\0\n"),
        ("torn.docx", b"PK\x03\x04 torn"),
        ("moods.csv", b"mood,line\ngood,a day\nbad,rain\n"),
    ]
    one = Job(files, tmp_path)
    assert stat.S_IMODE(one.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in one.folder.glob("*.part")} == {0o600}
    one.ask("read", **TEXT)
    assert one.state.alive
    assert wait(one).result("read") == {"columns": ["mood", "line"], "read": None}
    one.ask("read", **{**TEXT, "columns": ["line"], "look": False})
    found = job.unpack(wait(one).result("read")["read"])
    here = reading.read(files, "text", ["line"], lambda share, what: None)
    assert here.pages is not None
    text = here.pages.whole()
    assert found == here and found.pages is None and here.characters == len(text)
    assert (one.folder / job.TEXT).read_text(encoding="utf-8") == text
    assert text.endswith("a day\nrain\n")
    assert len(here.problems) == 1
    one.ask("add", name="A name", kind="text")
    added = wait(one).result("add")
    stored = Library(tmp_path).all()[0]
    assert added == {"id": stored.id, "title": "A name", "known": False}
    assert stored.whole() == text and stored.about["notes"] == list(here.notes)
    one.ask("add", name="Another", kind="text")
    assert wait(one).result("add")["known"] and left(tmp_path) == [one.folder.name, stored.id]
    del one
    assert left(tmp_path) == [stored.id], "who forgets a job leaves nothing of it"


def test_one_that_is_stopped_or_killed_is_said_and_can_begin_again(tmp_path: Path) -> None:
    one = Job([("novel.txt", SEA.encode())], tmp_path)
    one.ask("read", **TEXT)
    one.stop()
    assert one.state.error == staged.ENDED and not one.state.alive
    one.forget("read")
    one.ask("read", **TEXT)
    one._child[-1].kill()
    one._child[-1].wait()
    assert one.state.error == staged.KILLED and one.result("read") is None
    one.close()
    assert not left(tmp_path)


def test_a_process_whose_starter_is_gone_leaves_nothing(tmp_path: Path) -> None:
    code = f"""import os; from pathlib import Path; from engine.text.collection.job import Job
one = Job([("a.txt", b"a text"*9)], Path({str(tmp_path)!r}))
one.ask("read", kind="text", columns=None, look=True); os._exit(9)"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=60)
    assert ended.returncode == 9
    until = time.monotonic() + 60
    while left(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left(tmp_path)


def full(*_: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as m, pytest.raises(ValueError, match="the disk is full"):
        m.setattr(staged, "write_part", full)
        Job([("novel.txt", SEA.encode())], tmp_path)
    assert not left(tmp_path)
    one, save = Job([("novel.txt", SEA.encode())], tmp_path), job.save
    (one.folder / staged.REQUEST).write_text(
        json.dumps({"do": "read", "names": one.names, "memory": 0, "starter": os.getppid(), **TEXT})
    )
    monkeypatch.setattr(job, "save", full)
    monkeypatch.setattr(process, "limit_memory", lambda *_: None)  # this process goes on
    Job.work(one.folder)
    assert "the disk is full" in json.loads((one.folder / STATUS).read_text())["error"]
    assert not (one.folder / "read.json").exists()
    monkeypatch.setattr(job, "save", save)
    status.write(one.folder, Status(STARTING, pid=os.getpid(), born=process.name_own()[1]))
    monkeypatch.setattr("engine.storage.files.os.fsync", full)  # no file can be written any more
    Job.work(one.folder)
    assert json.loads((one.folder / STATUS).read_text())["error"].startswith("the disk is full")
    for _ in range(2):  # what was refused can be asked for again
        with pytest.raises(ValueError, match=r"^the disk is full"):
            one.ask("read", **TEXT)


def test_how_much_is_needed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Free:
        free = 300_000

    monkeypatch.setattr("engine.storage.files.shutil.disk_usage", lambda _: Free)
    monkeypatch.setattr("engine.storage.files.os.fsync", full)
    with pytest.raises(ValueError, match=r"full: 0\.8 MB are needed and 0\.3 MB are free, so"):
        Library(tmp_path).add(SEA * 52, "A novel")
    assert not left(tmp_path)


@pytest.mark.skipif(
    sys.platform != "linux", reason="only there a process can be held to so much memory"
)
def test_too_little_memory_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "least", 90_000_000)
    monkeypatch.setattr(Job, "share", 0.0)
    one = Job([("long.txt", SEA.encode() * 3_000)], tmp_path)
    one.ask("read", **TEXT)
    wait(one)
    result = one.result("read")
    said = one.state.error or " ".join(result["read"]["problems"])
    assert "not enough memory" in said
    assert "cut it into parts" in said
    assert result is None or not result["read"]["characters"]


def test_the_hub_is_asked_for_names_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("engine", "engine/text/collection", "../main", "/etc", "a b"):
        with pytest.raises(ValueError, match="is not the name of a data set"):
            hub.columns(name if name != "../main" else f"../{ROOT.name}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    one = Job((), tmp_path)
    one.ask("read", **TEXT, hub="owner/name", part="train")
    assert (
        "the hub can't be reached" in wait(one).state.error or "is not installed" in one.state.error
    )


@bounds(max_examples=60, deadline=None)
@given(
    st.text("aé日👩\n ", min_size=1, max_size=60).filter(str.strip),
    st.sampled_from(("text", "labelled")),
    st.integers(4, 9),
    st.integers(-70, 70),
    st.integers(-70, 70),
    st.text("aé👩", min_size=1, max_size=2),
)
def test_a_paged_text_is_the_text(
    text: str, kind: str, block: int, start: int, stop: int, words: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = [line for line in text.split("\n") if line.strip()]
        content = text if kind == "text" else [("label", line) for line in lines]
        stored = Library(Path(folder)).add(content, "paged", kind=kind)
        joined = "".join(f"{' '.join(line.split())}\n" for line in lines)
        whole = stored.whole() if kind == "text" else joined
        paged = PagedCorpus(stored, block)
        assert len(paged) == len(whole)
        assert paged[start:stop] == whole[start:stop]
        assert paged[0] == whole[0]
        for at in range(len(whole) + 1):
            assert paged.lines(0, at) == whole[:at].count("\n")
        assert search(paged, words) == search(whole, words)
        assert extract(paged, abs(start), 5) == extract(whole, abs(start), 5)
        (stored.folder / "text.txt").write_bytes(b"")
        with pytest.raises(LookupError, match="damaged"):
            PagedCorpus(stored)
