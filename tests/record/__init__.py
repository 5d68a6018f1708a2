"""What the pages show, as files that can be compared: made before a page is written anew, and again after.

    python -m tests.record pages OUT [ids]          every part of every page, both ends of each control
    python -m tests.record live OUT [ids]           every live picture and board, in a real Chromium
    python -m tests.record compare OLD NEW [ids]    what differs, by page and part

One file a page. Parts are found by the words of the choice that opens them, controls by their labels; no key
of a widget is known here but `live-<page>`, to which a browser sends what rests.

Left out, since it can't be the same twice or would start something: buttons, but for the few in
`walk.PRESSED` (training, measuring, adding, renaming, examples); uploads; what is drawn or clicked on a
board; edits of a table; the menu beside the page; colours and places; the axes of a picture, but for their
titles. Of a choice among many only the first and the last are tried; one control at a time; the Table tabs
at first values only.
"""
