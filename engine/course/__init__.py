"""The course as data: what a lesson says in words, the lessons in order, topics and search, first minutes,
the hand-out.  The lessons themselves stand in engine/lessons/, a room each."""
