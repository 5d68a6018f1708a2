"""Library: the tokenizer that came with a pretrained checkpoint, whatever its kind, as the
`tokenizers` library runs it.

What      ids exactly as the checkpoint's makers have them; labels as a reader sees them: " cat" for
          "Ġcat" and "▁cat", "##ing" as it is, a byte that is no character alone as <E2>, an unknown
          word in its own spelling; what a vocabulary without an unknown piece can't write is no
          token, but told (lossy.py)
Source    byte-level: Radford et al., 2019, sec. 2.2; ##: Wu et al., 2016; ▁: Kudo & Richardson,
          SentencePiece, 2018
Shapes    V = vocabulary, filled up to the rows of the checkpoint's embedding
Differs   It is never trained here.  Marks at the ends of a text and between sentences are put there
          by the model.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn, Self, final

import numpy as np

from engine.language.message import _, refusal
from engine.text.chat import Laid, Template, lay_out
from engine.text.subword.words import BYTE, readable
from engine.text.tokenizers.base import Tokenizer, Tokens
from engine.text.tokenizers.bpe import mend
from engine.text.tokenizers.lossy import Lossy, known_bytes, loses, unknown_of

_BYTE_FALLBACK = re.compile("<0x([0-9A-F]{2})>")
NOT_TRAINED = (
    "this tokenizer comes with a checkpoint and is not trained; choose another: bpe, chars, words"
)
MARKS = ("start", "end", "mask", "pad", "forced", "unknown", "boundary", "opening", "barred")


@contextlib.contextmanager
def panics_said() -> Iterator[None]:
    """Where the library panics, which is no Exception, ValueError with what it says."""
    try:
        yield
    except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as problem:
        raise refusal(
            "the tokenizers library can't work with it: {said}",
            said=" ".join(str(problem).split())[:160],
        ) from problem


@final
class Library(Tokenizer):
    """start, end, mask, pad: ids of the marks at the ends of a text, of a masked word, of filling;
    -1 where there is none.
    between, leads, forced, barred: as in Tokenizer.
    """

    id = "library"

    def __init__(
        self,
        whole: str,
        rows: int,
        marks: dict[str, int],
        between: Iterable[int] = (),
        opens: bool = True,
        chat: Template | None = None,
        leads: Iterable[int] = (),
    ) -> None:
        """`whole`: a tokenizer.json; `rows`: how many ids the model has; `opens`: as in Tokenizer,
        and by itself as the checkpoint's own tokenizer does; `chat`: its chat template."""
        from tokenizers import Tokenizer as Made

        about = json.loads(whole)
        plain: dict[str, Any] = {"post_processor": None, "truncation": None, "padding": None}
        plain["added_tokens"] = about.get("added_tokens") or []
        stored = about.items() >= plain.items()  # as `state` gives it: it is not written again
        about |= plain
        # marks that were added to the tokenizer, and the model has no vectors for
        self.beyond = tuple(t["content"] for t in about["added_tokens"] if t["id"] >= rows)
        self._whole, self._rows, self._marks, self.between = (
            whole if stored else json.dumps(about),
            rows,
            marks,
            tuple(between),
        )
        self.opens, self.chat = opens, chat
        self._library: Any = Made.from_str(self._whole)
        self.start, self.end, self.mask, self.pad, self.forced = (
            marks.get(name, -1) for name in MARKS[:5]
        )
        self.leads, self.barred = tuple(leads), marks.get("barred", -1)
        self.unknown, self.boundary = marks.get("unknown", -1), marks["boundary"]
        self._unknown = {self.unknown, unknown_of(about["model"])}
        self._loses = loses(about)
        self._known = known_bytes(about, self._library)
        self._style = _style(about)
        self._special = {t["id"] for t in about.get("added_tokens", ())}

    @property
    def opening(self) -> int:
        return self._marks.get("opening", self.boundary)

    @cached_property
    def _lossy(self) -> Lossy:
        return Lossy(json.loads(self._whole), self._library)

    def _may_lose(self, text: str) -> bool:
        return self._loses and not self._known.issuperset(text.encode())

    @cached_property
    def _pieces(self) -> list[str]:
        pieces = {i: piece for piece, i in self._library.get_vocab().items()}
        return [pieces.get(i, f"<nothing {i}>") for i in range(self._rows)]

    @cached_property
    def vocab(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._readable(i) for i in range(self._rows))

    def _readable(self, id: int) -> str:
        piece = self._pieces[id]
        if piece.startswith("<0x") and (byte := _BYTE_FALLBACK.fullmatch(piece)):
            return f"<{byte[1]}>"
        if id in self._special or not piece:
            return piece or "<empty>"
        if self._style == "bytes" and BYTE.keys() >= set(piece):
            return readable(piece)
        if self._style == "blanks":
            return piece.replace("▁", " ")
        return piece

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> NoReturn:
        raise ValueError(NOT_TRAINED)

    def encode(self, text: str) -> Tokens:
        laid, __ = self._laid(text)
        if laid is None:
            return self.encode_plain(text)
        found = self.encode_plain(laid.text)
        lost = tuple(
            span for span in (laid.typed(*lost) for lost in found.lost) if span[1] > span[0]
        )
        return replace(found, spans=tuple(laid.typed(*span) for span in found.spans), lost=lost)

    def note(self, text: str) -> str:
        laid, why = self._laid(text)
        if laid is None:
            return why and _("{why}; the text is read as it stands.", why=why)
        return ""

    def _laid(self, text: str) -> tuple[Laid | None, str]:
        """A text as a conversation, or why it can't be one; (None, "") where it is none."""
        if not self.talks or self.chat is None:
            return None, ""
        try:
            return lay_out(self.chat, text), ""
        except ValueError as error:
            return None, error.args[0]

    def encode_plain(self, text: str) -> Tokens:
        lost: list[tuple[int, int]] = []
        if not text:
            ids, offsets = list[int](), list[tuple[int, int]]()
        elif self._may_lose(whole := mend(text)):
            ids, offsets, lost = self._lossy.encode(whole)
        else:
            found = self._library.encode(whole, add_special_tokens=False)
            ids, offsets = found.ids, found.offsets
        if self.beyond:
            gone = [] if self.unknown >= 0 else [i for i, id in enumerate(ids) if id >= self._rows]
            lost = sorted([*lost, *(offsets[i] for i in gone)])
            offsets = [s for i, s in enumerate(offsets) if i not in gone]
            ids = self._within(ids)
        spans = filled(offsets, len(text))
        unknown = tuple(i for i, id in enumerate(ids) if id in self._unknown)
        labels = [self.vocab[id] for id in ids]
        for i in unknown:
            labels[i] = text[slice(*spans[i])]
        return Tokens(
            np.array(ids, np.int64), tuple(labels), tuple(spans), unknown, lost=tuple(lost)
        )

    def _within(self, ids: list[int]) -> list[int]:
        """What the model has vectors for; the others are unknown, or gone where nothing says so."""
        kept = (id if id < self._rows else self.unknown for id in ids)
        return [id for id in kept if id >= 0]

    def decode(self, ids: Iterable[int]) -> str:
        ids = list(ids)
        if self._style != "bytes":
            text: str = self._library.decode(ids, skip_special_tokens=False)
            return text
        return b"".join(map(self._bytes, ids)).decode(errors="replace")

    def _bytes(self, id: int) -> bytes:
        piece = self._pieces[id]
        plain = id in self._special or not all(c in BYTE for c in piece)
        return piece.encode() if plain else bytes(BYTE[c] for c in piece)

    def raw(self, id: int) -> bytes:
        if id in self._special:
            return b""
        if self._style == "bytes":
            return self._bytes(id)
        if byte := _BYTE_FALLBACK.fullmatch(self._pieces[id]):
            return bytes.fromhex(byte[1])
        return self._pieces[id].replace("▁", " ").encode()

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        read = [mend(line.replace("\n", " ")) for line in lines]
        if any(map(self._may_lose, read)):
            every = self._lossy.ids(read)
        else:
            found = self._library.encode_batch_fast(read, add_special_tokens=False)
            every = (e.ids for e in found)
        return [np.array(self._within(ids) if self.beyond else ids, np.int64) for ids in every]

    def state(self) -> bytes:
        about = {
            "whole": self._whole,
            "rows": self._rows,
            "marks": self._marks,
            "between": self.between,
            "opens": self.opens,
            "chat": self.chat,
            "leads": self.leads,
        }
        return json.dumps(about).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        return cls(**json.loads(state))


def _style(about: dict[str, Any]) -> str:
    """How pieces are spelled: "bytes" (Ġ is a blank), "blanks" (▁ is one) or "plain"."""
    parts = json.dumps(
        [about.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")], ensure_ascii=False
    )
    return (
        "bytes"
        if '"ByteLevel"' in parts
        else "blanks"
        if "▁" in parts or '"Metaspace"' in parts
        else "plain"
    )


def filled(offsets: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Spans of one character at least, never going back: a piece that the tokenizer put in covers
    the character it stands before."""
    spans: list[tuple[int, int]] = []
    low = 0
    for a, b in offsets:
        a = max(low, min(a, size - 1))
        spans.append((a, max(a + 1, b)))
        low = a
    return spans


TOKENIZER = Library
