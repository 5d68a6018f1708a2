"""Sequence models, from counting to attention, with every number they compute in reach.

Nothing under `engine` knows about Streamlit.  Layers, lowest first:
trace, tap, figure  ->  text, ngram, nn  ->  models, views  ->  registry, runs, curriculum.
"""
