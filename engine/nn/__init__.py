"""Torch parts shared by models.  Every inner number passes through a tap.

One thread, as engine/core/runtime.py says; training sets its own number.  On a GPU every product has
all its digits, as engine/core/device.py says.
"""

from engine.core import device, runtime

runtime.one_thread()
device.exact()
