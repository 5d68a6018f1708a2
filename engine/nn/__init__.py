"""Torch parts shared by models.  Every inner number passes through a tap.

One thread: the shipped models are small, and handing work between threads costs them more than it
saves (two to nine times slower under load).  Training sets its own number.
"""

import torch

torch.set_num_threads(1)
