"""The live part of the page on how far learning reaches."""
