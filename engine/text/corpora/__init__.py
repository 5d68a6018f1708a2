"""One file, one text to learn from.  Each file ends in CORPUS, an object as in `base.Corpus`."""
