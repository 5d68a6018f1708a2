"""Frame: what a lesson is written in, as values; nothing here draws.

blocks   what a part shows: sentences, charts, tables, formulas
control  what a reader can choose
part     a function that yields blocks; its controls are the defaults of its parameters
picture  a live picture, declared; bends: paths that are bent by clicks
latex    numbers and matrices in formulas

A lesson says `from engine import frame as fr` for parts, and `from engine.frame import picture as pic` for its
live pictures.
"""

from engine.frame.blocks import (
    SHARE,
    WHOLE,
    Beside,
    Block,
    Board,
    Chart,
    Code,
    Controls,
    Equations,
    Formula,
    Line,
    Link,
    Note,
    Presets,
    Problem,
    Progress,
    Rows,
    Section,
    Series,
    Train,
    Warn,
    Words,
    bars,
    curves,
    grid,
    table,
)
from engine.frame.control import (
    WANTED,
    Matrix,
    Others,
    array,
    cells,
    number,
    pick,
    several,
    slider,
    start,
    switch,
    typed,
)
from engine.frame.part import Blocks, Taking, once, once_told, part, shipped, shown

__all__ = [
    "SHARE",
    "WANTED",
    "WHOLE",
    "Beside",
    "Block",
    "Blocks",
    "Board",
    "Chart",
    "Code",
    "Controls",
    "Equations",
    "Formula",
    "Line",
    "Link",
    "Matrix",
    "Note",
    "Others",
    "Presets",
    "Problem",
    "Progress",
    "Rows",
    "Section",
    "Series",
    "Taking",
    "Train",
    "Warn",
    "Words",
    "array",
    "bars",
    "cells",
    "curves",
    "grid",
    "number",
    "once",
    "once_told",
    "part",
    "pick",
    "several",
    "shipped",
    "shown",
    "slider",
    "start",
    "switch",
    "table",
    "typed",
]
