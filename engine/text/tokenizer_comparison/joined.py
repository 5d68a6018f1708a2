"""Joined: a tokenizer that somebody brings along: a tokenizer.json, or that of a trained model.

What      the file is read as JSON and handed to the `tokenizers` library; nothing in it is run
Source    the tokenizer.json format of the `tokenizers` library
Shapes    -
Differs   Marks that its file would put at the ends of a text are left out of the stack; `framed`
          shows them.
"""

from __future__ import annotations

import json
from typing import Any

from engine.language.message import refusal
from engine.text.tokenizers.base import Tokenizer
from engine.text.tokenizers.library import Library

MOST_BYTES = 24_000_000
KINDS = ("BPE", "WordPiece", "Unigram", "WordLevel")
UNKNOWN = ("<unk>", "[UNK]")


def read(raw: bytes) -> tuple[Library, str]:
    """(tokenizer, its kind).  ValueError with one sentence for anything that is no
    tokenizer.json."""
    if len(raw) > MOST_BYTES:
        raise refusal(
            "The file has {size:.0f} MB; a tokenizer.json of at most {most:.0f} MB can be read"
            " here.",
            size=len(raw) / 1e6,
            most=MOST_BYTES / 1e6,
        )
    try:
        about = json.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise ValueError(
            "This is not JSON. Choose the tokenizer.json that lies beside a model's weights."
        ) from None
    model = about.get("model") if isinstance(about, dict) else None
    if not isinstance(model, dict) or "vocab" not in model:
        raise ValueError(
            "This JSON is no tokenizer.json: it has no “model” with a “vocab”. Choose the file of"
            " that name that lies beside a model's weights."
        )
    kind = str(model.get("type") or ("WordPiece" if "max_input_chars_per_word" in model else "BPE"))
    if kind not in KINDS:
        raise refusal("Its model is a {kind:.40}; {KINDS} can be shown.")
    return _library(json.dumps(about), model), kind


def _library(whole: str, model: dict[str, Any]) -> Library:
    from tokenizers import Tokenizer as Made

    try:
        numbers = Made.from_str(whole).get_vocab()
        rows = max(numbers.values()) + 1
        if rows > 4 * len(numbers) + 1_000:
            raise ValueError("its numbers have large gaps")
        unknown = _unknown(model, numbers)
        made = Library(whole, rows, {"boundary": 0, "unknown": unknown})
        made.encode("try it 1 é")
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as problem:  # the library also panics, which is no Exception
        said = " ".join(str(problem).split())[:160]
        raise refusal(
            "The tokenizers library can't read it: {said}.", said=said or type(problem).__name__
        ) from None
    return made


def _unknown(model: dict[str, Any], numbers: dict[str, int]) -> int:
    if isinstance(number := model.get("unk_id"), int):
        return number
    named = model.get("unk_token")
    return (
        numbers.get(str(named), -1)
        if named
        else next((numbers[u] for u in UNKNOWN if u in numbers and model.get("type") != "BPE"), -1)
    )


def framed(tokenizer: Tokenizer, one: str, two: str) -> list[tuple[str, int, int]] | None:
    """A pair of texts with the marks of BERT around them: (piece, id, which text); None where there
    are no such marks."""
    start, end = tokenizer.start, tokenizer.end
    if start < 0 or end < 0:
        return None
    rows = [(tokenizer.vocab[start], start, 0)]
    for n, text in enumerate((one, two) if two else (one,)):
        found = tokenizer.encode(text)
        rows += [(label, int(id), n) for label, id in zip(found.labels, found.ids, strict=True)]
        rows.append((tokenizer.vocab[end], end, n))
    return rows
