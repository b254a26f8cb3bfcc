"""One algorithm a file, each reads as its equations."""
