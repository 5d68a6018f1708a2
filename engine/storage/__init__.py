"""What lies on disk, and how it is written: whole or not at all.

files        the one atomic write, new folders that appear whole, disk errors as one sentence
record       a JSON file as a typed value
arrays       arrays in a file, quantised: in fewer bits
run_folder   the files of a run's folder
disk_cache   what was worked out once and may be worked out again
home         where this person's own things are
"""
