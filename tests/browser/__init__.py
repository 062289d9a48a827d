"""What a person meets in a browser: the explorers in JupyterLab, in Voila, and in saved pages."""
