"""One file, one tokenizer.  Each file ends in TOKENIZER, a subclass of `base.Tokenizer`."""
