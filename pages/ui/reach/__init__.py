"""The page on how far learning reaches: what lies behind its bound."""
