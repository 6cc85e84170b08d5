"""The frozen nouns that flow through the system. Row 3: everything may read them, nothing changes them."""
