"""Attribution: how much each token of a text has to do with one answer of a model; one method, one file."""
