"""SentencePieces: the tokenizer of Marian and of M2M-100 as they are published: models of SentencePiece, and a
vocab.json that numbers their pieces.

What      `files` says which they are, `read` what they hold; marks and languages are told by the library
Source    Junczys-Dowmunt et al., Marian: Fast Neural Machine Translation in C++, 2018; Fan et al., Beyond
          English-Centric Multilingual Machine Translation, 2021; MarianTokenizer and M2M100Tokenizer of the
          `transformers` library
Differs   A model that numbers fewer than half of the pieces belongs to another vocab.json, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.language.message import refusal
from engine.pretrained.stored import json_of

MODELS = {"marian": ("source.spm", "target.spm"), "m2m_100": ("sentencepiece.bpe.model",)}
NUMBERS, WHOLE = "vocab.json", "tokenizer.json"
LEAST = 0.5  # of its pieces that vocab.json numbers


def files(folder: Path, kind: str) -> tuple[Path, ...]:
    """The models of a checkpoint of this type, the one for what is read first; none where its tokenizer is kept
    in another way.  ValueError where one of several files is missing."""
    names = MODELS.get(kind, ())
    missing = [name for name in (*names, NUMBERS) if not (folder / name).is_file()]
    if not missing:
        return tuple(folder / name for name in names)
    if len(names) > 1 and not (folder / WHOLE).is_file() and {*names} - {*missing}:
        raise refusal("the tokenizer in {folder} is incomplete: {name} is missing", name=missing[0])
    return ()


def read(models: Sequence[Path]) -> tuple[list[bytes], dict[str, int]]:
    """What is in the models, and the number of each piece.  ValueError with one sentence where a file is
    damaged, or they do not belong together."""
    numbers = json_of(models[0].parent / NUMBERS)
    if not numbers or not all(type(id) is int and id >= 0 for id in numbers.values()):
        raise refusal(
            "{path} is damaged: it has no number for each piece", path=models[0].parent / NUMBERS
        )
    found = []
    for path in models:
        found.append(path.read_bytes())
        pieces = _pieces(path, found[-1])
        held = sum(piece in numbers for piece in pieces)
        if held < LEAST * len(pieces):
            raise refusal(
                "{path} does not belong to the {NUMBERS} beside it, which numbers {held:,} of its"
                " {n:,} pieces",
                n=len(pieces),
                held=held,
            )
    return found, dict(numbers)


def _pieces(path: Path, raw: bytes) -> list[str]:
    """What a model cuts texts into.  ValueError where it is damaged."""
    from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2

    formats: Any = sentencepiece_model_pb2
    try:
        model = SentencePieceProcessor(model_proto=raw)
        about = formats.ModelProto.FromString(raw)
        # one that ends behind a piece can be opened, and cuts in another way
        if not (about.HasField("trainer_spec") and about.HasField("normalizer_spec")):
            raise ValueError
    except Exception as error:  # of many kinds, some of them protobuf's
        raise refusal("{path} is damaged, or no model of SentencePiece") from error
    every = range(model.get_piece_size())
    return [
        model.id_to_piece(id)
        for id in every
        if not model.is_control(id) and not model.is_unknown(id)
    ]
