"""What could be known from the answers read so far: the sufficiency oracle, certificates and their price."""
