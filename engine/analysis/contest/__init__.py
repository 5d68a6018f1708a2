"""Contest: cells side by side on the same task, and what each of them costs."""
