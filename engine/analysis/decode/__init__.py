"""Decoding: from what a model expects to text.  Needs only the field `probability`, so it is the
same for every model.

One rule, one file: repetition.py, temperature.py, top_k.py, top_p.py, min_p.py, typical.py.
rules.py puts them in order, place.py reads a text and goes on token by token, and sample.py
and beam.py choose what is written.
"""

from engine.analysis.decode.beam import Beam, Hypothesis, beams, score
from engine.analysis.decode.choice import Choice, Cut, draw
from engine.analysis.decode.min_p import min_p
from engine.analysis.decode.place import Place, expects, read, take_step
from engine.analysis.decode.repeats import repeated
from engine.analysis.decode.repetition import repetition
from engine.analysis.decode.rules import Rules, choose
from engine.analysis.decode.sample import sample
from engine.analysis.decode.temperature import temperature
from engine.analysis.decode.top_k import top_k
from engine.analysis.decode.top_p import top_p
from engine.analysis.decode.typical import typical

__all__ = [
    "Beam",
    "Choice",
    "Cut",
    "Hypothesis",
    "Place",
    "Rules",
    "beams",
    "choose",
    "draw",
    "expects",
    "min_p",
    "read",
    "repeated",
    "repetition",
    "sample",
    "score",
    "take_step",
    "temperature",
    "top_k",
    "top_p",
    "typical",
]
