"""What the page on a network that learns draws."""
