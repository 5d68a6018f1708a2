"""Tools on a table of word vectors: neighbours, analogies, tests, files.  They know words and
numbers, and no model."""
