"""Decoding: from what a model expects to text.  Needs only the field `probability`, so it is the same for every model.

One rule, one file: repetition.py, temperature.py, top_k.py, top_p.py, min_p.py, typical.py.  rules.py puts them in order,
place.py reads a text and goes on token by token, and sample.py, futures.py and beam.py choose what is written.
"""

from engine.decode.beam import Beam, Hypothesis, beams, score
from engine.decode.choice import Choice, Cut, draw
from engine.decode.futures import Future, futures, tree
from engine.decode.min_p import min_p
from engine.decode.place import Place, expects, read, then
from engine.decode.repeats import repeated
from engine.decode.repetition import repetition
from engine.decode.rules import Rules, choose
from engine.decode.sample import sample
from engine.decode.temperature import temperature
from engine.decode.top_k import top_k
from engine.decode.top_p import top_p
from engine.decode.typical import typical

__all__ = [
    "Beam", "Choice", "Cut", "Future", "Hypothesis", "Place", "Rules", "beams", "choose", "draw", "expects", "futures", "min_p",
    "read", "repeated", "repetition", "sample", "score", "temperature", "then", "top_k", "top_p", "tree", "typical",
]  # fmt: skip
