"""Everything that can go wrong, in one tree.

AlgoWorldsError
├── InputError          what was given cannot be used; the message says what to do (exit code 2)
│   ├── InstanceError   tables that are no instance of the family
│   └── TooLarge        a correct instance beyond what the exact algorithm can hold
├── DeclarationError    a family is declared inconsistently; raised when it is defined
├── AdmissionError      no attempt of a coordinate satisfied the admission rules
├── Malformed           a decision or call that breaks its schema; episodes turn it into an observation
└── ProviderFault       an attempt at a model's provider without a response (runs/providers/faults.py)
"""


class AlgoWorldsError(Exception):
    """Root of all errors this package raises on purpose."""


class InputError(AlgoWorldsError):
    """What was given cannot be used; the message is one line that says what to do."""


class InstanceError(InputError):
    """Tables that are no instance of the family's formal problem."""


class TooLarge(InputError):
    """A correct instance whose numbers or state space the exact algorithm cannot hold."""


class DeclarationError(AlgoWorldsError):
    """A family's declaration contradicts itself."""


class AdmissionError(AlgoWorldsError):
    """No attempt at a coordinate gave an instance that satisfies the admission rules."""


class Malformed(AlgoWorldsError):
    """A decision or an arguments object that breaks its schema."""
