"""Torch parts shared by models.  Every inner number passes through a tap.

One thread: the shipped models are small, and handing work between threads costs them more than it
saves (two to nine times slower under load).  Training sets its own number.

Waiting threads sleep: left to spin, two of them on a busy machine trained a small model 25 times slower.
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read once, when torch is loaded

import torch

torch.set_num_threads(1)
