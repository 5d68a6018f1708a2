"""Live replies: what the browser is sent with every key, and what it asks for.

request   a message of the browser, read and checked once
window    which characters and tokens are shown
shown     one reader's tokens of the part that is shown, found once for each request
delta     what of it the browser has already
top       the words that a reader expects
lookup    where one chosen word stands
reply     the answer, and its protocol for both sides
wire      the answer as bytes
"""
