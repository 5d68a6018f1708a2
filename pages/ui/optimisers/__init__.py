"""What the page on optimisers draws."""
