"""Everything that can go wrong, in one tree.

AlgoWorldsError
├── InputError          what was given cannot be used; the message says what to do (exit code 2)
│   ├── InstanceError   tables that are no instance of the family
│   └── TooLarge        a correct instance beyond what the exact algorithm can hold
├── DeclarationError    a family is declared inconsistently; raised when it is defined
├── AdmissionError      no attempt of a coordinate satisfied the admission rules
├── Malformed           a decision or call that breaks its schema; episodes turn it into an observation
├── Lost                an agent's process that something from outside has ended (runs/outcome.py)
└── ProviderFault       an attempt at a model's provider without a response (runs/providers/faults.py)

A message repeats what was given through `shown` alone, so that it stays one short line whatever was given.
"""

from collections.abc import Mapping

LONGEST = 80
"""Characters of what was given that a message repeats."""


def shown(given: object) -> str:
    """What was given, as a message repeats it: a long text or path without its middle, other values in JSON's words."""
    if isinstance(given, Mapping | list | tuple | set | frozenset):
        return "an object" if isinstance(given, Mapping) else "a list"
    if given is None or isinstance(given, bool):
        return {None: "null", True: "true", False: "false"}[given]
    if isinstance(given, int) and given.bit_length() > 256:
        return "an integer of more than 256 bits"
    text = str(given)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 40]}...{text[-37:]}"


def quoted(given: object) -> str:
    """What was given, shown; a text in quotation marks, so that its ends are seen."""
    return repr(shown(given)) if isinstance(given, str) else shown(given)


def interrupted(problem: BaseException | None) -> bool:
    """Whether a Ctrl-C lies behind an exception: compiled code turns it into an error of the interpreter or the compiler."""
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__ or problem.__context__
    return problem is not None


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
