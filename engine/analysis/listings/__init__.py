"""One file, one listing: a program that course notes print, its repair, and what both do.  A file is
named after its lesson, `<lesson id>_<what>.py`, and ends in LISTING, a `base.Listing`."""
