from pages.ui import corpora

corpora.show()
