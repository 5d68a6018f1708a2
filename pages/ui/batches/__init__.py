"""What the page on batches draws."""
