from pages.ui import training

training.show_training()
