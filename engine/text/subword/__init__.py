"""How the pieces of words are learned, step by step, and how a word is cut into them.  Plain
Python, to be read."""
