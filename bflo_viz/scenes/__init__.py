"""What explorers that are not yet converted import; it goes with the last of them."""
