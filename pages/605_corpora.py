from pages.ui import corpora

corpora.show_corpora()
