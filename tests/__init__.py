"""Tests, by what they prove: see the table in each file's first line."""
