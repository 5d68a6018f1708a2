"""What the page on hidden Markov models draws with Streamlit."""
