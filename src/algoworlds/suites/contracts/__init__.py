"""What a family promises, and how it is held to it: contracts, shared by `algoworlds family check` and by the tests."""
