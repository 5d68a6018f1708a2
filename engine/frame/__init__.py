"""Frame: what a lesson is written in, as values; nothing here draws.

picture  a live picture, declared; bends: paths that are bent by clicks
blocks   what a part shows: sentences, charts, tables, formulas
control  what a reader can choose
latex    numbers and matrices in formulas
part     a function that yields blocks; its controls are the defaults of its parameters
"""
