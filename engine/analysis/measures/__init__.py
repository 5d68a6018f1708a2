"""Measures: how near what a system said is to what a person would have said.

bleu, chrf, ter, rouge, meteor, squad, error_rates   a measure, or a family of them, each
ngrams      how often runs of words or letters stand in a text
base        what all of them have in common; table: all of them
resampling  intervals, and tests between two systems, by drawing lines again
pairs       a file of references and of what systems said
"""
