"""Recurrent nets put together otherwise, each small, trained on the spot on a task whose answers are
known: attention behind an LSTM, steps that can be undone, an LSTM over the states of another."""
