"""The same recipes in plain torch, written without our layers and our loop: what our trainings are
checked against."""
