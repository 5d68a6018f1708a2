"""What the page on the sentence classifier draws with Streamlit."""
