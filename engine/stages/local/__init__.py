"""The live parts of the lesson on scores and orders of a recurrent decoder."""
