"""The tutorials are run as a whole by tests/test_tutorials.py."""

collect_ignore = ["tutorials"]
