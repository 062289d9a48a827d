"""What the notebooks share: small interactive pieces that keep their cells short."""
