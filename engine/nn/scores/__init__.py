"""Ways to score how well a query and a key match."""
