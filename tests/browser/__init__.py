"""The app in a real Chromium: what only a browser can show."""
