"""The live part of the page on pooling."""
