"""Pure functions from facts and a rule set to a decision. Row 10: no I/O, no model, no clock but the one passed in."""
