"""One file, one recurrent cell.  Each file ends in CELL, a subclass of `base.Cell`."""
