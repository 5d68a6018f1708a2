"""One file, one step of text preparation.  Each file ends in PREPARATION, an object as in
`base.Preparation`."""
