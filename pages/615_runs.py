from pages.ui import runs

runs.show_runs()
