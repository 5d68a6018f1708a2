"""One file, one model.  Each file ends in MODEL, a final subclass of `base.Model`."""
