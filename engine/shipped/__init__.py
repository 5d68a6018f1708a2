"""The shipped runs: how each is made, from which texts, and how good it is."""
