"""Torch parts shared by models.  Every inner number passes through a tap.

One thread, as engine/core/runtime.py says; training sets its own number.
"""

from engine.core import runtime

runtime.one_thread()
