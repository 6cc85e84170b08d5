"""Models behind the one port: extractive (embedded), openai (any compatible server), replay (recorded answers)."""
