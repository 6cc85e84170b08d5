"""Facts: what code computes of an output, claim, binding, request or answer, and rules read (DESIGN §3)."""
