"""Lessons: a room for each, `<id>.py` or `<id>/`; engine/course/rooms.py says what stands in one."""
