"""White space: a token is whatever stands between blanks, as corpora that were cut beforehand expect.

What      split at white space; the line end is </s>
Source    Heafield, KenLM: Faster and Smaller Language Model Queries, 2011 (its input format)
Shapes    as in words.py
Differs   Only the pattern differs from words.py.
"""

from __future__ import annotations

import re
from typing import final

from engine.text.words import Words


@final
class Whitespace(Words):
    id = "whitespace"
    pattern = re.compile(r"\n|[^\s]+")


TOKENIZER = Whitespace
