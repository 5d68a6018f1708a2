from pages.ui import coursemap

coursemap.show_map()
