"""What a person meets in a browser: the explorers in JupyterLab and in saved pages."""
