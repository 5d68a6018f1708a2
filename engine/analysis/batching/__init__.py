"""How lines become a batch, and what a batch costs: padding, one product, dropout, half precision, memory."""
