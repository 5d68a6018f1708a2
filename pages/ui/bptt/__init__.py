"""What the page on backpropagation through time draws with Streamlit."""
