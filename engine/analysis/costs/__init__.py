"""What a Transformer costs: parameters by formula, operations and bytes, and what is measured."""
