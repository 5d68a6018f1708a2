"""Latency: how long writing takes, with what was read kept (KV cache) and with everything read
again for each token.

What      seconds from the first token to the n-th.  Kept: one step a token.  Read again: prompt + n
          tokens for token n
Source    Shazeer, Fast Transformer Decoding: One Write-Head is All You Need, 2019, sec. 2.2
Shapes    N = tokens written
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from engine.analysis.decode.place import Place, append, read, take_step


def seconds(place: Place, count: int, keeps: bool) -> Iterator[float]:
    """Seconds since the start at which each of `count` tokens was there; always the likeliest."""
    spent = 0.0
    for _ in range(count):
        begin = time.perf_counter()
        id = int(place.logit_V.argmax())
        place = take_step(place, id) if keeps else read(place.model, append(place, id), keeps=False)
        spent += time.perf_counter() - begin
        yield spent
