"""The parts of attention by themselves: small exact examples, counts, and what can go wrong."""
