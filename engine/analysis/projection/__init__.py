"""One file, one projection: many dimensions to two or three.  Each file ends in PROJECTION, a
subclass of `base.Projection`."""
