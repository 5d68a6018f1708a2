"""Heads of attention: small pictures of all of them, what each does, several as one, and whether
their weights explain the answer."""
