"""MXFP8: floats of 8 bits with a power of two for each 32 numbers of a row.

Source    Open Compute Project, Microscaling Formats (MX) Specification, 2023, sec. 5.1
Shapes    exponents (out, in / 32)
Differs   As in FP8.
"""

from __future__ import annotations

from engine.pretrained.quantised import fp8
from engine.pretrained.quantised.base import Method

METHOD = Method("MXFP8", fp8.weights, unread=fp8.METHOD.unread)
