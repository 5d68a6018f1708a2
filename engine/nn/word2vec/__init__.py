"""word2vec: one vector a word, learned from the words that stand around it; every part of it in a
file of its own."""
