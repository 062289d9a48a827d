"""The learners' rounds compiled with numba: whole passes over a stream, with their randomness passed in."""
