"""Trained models on disk: found, opened, imported, renamed, deleted, packed into one file and back."""
