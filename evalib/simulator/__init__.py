"""The simulator: a caller phones an agent over one line with one clock."""
