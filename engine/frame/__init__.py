"""Frame: what a lesson is written in, as values; nothing here draws.

blocks   what a part shows: sentences, charts, tables, formulas
part     a function that yields blocks; its controls are the defaults of its parameters
room     where the words, the parts and the live pictures of a lesson stand
"""
