"""Lossy: what of a text a tokenizer of the `tokenizers` library has no piece for, where its
vocabulary has no unknown piece either.

What      The library passes over such a letter (BPE), or refuses the text (Unigram, WordPiece,
          WordLevel).  A second copy of the tokenizer gets an unknown piece beyond its numbers and
          says where it stands; for BPE a copy that merges nothing, since the library merges over
          a letter that it passed over: "uxg" is read as the piece "ug".  ids are those of the
          library without the letters
Source    the models of the `tokenizers` library, 0.23
Shapes    T = tokens, L = places of what was lost
Differs   White space and control characters are never called lost, nor what the tokenizer's
          normaliser takes out, such as accents; signs that its pre-tokenizer throws away are.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from engine.text.subword.words import LETTER

LOST, TYPED = "\uffff<lost>", "\ufffe<lost>"  # the piece, and what it is read as where it is typed
BYTES = frozenset(f"<0x{b:02X}>" for b in range(256))
THROWN_AWAY = re.compile(r'"behavior": "Removed"|"CharDelimiterSplit"')

Span = tuple[int, int]


class Lossy:
    """A tokenizer that can lose letters."""

    def __init__(self, about: dict[str, Any], plain: Any) -> None:
        """`about`: a tokenizer.json whose `marked` is not None, or which `throws_away`; `plain`: the library's
        tokenizer of it."""
        from tokenizers import Tokenizer as Made

        marked = marked_model(about["model"], about)
        self._marked: Any = Made.from_str(json.dumps(about | {"model": marked or about["model"]}))
        self._lost = -1 if marked is None else self._marked.token_to_id(LOST)
        # marks of its own stand behind the vocabulary, which has one piece more now
        numbers: dict[str, int] = plain.get_vocab()
        self._number = {
            i: numbers[piece] for piece, i in self._marked.get_vocab().items() if i != self._lost
        }
        passes = kind_of(about["model"]) == "BPE" and _passes_over(about["model"])
        self._plain = plain if marked is not None and passes else None
        self._sizes = _sizes(about["model"]) if self._plain else {}
        self._whole = bool(about["model"].get("ignore_merges"))
        letters = {"type": "BPE", "vocab": {LOST: 0}, "merges": [], "unk_token": LOST}
        self._letters: Any = (
            Made.from_str(json.dumps(about | {"pre_tokenizer": None, "model": letters}))
            if throws_away(about)
            else None
        )

    def encode(self, text: str) -> tuple[list[int], list[Span], list[Span]]:
        """(T ids, T spans, L spans of what was lost)."""
        text = text.replace(LOST, TYPED)
        marked = self._marked.encode(text, add_special_tokens=False)
        if self._plain is None:
            ids = self._kept(marked.ids)
            spans = [
                s for id, s in zip(marked.ids, marked.offsets, strict=True) if id != self._lost
            ]
            lost = [s for id, s in zip(marked.ids, marked.offsets, strict=True) if id == self._lost]
        else:
            plain = self._plain.encode(text, add_special_tokens=False)
            ids, (spans, lost) = plain.ids, self._aligned(plain, marked)
        if self._letters is not None:
            whole = self._letters.encode(text, add_special_tokens=False).offsets
            lost += _rest(whole, marked.offsets)
        return ids, spans, sorted(set(_letters(text, lost)))

    def ids(self, lines: Iterable[str]) -> Iterator[list[int]]:
        lines = [line.replace(LOST, TYPED) for line in lines]
        if self._plain is not None:
            for found in self._plain.encode_batch_fast(lines, add_special_tokens=False):
                yield found.ids
            return
        for found in self._marked.encode_batch_fast(lines, add_special_tokens=False):
            yield self._kept(found.ids)

    def _kept(self, ids: list[int]) -> list[int]:
        return [self._number.get(id, id) for id in ids if id != self._lost]

    def _aligned(self, plain: Any, marked: Any) -> tuple[list[Span], list[Span]]:
        """(spans of the plain pieces, spans of what was lost): the library's own spans of a word
        count only the letters that it wrote."""
        of_word: dict[int | None, list[tuple[bool, Span]]] = {}
        for word, id, span in zip(marked.word_ids, marked.ids, marked.offsets, strict=True):
            of_word.setdefault(word, []).append((id == self._lost, span))
        spans: list[Span] = []
        pieces = zip(plain.word_ids, plain.tokens, plain.offsets, strict=True)
        for word, group in groupby(pieces, key=itemgetter(0)):
            here = list(group)
            letters = of_word.get(word, [])
            kept = [span for lost, span in letters if not lost]
            sizes = [self._size(piece) for _, piece, _ in here]
            if sum(sizes) == len(kept):
                at = 0
                for size in sizes:
                    spans.append((kept[at][0], kept[at + size - 1][1]))
                    at += size
            else:  # a whole word that is a piece, whether its letters are or not
                spans += [span for _, _, span in here]
                of_word[word] = [(False, span) for _, span in letters]
        lost_spans = [span for letters in of_word.values() for lost, span in letters if lost]
        return spans, lost_spans

    def _size(self, piece: str) -> int:
        """Of how many letters it was merged."""
        whole = len(piece) if self._whole and piece not in BYTES else 1
        return self._sizes.get(piece, whole)


def kind_of(model: dict[str, Any]) -> str:
    """Old files do not name it."""
    if found := model.get("type"):
        return str(found)
    if isinstance(model["vocab"], list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in model else "WordLevel"


def unknown_of(model: dict[str, Any]) -> int | None:
    """The number of the unknown piece that a vocabulary has."""
    if kind_of(model) == "Unigram":
        found = model.get("unk_id")
        return found if isinstance(found, int) and found < len(model["vocab"]) else None
    number: int | None = model["vocab"].get(model.get("unk_token"))
    return number


def throws_away(about: dict[str, Any]) -> bool:
    """Whether its pre-tokenizer throws signs away."""
    return bool(THROWN_AWAY.search(json.dumps(about.get("pre_tokenizer"))))


def loses(about: dict[str, Any]) -> bool:
    """Whether a text may hold what this tokenizer.json has neither a piece nor a mark for."""
    return throws_away(about) or marked_model(about["model"], about) is not None


def known_bytes(about: dict[str, Any], plain: Any) -> frozenset[int]:
    """Bytes of which a text loses nothing; none where that is not for single bytes to say.  `plain`: as in
    Lossy."""
    model, parts = about["model"], json.dumps(about.get("pre_tokenizer"))
    apart = model.get("continuing_subword_prefix") or model.get("end_of_word_suffix")
    known = (b for b, letter in LETTER.items() if plain.token_to_id(letter) is not None)
    if kind_of(model) == "BPE" and '"ByteLevel"' in parts and not throws_away(about):
        return frozenset() if apart or about.get("normalizer") else frozenset(known)
    return frozenset()


def marked_model(model: dict[str, Any], about: dict[str, Any]) -> dict[str, Any] | None:
    """The model with an unknown piece beyond its numbers; None where it needs none."""
    if unknown_of(model) is not None:
        return None
    kind, vocab = kind_of(model), model["vocab"]
    if kind == "Unigram":
        least = min((score for _, score in vocab), default=0.0)
        return model | {"vocab": [*vocab, [LOST, least]], "unk_id": len(vocab)}
    if kind == "BPE" and _whole_bytes(model, about):
        return None
    beyond = {LOST: max(vocab.values(), default=-1) + 1}
    marked = model | {"vocab": vocab | beyond, "unk_token": LOST}
    if kind == "BPE" and _passes_over(model):
        marked |= {"merges": [], "ignore_merges": False, "fuse_unk": False}
    return marked


def _passes_over(model: dict[str, Any]) -> bool:
    """Whether the library reads on where there is no piece; one that names a piece which the
    vocabulary lacks is refused there."""
    return model.get("unk_token") is None


def _whole_bytes(model: dict[str, Any], about: dict[str, Any]) -> bool:
    """Whether bytes, all of them pieces, write whatever has no piece of its own."""
    vocab = model["vocab"]
    if model.get("byte_fallback") and vocab.keys() >= BYTES:
        return True
    parts = json.dumps([about.get("normalizer"), about.get("pre_tokenizer")])
    apart = model.get("continuing_subword_prefix") or model.get("end_of_word_suffix")
    return '"ByteLevel"' in parts and not apart and vocab.keys() >= set(LETTER.values())


def _sizes(model: dict[str, Any]) -> dict[str, int]:
    """Of how many letters each merged piece is made."""
    prefix = len(model.get("continuing_subword_prefix") or "")
    sizes: dict[str, int] = {}
    for merge in model.get("merges") or ():
        a, b = merge.split(" ", 1) if isinstance(merge, str) else merge
        sizes[a + b[prefix:]] = sizes.get(a, 1) + sizes.get(b, 1)
    return sizes


def _rest(whole: Iterable[Span], covered: Iterable[Span]) -> list[Span]:
    """The characters of `whole` that nothing covers, in runs."""
    left = {i for a, b in whole for i in range(a, b)}.difference(
        i for a, b in covered for i in range(a, b)
    )
    runs: list[Span] = []
    for i in sorted(left):
        if runs and runs[-1][1] == i:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


def _letters(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without white space and control characters."""
    for a, b in spans:
        for seen, group in groupby(
            range(a, b),
            key=lambda i: not text[i].isspace() and unicodedata.category(text[i]) != "Cc",
        ):
            if seen:
                run = list(group)
                yield run[0], run[-1] + 1
