"""What the page on convolution draws."""
