"""Random sharpness, tie habit and side preference of every judge, integrated out."""
