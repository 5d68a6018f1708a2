"""The course as data: no model and no picture.

base         what a lesson and a try are
curriculum   all lessons in their order; the rows of each era are a file here
topics       what the course map finds, and where it is shown
planted      examples for models that learned one planted rule
"""
