"""Pictures of beliefs and flows, drawn with matplotlib: what is printed, projected and exported."""
