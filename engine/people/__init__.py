"""People: who may come in where several use one server, and what they share."""
