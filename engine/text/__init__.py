"""From a file to numbered tokens.

documents    the text of a file, one format, one file; read: bytes to clean text
preparation  one step, one file; pipeline puts them in order
tokenizers   one tokenizer, one file; subword: how pieces are learned, step by step
corpora      built-in texts, one file each; tasks: streams whose right answers are known
collection   a person's own texts: stored, counted, searched
tokenizer_comparison  the shipped tokenizers beside each other, at any size of vocabulary
"""
