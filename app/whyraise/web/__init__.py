"""The HTTP door: translates requests to calls of the core and its answers to JSON, and does nothing else."""
