"""One file, one view.  Each file defines VIEW: fields or a table in, `Figure` out, nothing else
touched."""
