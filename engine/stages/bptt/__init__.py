"""The live part of the page on backpropagation through time."""
