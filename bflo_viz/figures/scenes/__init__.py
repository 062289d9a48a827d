"""What the figures show, computed: one file a figure, and no drawing here."""
