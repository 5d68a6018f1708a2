"""The live part of the page on the feed-forward language model."""
