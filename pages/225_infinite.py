from pages.ui import page

page.show_lesson("infinite")
