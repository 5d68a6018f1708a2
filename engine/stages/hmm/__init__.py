"""What the page on hidden Markov models computes for a part below the live one."""
