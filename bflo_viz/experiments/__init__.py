"""The paper's experiments: protocols, runs that go on where they stopped, results beside the printed numbers."""
