"""The live part of the lesson on sparse attention."""
