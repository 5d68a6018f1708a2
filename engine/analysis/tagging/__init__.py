"""How well hidden Markov models name the parts of speech of a text that they were not counted in, and
what they get wrong.

results    what was measured, as `assets/tagging.json` has it
build      measures it: `python -m engine.analysis.tagging.build`
"""
