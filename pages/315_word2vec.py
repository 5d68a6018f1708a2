from pages.ui import page

page.show("word2vec")
