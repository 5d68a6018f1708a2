"""The live part of the lesson on soft lookup."""
