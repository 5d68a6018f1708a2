"""Recurrent: what the lessons on recurrent nets have in common."""
