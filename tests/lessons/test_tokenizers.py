"""Tokenizers compared: cut vocabularies against training again, counts by hand, files that are uploaded, the lesson."""

from __future__ import annotations

import gzip
import json
import math
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from engine.core.registry import tokenizers
from engine.lessons.tokenizers import head, live, parts
from engine.lessons.tokenizers import rows as page
from engine.live.request import Request
from engine.runs.store import RunStore
from engine.text.tokenizer_comparison import joined, shipped
from engine.text.tokenizer_comparison.compare import cost, find_lost, measure
from engine.text.tokenizer_comparison.languages import ENGLISH, IN_BOTH, SENTENCES
from engine.text.tokenizer_comparison.reader import part
from tests.lessons.blocks import said, tables
from tests.pages.test_every_page import HOSTILE

STORY = """the old king walked to the old house/the queen walked home and the king waited/\
old houses wait for new kings/a new queen walks to a new house/kings and queens wait and walk/\
the house of the king is the oldest house""".split("/")
LOW = "low low low low low\nlower lower\nnewest newest newest newest newest newest\nwidest widest widest"
TEXT = "The naïve cat's unhappiness, 1999!"


class TestSmaller:
    def test_fewer_pieces_are_the_tokenizer_that_training_would_have_made(self) -> None:
        sizes = {"bpe": (260, 275), "charbpe": (30, 40, 262), "words": (8,), "whitespace": (8,)}
        for id, size in ((id, size) for id, some in sizes.items() for size in some):
            kind = tokenizers.get(id)
            large, small = kind.fit(STORY, 300), kind.fit(STORY, size)
            made = kind.shrunk(large.state(), size)
            assert made.vocab == small.vocab
            for line in (*STORY, "a queenly old housekeeper"):
                assert made.encode(line).labels == small.encode(line).labels

    def test_a_smaller_unigram_takes_the_likeliest_cut_of_the_pieces_that_are_left(self) -> None:
        """Against every cut of a word, by brute force, with the probabilities of the large one."""
        large, made = shipped.opened("unigram"), shipped.opened("unigram", 512)
        assert len(made.vocab) <= 512 < len(large.vocab)
        score = {piece.replace("▁", " "): s for piece, s in json.loads(made.state())}
        likeliest = [json.loads(of.state())[0] for of in (large, made)]
        assert {*likeliest[0]} == {*likeliest[1]}

        def cuts(word: str) -> list[list[str]]:
            begins = [i for i in range(1, len(word) + 1) if word[:i] in score]
            found = [[word[:i], *rest] for i in begins for rest in cuts(word[i:])]
            return found if word else [[]]

        for word in ("king", "oldest", "queens", " houses"):
            best = max(sum(score[p] for p in c) for c in cuts(word))
            assert sum(score[p] for p in made.encode(word).labels) == pytest.approx(best, abs=1e-6)

    def test_wordpiece_keeps_its_letters_however_small(self) -> None:
        large = tokenizers.get("wordpiece").fit(STORY, 120)
        made = tokenizers.get("wordpiece").shrunk(large.state(), 1)
        assert not made.encode("the old king").unknown
        assert made.vocab == large.vocab[: len(made.vocab)]
        assert all(len(piece.removeprefix("##")) == 1 for piece in made.vocab[5:])


class TestShelf:
    def test_every_tokenizer_opens_and_its_pieces_are_counted(self) -> None:
        for item in (*shipped.ALL, shipped.MANY):
            size = 1024 if len(shipped.sizes(item.id)) > 1 else shipped.SIZES[-1]
            found, bits_V = shipped.opened(item.id, size), page.Row(item.id, "", "", "").at(1024)[1]
            assert bits_V is not None and len(bits_V) == len(found.vocab) <= 1024
            assert (2.0**-bits_V).sum() == pytest.approx(1, rel=1e-9)
            file = shipped.FOLDER / f"{item.id}.json.gz"
            assert file.stat().st_size < 300_000
            json.loads(gzip.decompress(file.read_bytes()))
        np.load(shipped.FOLDER / shipped.COUNTS, allow_pickle=False).close()

    def test_bits_are_the_shares_of_the_counts_with_one_added(self) -> None:
        """Counts 3, 0, 4: shares 4/10, 1/10, 5/10."""
        bits_V = shipped.from_counts(np.array([3, 0, 4], np.uint32))
        assert bits_V == pytest.approx([-math.log2(0.4), -math.log2(0.1), 1.0])

    def test_a_larger_vocabulary_never_makes_this_text_longer(self) -> None:
        for id in ("bpe", "charbpe", "unigram"):
            lengths = [len(shipped.opened(id, size).encode(TEXT)) for size in (512, 2048, 16384)]
            assert lengths == sorted(lengths, reverse=True) and lengths[0] > lengths[-1], id


class TestCompare:
    def test_counts_by_hand(self) -> None:
        """Of "é b" 3 characters, 4 bytes; as bytes 4 tokens, each of 8 bits where all are equally frequent."""
        tokenizer = tokenizers.get("bytes").fit([], 0)
        found = measure(tokenizer, tokenizer.encode("é b"), "é b", np.full(256, 8.0))
        assert (found.tokens, found.kinds, found.words, found.characters) == (4, 4, 2, 3)
        assert (found.bytes, found.unknown, found.vocabulary) == (4, 0, 256)
        assert found.bits == 32 and found.bits_per_character == pytest.approx(32 / 3) and found.same
        assert found.per_word == 2
        assert found.characters_per_token == 0.75
        assert found.bytes_per_token == 1

    def test_unknown_pieces_have_no_length_in_bits(self) -> None:
        words = tokenizers.get("words").fit(STORY, 100)
        found = measure(words, words.encode("the dragon"), "the dragon", np.ones(len(words.vocab)))
        assert found.unknown == 1 and math.isnan(found.bits) and not found.same
        assert found.told()["bits_per_character"] is None

    def test_what_is_lost_gives_both_texts_again(self) -> None:
        steps = find_lost("The  cat's é", "the cat ' s <unk>")
        assert "".join(old for _, old, _ in steps) == "The  cat's é"
        assert "".join(new for _, _, new in steps) == "the cat ' s <unk>"
        assert steps[0] == ("changed", "The ", "the")
        assert all((old == new) == (what == "same") for what, old, new in steps)

    def test_pairs_of_a_causal_head(self) -> None:
        """3 tokens see 1 + 2 + 3."""
        assert cost(4, 3, 10) == {"table": 40, "steps": 3, "pairs": 6}

    def test_a_part_of_a_text_has_the_tokens_of_the_whole(self) -> None:
        text = " ".join(STORY) * 20
        start, stop = part(text, 1001, 1803)
        assert abs(start - 1001) < 20 and abs(stop - 1803) < 20
        for id in ("bpe", "unigram", "words", "wordpiece"):
            tokenizer = shipped.opened(id, 1024)
            whole, some = tokenizer.encode(text), tokenizer.encode(text[start:stop])
            places = zip(whole.labels, whole.spans, strict=True)
            inside = [label for label, (a, b) in places if a >= start and b <= stop]
            assert inside == list(some.labels)


def test_every_language_has_its_sentence_and_its_text() -> None:
    assert len(SENTENCES) == len(IN_BOTH) == 19 and ENGLISH in SENTENCES

    def tokens(language: str) -> dict[str, int]:
        return {id: len(shipped.opened(id, 4096).encode(SENTENCES[language])) for id in both}

    both = ("bpe", "bpe_many")
    english, hindi = tokens(ENGLISH), tokens("Hindi")
    assert hindi["bpe"] / english["bpe"] > 5 and hindi["bpe_many"] / english["bpe_many"] < 2


def a_file(**more: Any) -> bytes:
    """A small tokenizer.json, as the library writes it."""
    made: Any = Tokenizer(models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    marks = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    trainer: Any = trainers.BpeTrainer(vocab_size=45, special_tokens=marks, show_progress=False)
    made.train_from_iterator([LOW], trainer)
    return json.dumps(json.loads(made.to_str()) | more).encode()


class TestJoined:
    def test_a_tokenizer_json_joins_with_its_own_numbers(self) -> None:
        made, kind = joined.read(a_file())
        tokens = made.encode("newest zebra [MASK]")
        assert kind == "BPE" and made.vocab[tokens.ids[0]] == "newest" and len(tokens.unknown) == 3
        assert tokens.labels[-1] == "[MASK]" and int(tokens.ids[-1]) == 4, "letters of a mark"

    def test_a_bad_file_gets_one_sentence(self) -> None:
        models = rb"""3|{"type": "BPE"}|{"type": "Magic", "vocab": {}}|{"type": "Unigram", "vocab": []}
        |{"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}|{"type": "WordPiece", "vocab": {}}
        |{"type": "WordLevel", "vocab": {"a": 99999999}, "unk_token": "a"}""".split(b"|")
        odd = (b"", b"\x00\xff\xfe", b"{", b"[]", b"{}", b"null", b"[" * 100_000, b" " * 24_000_001)
        for raw in (*odd, *(b'{"model": ' + model + b"}" for model in models)):
            with pytest.raises(ValueError, match=r"^[A-Z].{10,300}\.$"):
                joined.read(raw)

    def test_a_pair_is_framed_as_bert_reads_it(self) -> None:
        rows = joined.framed(shipped.opened("wordpiece", 4096), "the cat", "the dog")
        labels, ids, segments = zip(*rows, strict=True)
        assert " ".join(labels) == "[CLS] the cat [SEP] the dog [SEP]"
        assert segments == (0, 0, 0, 0, 1, 1, 1) and (ids[0], ids[3]) == (2, 3)
        assert joined.framed(shipped.opened("bytes"), "a", "") is None


def stack(**held: Any) -> tuple[list[Any], Any]:
    given = {"runs": RunStore().all()}
    return head.HEAD.answer({**given, **head.HEAD.values(given | held)})


def shown(part: Any, **held: Any) -> tuple[Any, str]:
    """The rows of its last table, and what it says."""
    blocks = part.blocks(stack=page.SHIPPED, above="", **held)
    return [[], *tables(blocks)][-1], said(blocks)


class TestLesson:
    @pytest.mark.parametrize("text", [TEXT, HOSTILE["emoji"], "x" * 4_000])
    def test_a_key_gets_every_tokenizer_s_pieces_and_their_numbers(self, text: str) -> None:
        readings = live.Stack().unread(text, (0, len(text)), Request.read({"size": 1024}, 5_000))
        assert [r.part["id"] for r in readings] == [item.id for item in shipped.ALL]
        for reading in readings:
            row = page.Row(reading.part["id"], "", "", "")
            tokenizer, bits_V = row.at(live.size_of(Request.read({"size": 1024}, 1).asks))
            tokens = tokenizer.encode(text)
            assert [*reading.part["labels"]] == [*tokens.labels]
            assert reading.fields[0].field.values.tolist() == tokens.ids.tolist()
            assert reading.part["said"]["numbers"]["pieces"] == len(tokens)
            if not tokens.unknown and text == TEXT:
                bits = pytest.approx(bits_V[tokens.ids].sum() / len(text))
                assert reading.part["said"]["numbers"]["bits_per_character"] == bits

    def test_what_comes_back(self) -> None:
        said = shown(parts.came_back, sample="The cat's 😍 naïve")[1]
        assert "Restored exactly by** Bytes, BPE over bytes" in said

    def test_windows_of_a_typed_text(self) -> None:
        """Thirteen words, one token each, in windows of 6 tokens and two marks."""
        of = {"sample": "the cat sat on the mat and the dog sat on the rug", "row": "words"}
        table, said = shown(parts.windows, **of)
        assert [(row["first"], row["last"], row["new"]) for row in table] == [
            (0, 5, 6), (3, 8, 3), (6, 11, 3), (9, 12, 1), (12, 12, 0)
        ]  # fmt: skip
        assert table[4]["text"] == "rug" and "an overlap of 3." in said
        assert "**13 tokens, 5 windows** of 6 tokens and two marks" in said
        assert "1 window lies **inside the one before**" in said
        table, said = shown(parts.windows, to_the_end=False, **of)
        assert len(table) == 4 and "inside the" not in said
        assert "**2 tokens** are never" in shown(parts.windows, to_the_end=False, stride=8, **of)[1]

    def test_tokenizers_join_the_stack(self) -> None:
        rows = stack(more=["bert", "bpe_many"], file=("mine.json", a_file()))[1]
        assert [row.title for row in rows[-3:]] == [page.MANY.title, "Model bert", "mine (BPE)"]
        blocks, rows = stack(file=("other.json", b"{}"))
        assert rows == page.SHIPPED and "no tokenizer.json" in blocks[-1].blocks[-1].words


def test_the_examples_show_what_their_words_say() -> None:
    """At the size that the page opens with."""

    def cut(id: str, text: str) -> list[str]:
        return [label.strip() for label in shipped.opened(id, shipped.FIRST).encode(text).labels]

    for id in ("charbpe", "bpe", "wordpiece", "unigram"):
        assert len(cut(id, " received")) == 1 and len(cut(id, " recieved")) in (3, 4)
    found = [" ".join(cut(id, "12345")) for id in ("charbpe", "bpe", "unigram")]
    assert found == ["1 2 3 4 5", "12 3 4 5", "12 3 45"]
    words = shipped.opened("words", shipped.FIRST).encode("The cat sat on the mat.")
    assert len(words) == 7 and words.ids[0] != words.ids[4]
    assert len(cut("bpe", SENTENCES["Greek"])) == len(SENTENCES["Greek"].encode())
