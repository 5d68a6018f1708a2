"""One file, one model.  Each file ends in MODEL, a final subclass of `base.Model`.

recurrent makes one more of each cell in engine/nn/cells.
"""
