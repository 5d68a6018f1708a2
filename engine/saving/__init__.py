"""Figures, pictures and traces as files, each with the words that say what it shows."""
