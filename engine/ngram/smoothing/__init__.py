"""One file, one smoothing method.  Each file ends in SMOOTHING, a subclass of `base.Smoothing`."""
