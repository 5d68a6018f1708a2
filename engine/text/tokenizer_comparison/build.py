"""Build: trains the shipped tokenizers and counts their pieces.

    python -m engine.text.tokenizer_comparison.build TEXT MANY [--out DIR]

What      TEXT: an English text, plain or .xz, one passage a line; MANY: a .zip of one text in many
          languages
Source    as in the files of engine/text
Shapes    V = vocabulary
Differs   Characters beyond the commonest LETTERS are left out where a vocabulary would fill up with
          them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from engine.core.registry import tokenizers
from engine.text.tokenizer_comparison import shipped
from engine.text.tokenizer_comparison.languages import IN_BOTH
from engine.text.tokenizers.base import Tokenizer

LEARNED, COUNTED = 20_000_000, 4_000_000  # characters
LETTERS, CHARACTERS = 200, 1_000


def sample(lines: list[str], characters: int, seed: int) -> list[str]:
    """Lines in any order until there are so many characters."""
    order = np.random.default_rng(seed).permutation(len(lines))
    ends = np.cumsum([len(lines[i]) for i in order])
    return [lines[i] for i in order[: int(np.searchsorted(ends, characters)) + 1]]


def split_at_rare(lines: Iterable[str], letters: int) -> list[str]:
    """The lines in parts between characters that are not among the commonest."""
    lines = list(lines)
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(line)
    known = "".join(c for c, _ in counts.most_common(letters))
    rare = re.compile(f"[^{re.escape(known)}]+")
    return [part for line in lines for part in rare.split(line) if part]


def learn(item: shipped.Shipped, lines: list[str]) -> Tokenizer:
    if item.kind in ("charbpe", "unigram", "wordpiece"):
        lines = split_at_rare(lines, LETTERS)
    made: Tokenizer = tokenizers.get(item.kind).fit(
        lines, CHARACTERS if item.kind == "chars" else shipped.SIZES[-1]
    )
    return made


def count(tokenizer: Tokenizer, lines: list[str]) -> np.ndarray:
    """How often each piece comes up (V,), uint32; a line end is a boundary."""
    return np.bincount(tokenizer.stream(lines), minlength=len(tokenizer.vocab)).astype(np.uint32)


def build(text: Path, many: Path, out: Path) -> None:
    raw = text.read_bytes()
    whole = (lzma.decompress(raw) if text.suffix == ".xz" else raw).decode()
    lines = [line for line in whole.split("\n") if line.strip()]
    with zipfile.ZipFile(many) as folder:
        found = [folder.read(f"udhr2/{name}.txt").decode() for name in IN_BOTH]
    tongues = [
        re.sub(r"\s+", " ", line).strip()
        for whole in found
        for line in whole.split("\n")
        if line.strip()
    ]
    learned = sample(lines, LEARNED, 0)
    counted = sample(learned, COUNTED, 1)
    shipped.FOLDER = out
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for item in (*shipped.EVERY, shipped.MANY):
        made = learn(item, tongues if item is shipped.MANY else learned)
        body = json.dumps(
            json.loads(made.state()), ensure_ascii=False, separators=(",", ":")
        ).encode()
        (out / f"{item.id}.json.gz").write_bytes(gzip.compress(body, mtime=0))
        for size in shipped.sizes(item.id):
            counts[f"{item.id}.{size}"] = count(
                shipped.opened(item.id, size), tongues if item is shipped.MANY else counted
            )
        print(f"{item.id}: {len(made.vocab):,} pieces")
    np.savez_compressed(out / shipped.COUNTS, **counts)  # type: ignore[arg-type]  # numpy's own types know only lists


if __name__ == "__main__":
    asked = argparse.ArgumentParser(
        description="Train the shipped tokenizers and count their pieces."
    )
    asked.add_argument("text", type=Path, help="an English text, .txt or .xz, one passage a line")
    asked.add_argument(
        "many",
        type=Path,
        help="udhr2.zip: the Universal Declaration of Human Rights in many languages",
    )
    asked.add_argument("--out", type=Path, default=shipped.FOLDER)
    given = asked.parse_args()
    build(given.text, given.many, given.out)
