"""Work in processes of their own, so that nobody's typing waits for it.

worker     answers requests through a pipe, in bounded time; ends with who started it
detached   has a folder, outlives who started it: a status file, a control file
status     how far it is, one model for all of them
process    starting at lower priority, whether one lives, ending one, memory limits
"""
