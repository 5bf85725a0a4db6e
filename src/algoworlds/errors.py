"""Everything that can go wrong, in one tree.

AlgoWorldsError
├── InputError          an input cannot be used; the message says what to do (exit code 2)
│   ├── InstanceError   tables that are not an instance of the family
│   └── TooLarge        a valid instance beyond what the exact algorithm can hold
├── DeclarationError    a family's declaration contradicts itself; raised when it is defined
├── AdmissionError      no attempt at a coordinate satisfied the admission rules
├── Malformed           a decision or call that breaks its schema; episodes turn it into an observation
├── SandboxFault        a program could not be run, for a reason that is not the program's (tracks/workers.py)
├── AgentProcessLost    an agent's process was ended from outside (runs/outcome.py)
├── AgentNotStarted     an external agent ended before its first call (runs/outcome.py)
└── ProviderFault       an attempt at a model provider got no response (runs/providers/faults.py)

Messages quote input only through `format_value` and `quote_value`, so that they stay one short line.
"""

from collections.abc import Mapping

MAX_VALUE_CHARS = 80
"""Characters of an input value that a message quotes."""


def format_value(value: object) -> str:
    """Format an input value for a message: long text without its middle, other values as JSON names them."""
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return "an object" if isinstance(value, Mapping) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 256:
        return "an integer of more than 256 bits"
    text = str(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[: MAX_VALUE_CHARS - 40]}...{text[-37:]}"


def quote_value(value: object) -> str:
    """Like `format_value`, but a string is put in quotation marks."""
    return repr(format_value(value)) if isinstance(value, str) else format_value(value)


def require_printable(what: str, name: object) -> str:
    """Return `name`; InputError unless it is text without control characters, line breaks and signs that reorder a line."""
    if not isinstance(name, str) or not name.isprintable():
        raise InputError(f"{what} is {quote_value(name)}: names must be printable, without line breaks and escapes")
    return name


def is_interrupt(problem: BaseException | None) -> bool:
    """Whether Ctrl-C caused `problem`: compiled code turns it into an error of the interpreter or the compiler."""
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__ or problem.__context__
    return problem is not None


class AlgoWorldsError(Exception):
    """Root of all errors this package raises on purpose."""


class InputError(AlgoWorldsError):
    """An input cannot be used; the message is one line that says what to do."""


class InstanceError(InputError):
    """Tables that are not an instance of the family's formal problem."""


class TooLarge(InputError):
    """A valid instance whose numbers or state space the exact algorithm cannot hold."""


class DeclarationError(AlgoWorldsError):
    """A family's declaration contradicts itself."""


class AdmissionError(AlgoWorldsError):
    """No attempt at a coordinate gave an instance that satisfies the admission rules."""


class Malformed(AlgoWorldsError):
    """A decision or an arguments object that breaks its schema."""
