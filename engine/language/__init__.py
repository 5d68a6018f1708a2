"""Language: every sentence of the app, in English as the source has it, and in other languages.

script      the strings of a JavaScript file: found, and given back in another language
source      all sentences of the source, Python and JavaScript, and where they stand
catalogue   one language: its sentence for each English one
"""
