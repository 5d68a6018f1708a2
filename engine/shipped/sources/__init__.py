"""One file, one public collection to learn from, as it can be downloaded.  Each file ends in
SOURCE, a `base.Source`."""
