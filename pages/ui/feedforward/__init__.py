"""What the page on the feed-forward language model draws with Streamlit."""
