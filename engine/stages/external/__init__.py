"""The live part of the page on an external memory."""
