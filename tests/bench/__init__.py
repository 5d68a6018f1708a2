"""Benches of the app: they need Streamlit, a browser and the clients of the tests."""
