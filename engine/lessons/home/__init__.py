"""Home: the page that shows every kind of model on one sentence."""
