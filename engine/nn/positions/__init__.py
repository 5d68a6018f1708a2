"""One file, one way to tell a Transformer the order of its tokens.  Each file ends in POSITION, a
subclass of `base.Position`."""
