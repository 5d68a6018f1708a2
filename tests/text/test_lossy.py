"""What a tokenizer has no piece for is shown: as unknown where it has a mark, else as lost, with
its place; ids are those of the `tokenizers` library."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Made

from engine.live import chunked_tokenization
from engine.text.subword.words import LETTER
from engine.text.tokenizer_comparison import joined
from engine.text.tokenizer_comparison.compare import measure
from engine.text.tokenizers.base import Tokenizer, Tokens
from engine.text.tokenizers.bpe import mend
from engine.text.tokenizers.library import Library
from tests.conftest import sampled

HUG = {"h": 0, "u": 1, "g": 2, "p": 3, "n": 4, "b": 5, "s": 6, "ug": 7, "un": 8, "hug": 9}
MERGES = [["u", "g"], ["u", "n"], ["h", "ug"]]
CAT = [["c", -2.0], ["a", -2.0], ["t", -2.0], ["cat", -1.0]]
NEVER = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
MARK = {"content": "<end>", "special": True, **NEVER}
WORDS = {"type": "Whitespace"}
SPLIT = {"type": "Split", "pattern": {"String": "-"}, "behavior": "Removed", "invert": False}
DOES = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
BERT = {"type": "BertNormalizer", **dict.fromkeys(DOES, True)}
LEVEL = {"add_prefix_space": False, "trim_offsets": False, "use_regex": True}
SOME_BYTES = {letter: i for i, letter in enumerate(sorted(LETTER.values())) if letter not in "©Ġm"}


def bpe(vocab: Any = HUG, merges: Any = MERGES, **more: Any) -> dict[str, Any]:
    return {"type": "BPE", "vocab": vocab, "merges": merges, **more}


def piece(vocab: dict[str, int], unk: str) -> dict[str, Any]:
    how = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    return {"type": "WordPiece", "vocab": vocab, "unk_token": unk, **how}


def whole(model: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"version": "1.0", "added_tokens": [], "model": model, **parts}


def parted(model: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return whole(model, pre_tokenizer=WORDS, **parts)


def likeliest(vocab: list[list[Any]], unknown: int | None = None, **parts: Any) -> dict[str, Any]:
    return whole({"type": "Unigram", "vocab": vocab, "unk_id": unknown}, **parts)


def words(vocab: dict[str, int]) -> dict[str, Any]:
    return parted({"type": "WordLevel", "vocab": vocab, "unk_token": "?"})


SMALL = {"cat": 0, "c": 1, "##a": 2, "##t": 3}
ENDS = bpe({"u": 0, "g</w>": 1, "ug</w>": 2}, [["u", "g</w>"]], end_of_word_suffix="</w>")
INSIDES = {"h": 0, "##u": 1, "##g": 2, "##ug": 3, "hug": 4}
HASHED = {"continuing_subword_prefix": "##"}
ALL_BYTES = HUG | {f"<0x{b:02X}>": 20 + b for b in range(256)}
PIECES = parted(piece(SMALL | {"[UNK]": 4}, "[UNK]"))
QUESTIONED = parted(bpe(HUG | {"?": 10}, unk_token="?"))
# those that the library reads itself, and those that it refuses where a letter has no piece
READ = {
    "bpe": parted(bpe()),
    "bpe, marks": parted(bpe(), added_tokens=[{"id": 10, **MARK}]),
    "bpe, no cuts": whole(bpe()),
    "bpe, ends of words": parted(ENDS),
    "bpe, insides of words": parted(bpe(INSIDES, [["##u", "##g"], ["h", "##ug"]], **HASHED)),
    "bpe, some bytes": whole(bpe(SOME_BYTES, []), pre_tokenizer={"type": "ByteLevel", **LEVEL}),
    "bpe, all bytes for the rest": whole(bpe(ALL_BYTES, byte_fallback=True)),
    "bpe, an unknown piece": QUESTIONED,
    "bpe, small letters": parted(bpe(), normalizer=BERT),
    "word pieces": PIECES,
    "without hyphens": whole(piece(SMALL | {"[UNK]": 4}, "[UNK]"), pre_tokenizer=SPLIT),
    "likeliest, unknown": likeliest([["?", 0.0], *CAT], 0),
}
REFUSED = {
    "likeliest": likeliest(CAT),
    "likeliest, marks": likeliest(CAT, added_tokens=[{"id": 4, **MARK}]),
    "word pieces without unknown": parted(piece(SMALL, "[UNK]")),
    "words": words({"cat": 0, "hug": 1}),
    "bpe that names a piece it lacks": parted(bpe(unk_token="?")),
}
UNKNOWN = {  # the same with an unknown piece, behind all others
    "likeliest": likeliest([*CAT, ["?", -2.0]], 4),
    "word pieces without unknown": PIECES,
    "words": words({"cat": 0, "hug": 1, "?": 2}),
    "bpe that names a piece it lacks": QUESTIONED,
}
LIBRARIES = READ | REFUSED
SIGNS = st.sampled_from("mughughcatcat uxé😀日-©\u0301\x07 \n<>end")
TEXTS = st.text(SIGNS, max_size=20) | st.text(max_size=8)


@cache
def made(name: str) -> Tokenizer:
    return joined.read(json.dumps(LIBRARIES[name]).encode())[0]


def visible(c: str) -> bool:
    return not c.isspace() and unicodedata.category(c) != "Cc"


@sampled("name", LIBRARIES)
@settings(max_examples=60, deadline=None)
@example("mug hug")
@example("uxg cxat\nm 😀")
@example("cat<end>x mm")
@given(TEXTS)
def test_every_letter_is_in_a_piece_or_shown_as_unknown_or_lost(name: str, text: str) -> None:
    tokenizer = made(name)
    tokens = tokenizer.encode(text)
    normalised = "Mn" if name == "bpe, small letters" else ""
    there = {i for a, b in (*tokens.spans, *tokens.lost) for i in range(a, b)}
    for i in set(range(len(text))) - there:
        taken = unicodedata.category(text[i]) in (normalised, "Cf", "Co", "Cn", "Cs")
        taken = (
            taken or text[i] == "\N{REPLACEMENT CHARACTER}"
        )  # BERT's normaliser takes it out, too
        assert not visible(text[i]) or (normalised and taken), (text, i, tokens)
    assert len(tokens.ids) == len(tokens.labels) == len(tokens.spans)
    assert (tokens.ids < len(tokenizer.vocab)).all()
    assert all(visible(c) for a, b in tokens.lost for c in text[a:b])
    if "\n" not in text:
        np.testing.assert_array_equal(tokenizer.ids([text])[0], tokens.ids)
    assert list(tokens.lost) == sorted(tokens.lost)


@sampled("name", READ)
@settings(max_examples=60, deadline=None)
@example("uxg mug mg gum")
@given(TEXTS)
def test_the_model_reads_what_the_library_gives_it(name: str, text: str) -> None:
    about = READ[name]
    theirs = Made.from_str(json.dumps(about)).encode(mend(text), add_special_tokens=False)
    assert made(name).encode(text).ids.tolist() == theirs.ids


@pytest.mark.parametrize("name", UNKNOWN)
@settings(max_examples=40, deadline=None)
@example("\uffff<lost>cat")
@given(TEXTS)
def test_what_the_library_refuses_is_read_without_its_unknown_pieces(name: str, text: str) -> None:
    about = UNKNOWN[name]
    library = Made.from_str(json.dumps(about))
    theirs = library.encode(mend(text), add_special_tokens=False)
    last = library.get_vocab_size() - 1
    ours = made(name).encode(text)
    assert ours.ids.tolist() == [id for id in theirs.ids if id != last]
    unknown = [span for id, span in zip(theirs.ids, theirs.offsets, strict=True) if id == last]
    lost = {i for a, b in unknown for i in range(a, b) if visible(text[i])}
    assert {i for a, b in ours.lost for i in range(a, b)} == lost


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("hugpnbsmxé "), max_size=24))
def test_letters_that_were_passed_over_do_not_shift_the_others(text: str) -> None:
    """The library's own spans do: of "mug" it says that "ug" stands at "mu"."""
    tokens = made("bpe").encode(text)
    lost = [i for i, c in enumerate(text) if c not in HUG and c != " "]
    assert [i for a, b in tokens.lost for i in range(a, b)] == lost
    for label, (a, b) in zip(tokens.labels, tokens.spans, strict=True):
        assert "".join(text[i] for i in range(a, b) if i not in lost) == label
    assert tokens.strange == len(lost)


def test_the_cases() -> None:
    # A BPE without an unknown piece read "mug" as "ug", silently; such a Unigram was refused.
    mug = made("bpe").encode("mug hug")
    assert mug.labels == ("ug", "hug") and mug.spans == ((1, 3), (4, 7)) and mug.lost == ((0, 1),)
    assert measure(made("bpe"), mug, "mug hug").unknown == 1
    dog = made("likeliest").encode("cat dog")
    assert dog.labels == ("cat",) and dog.lost == ((4, 7),) and dog.unknown == ()
    marked = made("likeliest, marks").encode("cat<end>dog")
    assert marked.ids.tolist() == [3, 4] and marked.lost == ((8, 11),)
    assert made("without hyphens").encode("cat-cat").lost == ((3, 4),)
    assert made("bpe, small letters").encode("HÚG e\u0301").lost == ((4, 5),)
    # tokenizer_config.json need not name it.
    about = json.dumps(READ["bpe, an unknown piece"])
    tokens = Library(about, 11, {"boundary": 0}).encode("mug")
    assert tokens.unknown == (0,) and tokens.labels == ("m", "ug") and not tokens.lost


class Cutter:
    """A tokenizer alone, as a model is asked to cut."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer, self.tokens = tokenizer, tokenizer.encode

    def marks(self) -> Tokens:
        return self.tokens("")


def test_what_is_lost_goes_with_its_part_of_a_text() -> None:
    tokens = made("bpe").encode("mug xx hug m")
    assert tokens.lost == ((0, 1), (4, 5), (5, 6), (11, 12))
    assert tokens[:1].lost == ((0, 1), (4, 5), (5, 6)) and tokens[:0].lost == ((0, 1),)
    assert tokens[1:].lost == ((4, 5), (5, 6), (11, 12))
    assert tokens.after(0, "h").lost == tokens.lost and tokens[1:].moved(2).lost[0] == (6, 7)
    text = "mug xx\n" * 600
    whole_text = made("bpe, no cuts")
    reader: Any = Cutter(whole_text)
    cut = chunked_tokenization.tokens(reader, text)
    assert cut.lost == whole_text.encode(text).lost and len(cut.lost) == 1800


@settings(max_examples=200, deadline=None)
@example("à日本\u0301 ug é😀")
@given(st.text(SIGNS, max_size=30) | st.text(max_size=12))
def test_a_text_of_known_bytes_is_read_as_the_one_that_looks_for_letters_reads_it(
    text: str,
) -> None:
    # without the pieces of © and m; with a blank, so that some texts are of known bytes alone
    more = ("Ġ", "Ãł", "ug", "Ġu")
    vocab = SOME_BYTES | {piece: 256 + i for i, piece in enumerate(more)}
    merges = [["Ã", "ł"], ["u", "g"], ["Ġ", "u"]]
    level = {"type": "ByteLevel", **LEVEL}
    tokenizer = joined.read(json.dumps(whole(bpe(vocab, merges), pre_tokenizer=level)).encode())[0]
    assert isinstance(tokenizer, Library)
    text = mend(text)
    ids, spans, lost = tokenizer._lossy.encode(text)
    found = tokenizer._library.encode(text, add_special_tokens=False)
    if not tokenizer._may_lose(text):
        assert (found.ids, found.offsets, lost) == (ids, spans, [])
    assert bool(lost) <= tokenizer._may_lose(text)
