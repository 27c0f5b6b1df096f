"""Passes over features on a device."""
