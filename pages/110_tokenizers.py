from pages.ui import page

page.show("tokenizers")
