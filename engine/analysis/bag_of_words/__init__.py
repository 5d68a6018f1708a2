"""Bags of words: counts without order, and three ways to tell classes by them."""
