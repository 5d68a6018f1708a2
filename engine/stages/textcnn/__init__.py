"""The live part of the page on the sentence classifier."""
