"""What single units of a recurrent model respond to: hypotheses about the text, tests of them, and
the places themselves."""
