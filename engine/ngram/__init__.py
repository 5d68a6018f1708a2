"""Counting models of runs of tokens: counts first, and on top of them ways to share probability
with the unseen."""
