"""One file, one way to score how well a query and a key match.  Each file ends in SCORE."""
