"""Live replies: what the browser is sent with every key, and what it asks for.

request   a message of the browser, read and checked once
window    which characters and tokens are shown
shown     one reader's tokens of the part that is shown, found once for each request
delta     what of it the browser has already
top       the words that a reader expects
lookup    where one chosen word stands
reply     the answer, and its protocol for both sides
wire      the answer as bytes
stage     what stands on a live page, as data: readers, panels, and how it answers
drawing   the numbers behind a panel, for its files
cache     opened models and traces, kept between keys up to a number of bytes
snapshots models at the steps that a run kept, opened ahead
long      texts too long to be read at once
assets    the browser's own files, and which a page needs first
markdown  typed words and problems as a page shows them
"""
