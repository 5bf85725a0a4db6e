"""`solve`: a model as JSON, read strictly, solved by CP-SAT under a deterministic limit, and checked exactly.

A model is `{"variables": [[low, high], ...], "constraints": [{"kind": ..., "if": [literals], ...}], "objective": [sense,
terms, constant] or null, "hints": [[literal, value], ...]}`. A literal is the number of a variable, minus that number minus
one for its negation, or true or false. An affine expression is `[[[variable, coefficient], ...], constant]`.

Reading and checking use integers only and no solver. CP-SAT is imported on demand.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, isfinite, prod
from typing import Any, NamedTuple

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.errors import InputError, Malformed, format_value, quote_value
from algoworlds.tracks.sandbox import HostReply, installed_version

MAX_VARIABLES = 50_000
MAX_TERMS = 1_000_000
MAX_WORK = 5.0
"""Units of CP-SAT's deterministic time that one solve may take; the last step can go beyond it."""
UNITS_PER_WORK = 10_000
"""Millions of instructions that a unit of deterministic time is charged."""

Literal = int | bool


class Affine(NamedTuple):
    """A constant plus a sum of coefficients times variables."""

    terms: tuple[tuple[int, int], ...]
    constant: int

    def value(self, values: Sequence[int]) -> int:
        """The value under an assignment."""
        return self.constant + sum(coefficient * values[variable] for variable, coefficient in self.terms)


class Constraint(NamedTuple):
    """A constraint that has been read: its kind, its fields by name, and the literals that enforce it."""

    kind: str
    fields: Mapping[str, Any]
    enforced_by: tuple[Literal, ...]


class Model(NamedTuple):
    """A model that has been read."""

    variables: tuple[tuple[int, int], ...]
    constraints: tuple[Constraint, ...]
    objective: tuple[str, Affine] | None
    hints: tuple[tuple[int, int], ...]


# -- reading --------------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads the parts of a model and counts its terms."""

    def __init__(self, variables: Any) -> None:
        pairs = _list(variables, "variables")
        if len(pairs) > MAX_VARIABLES:
            raise Malformed(f"the model has {len(pairs):,} variables; at most {MAX_VARIABLES:,} are allowed")
        self.variables = tuple((_integer(low), _integer(high)) for low, high in _tuples(pairs, 2, "a variable"))
        if any(low > high for low, high in self.variables):
            raise Malformed("the lowest value of a variable is above its highest")
        self._terms = 0

    def count(self, terms: int) -> None:
        self._terms += terms
        if self._terms > MAX_TERMS:
            raise Malformed(f"the model has more than {MAX_TERMS:,} terms")

    def literal(self, value: Any) -> Literal:
        if type(value) is bool:
            return value
        if type(value) is not int or not -len(self.variables) <= value < len(self.variables):
            raise Malformed(f"{format_value(value)} is not a variable of the model")
        low, high = self.variables[value if value >= 0 else -value - 1]
        if low < 0 or high > 1:
            raise Malformed("a literal needs a variable from 0 to 1")
        return value

    def literals(self, value: Any) -> tuple[Literal, ...]:
        literals = _list(value, "literals")
        self.count(len(literals))
        return tuple(self.literal(literal) for literal in literals)

    def terms(self, value: Any) -> tuple[tuple[int, int], ...]:
        pairs = _list(value, "terms")
        self.count(len(pairs))
        for variable, _ in (checked := _tuples(pairs, 2, "a term")):
            if type(variable) is not int or not 0 <= variable < len(self.variables):
                raise Malformed(f"{format_value(variable)} is not a variable of the model")
        terms = tuple((variable, _integer(coefficient)) for variable, coefficient in checked)
        for end in self.bounds(Affine(terms, 0)):
            _integer(end)  # so that no sum overflows in the solver, and the limit can stand for infinity
        return terms

    def affine(self, value: Any) -> Affine:
        ((terms, constant),) = _tuples([value], 2, "an expression")
        affine = Affine(self.terms(terms), _integer(constant))
        for end in self.bounds(affine):
            _integer(end)
        return affine

    def bounds(self, affine: Affine) -> tuple[int, int]:
        """The lowest and highest value that an expression can take."""
        ends = [sorted(coefficient * end for end in self.variables[variable]) for variable, coefficient in affine.terms]
        return affine.constant + sum(low for low, _ in ends), affine.constant + sum(high for _, high in ends)

    def affines(self, value: Any) -> tuple[Affine, ...]:
        return tuple(self.affine(expr) for expr in _list(value, "expressions"))

    def domain(self, value: Any) -> tuple[int, ...]:
        ends = tuple(_integer(end) for end in _list(value, "a domain"))
        if not ends or len(ends) % 2 or any(low > high for low, high in zip(ends[::2], ends[1::2], strict=True)):
            raise Malformed("a domain must be pairs of a lowest and a highest value")
        return ends

    def arcs(self, value: Any) -> tuple[tuple[int, int, Literal], ...]:
        arcs = _tuples(_list(value, "arcs"), 3, "an arc")
        self.count(len(arcs))
        return tuple((self.node(tail), self.node(head), self.literal(literal)) for tail, head, literal in arcs)

    def node(self, value: Any) -> int:
        if type(value) is not int or not 0 <= value < MAX_VARIABLES:
            raise Malformed(f"{format_value(value)} is not a node: use numbers from 0")
        return value

    def rows(self, value: Any) -> tuple[tuple[int, ...], ...]:
        rows = tuple(tuple(_integer(cell) for cell in _list(row, "a row")) for row in _list(value, "rows"))
        self.count(sum(map(len, rows)))
        return rows

    def constraint(self, document: Any) -> Constraint:
        kind = document.get("kind") if isinstance(document, dict) else None
        if not isinstance(kind, str) or kind not in KINDS:
            raise Malformed(f"{quote_value(kind)} is not a kind of constraint")
        shape = KINDS[kind]
        if set(document) - {"kind", "if"} != set(shape.fields):
            raise Malformed(f"a constraint {quote_value(kind)} needs the fields {', '.join(shape.fields)}")
        fields = {name: getattr(self, reader)(document[name]) for name, reader in shape.fields.items()}
        exprs = fields.get("exprs", ())
        if shape.exprs is not None and len(exprs) != shape.exprs:
            raise Malformed(f"a constraint {quote_value(kind)} needs {shape.exprs} expressions, not {len(exprs)}")
        if any(len(row) != len(exprs) for row in fields.get("rows", ())):
            raise Malformed("every row needs one value for each expression")
        if kind in ("max", "min", "product", "element") and not exprs:
            raise Malformed(f"a constraint {quote_value(kind)} needs at least one expression")
        return Constraint(kind, fields, self.literals(document.get("if", [])))


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed(f"{what} must be a list, not {format_value(value)}")
    return value


def _tuples(values: Iterable[Any], length: int, what: str) -> list[list[Any]]:
    checked = list(values)
    if not all(isinstance(value, list) and len(value) == length for value in checked):
        raise Malformed(f"{what} must be a list of {length} values")
    return checked


def _integer(value: Any) -> int:
    if type(value) is not int or abs(value) >= JSON_INTEGER_LIMIT:
        raise Malformed(f"{format_value(value)} is not an integer below 2^53")
    return value


def read_model(document: Any) -> Model:
    """Read a model strictly; Malformed says what is wrong with it."""
    names = {"variables", "constraints", "objective", "hints"}
    if not isinstance(document, dict) or set(document) != names:
        raise Malformed(f"a model must be an object with {', '.join(sorted(names))}")
    reader = _Reader(document["variables"])
    constraints = tuple(reader.constraint(constraint) for constraint in _list(document["constraints"], "constraints"))
    objective = None
    if document["objective"] is not None:
        ((sense, *affine),) = _tuples([document["objective"]], 3, "an objective")
        if sense not in ("min", "max"):
            raise Malformed("the sense of an objective must be min or max")
        objective = (sense, reader.affine(affine))
    hints = _tuples(_list(document["hints"], "hints"), 2, "a hint")
    return Model(reader.variables, constraints, objective, tuple(_read_hint(reader, *hint) for hint in hints))


def _read_hint(reader: _Reader, variable: Any, value: Any) -> tuple[int, int]:
    """A hint on a variable; one on a negation becomes the opposite hint on its variable."""
    if type(variable) is not int or not -len(reader.variables) <= variable < len(reader.variables):
        raise Malformed(f"{format_value(variable)} is not a variable of the model")
    reader.count(1)
    return (variable, _integer(value)) if variable >= 0 else (-variable - 1, 1 - _integer(value))


# -- checking -------------------------------------------------------------------------------------------------------------


def find_violation(model: Model, values: Sequence[int], objective: int | None) -> str | None:
    """What is wrong with an assignment and its objective; None if it satisfies the model exactly. Needs no solver."""
    if len(values) != len(model.variables) or not all(type(value) is int for value in values):
        return "it does not give an integer for every variable"
    for number, ((low, high), value) in enumerate(zip(model.variables, values, strict=True)):
        if not low <= value <= high:
            return f"variable {number} is out of its range"
    for number, constraint in enumerate(model.constraints):
        enforced = all(_literal_value(literal, values) for literal in constraint.enforced_by)
        if enforced and not KINDS[constraint.kind].holds(constraint.fields, values):
            return f"constraint {number} ({constraint.kind}) does not hold"
    expected = None if model.objective is None else model.objective[1].value(values)
    return None if objective == expected else f"its objective is {expected}, not {objective}"


def _literal_value(literal: Literal, values: Sequence[int]) -> int:
    if type(literal) is bool:
        return int(literal)
    return values[literal] if literal >= 0 else 1 - values[-literal - 1]


def _count_true(fields: Mapping[str, Any], values: Sequence[int]) -> int:
    return sum(_literal_value(literal, values) for literal in fields["literals"])


def _exprs(fields: Mapping[str, Any], values: Sequence[int]) -> list[int]:
    return [expr.value(values) for expr in fields["exprs"]]


def _target(fields: Mapping[str, Any], values: Sequence[int]) -> int:
    target: Affine = fields["target"]
    return target.value(values)


def _linear_holds(fields: Mapping[str, Any], values: Sequence[int]) -> bool:
    total, ends = Affine(fields["terms"], 0).value(values), fields["domain"]
    return any(low <= total <= high for low, high in zip(ends[::2], ends[1::2], strict=True))


def _element_holds(fields: Mapping[str, Any], values: Sequence[int]) -> bool:
    index, exprs = int(fields["index"].value(values)), _exprs(fields, values)
    return 0 <= index < len(exprs) and exprs[index] == _target(fields, values)


def _truncated_division(dividend: int, divisor: int) -> int:
    """Division rounded towards zero, as the solver defines it."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _division_holds(fields: Mapping[str, Any], values: Sequence[int]) -> bool:
    dividend, divisor = _exprs(fields, values)
    return divisor != 0 and _target(fields, values) == _truncated_division(dividend, divisor)


def _modulo_holds(fields: Mapping[str, Any], values: Sequence[int]) -> bool:
    dividend, modulus = _exprs(fields, values)
    return modulus != 0 and _target(fields, values) == dividend - modulus * _truncated_division(dividend, modulus)


def _circuit_holds(fields: Mapping[str, Any], values: Sequence[int]) -> bool:
    """One circuit through all nodes; a node whose chosen arc leads to itself is left out."""
    chosen = [(tail, head) for tail, head, literal in fields["arcs"] if _literal_value(literal, values)]
    successor = dict(chosen)
    nodes = {node for tail, head, _ in fields["arcs"] for node in (tail, head)}
    if len(chosen) != len(nodes) or set(successor) != nodes or set(successor.values()) != nodes:
        return False
    route = [node for node in nodes if successor[node] != node]
    if not route:
        return True
    node, length = successor[route[0]], 1
    while node != route[0]:
        node, length = successor[node], length + 1
    return length == len(route)


class _Kind(NamedTuple):
    """A kind of constraint: the reader of each field, how many expressions it takes if fixed, and when it holds."""

    fields: Mapping[str, str]
    holds: Callable[[Mapping[str, Any], Sequence[int]], bool]
    exprs: int | None = None


_LITERALS = {"literals": "literals"}
_EXPRS = {"exprs": "affines"}
_TARGET = {"target": "affine"} | _EXPRS
_ROWS = _EXPRS | {"rows": "rows"}
KINDS: Mapping[str, _Kind] = {
    "linear": _Kind({"terms": "terms", "domain": "domain"}, _linear_holds),
    "or": _Kind(_LITERALS, lambda fields, values: _count_true(fields, values) >= 1),
    "and": _Kind(_LITERALS, lambda fields, values: _count_true(fields, values) == len(fields["literals"])),
    "xor": _Kind(_LITERALS, lambda fields, values: _count_true(fields, values) % 2 == 1),
    "exactly one": _Kind(_LITERALS, lambda fields, values: _count_true(fields, values) == 1),
    "at most one": _Kind(_LITERALS, lambda fields, values: _count_true(fields, values) <= 1),
    "all different": _Kind(_EXPRS, lambda fields, values: len(set(_exprs(fields, values))) == len(fields["exprs"])),
    "element": _Kind({"index": "affine"} | _TARGET, _element_holds),
    "product": _Kind(_TARGET, lambda fields, values: prod(_exprs(fields, values)) == _target(fields, values)),
    "max": _Kind(_TARGET, lambda fields, values: max(_exprs(fields, values)) == _target(fields, values)),
    "min": _Kind(_TARGET, lambda fields, values: min(_exprs(fields, values)) == _target(fields, values)),
    "abs": _Kind(_TARGET, lambda fields, values: abs(_exprs(fields, values)[0]) == _target(fields, values), 1),
    "modulo": _Kind(_TARGET, _modulo_holds, 2),
    "division": _Kind(_TARGET, _division_holds, 2),
    "circuit": _Kind({"arcs": "arcs"}, _circuit_holds),
    "allowed": _Kind(_ROWS, lambda fields, values: tuple(_exprs(fields, values)) in fields["rows"]),
    "forbidden": _Kind(_ROWS, lambda fields, values: tuple(_exprs(fields, values)) not in fields["rows"]),
}


# -- solving --------------------------------------------------------------------------------------------------------------


class SolverResult(NamedTuple):
    """What CP-SAT found: objective, bound and values are None if there is none; `work` is its deterministic time."""

    status: str
    objective: int | None
    bound: int | None
    values: list[int] | None
    work: float


def solver_identity() -> dict[str, str]:
    """What identifies the solver: the version of OR-Tools; InputError if it is missing or another one."""
    installed = installed_version("ortools") or "none"
    if installed.split(".")[:2] != ["9", "15"]:
        raise InputError(
            f"solving needs ortools 9.15 ({format_value(installed)} is installed): pip install 'algoworlds[solver]'"
        )
    return {"ortools": installed}


def solve_model(model: Model, max_work: float = MAX_WORK) -> SolverResult:
    """Solve a model with CP-SAT; the same model and limit give the same solution on the same platform."""
    from ortools.sat.python import cp_model

    built, variables = _build(model)
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers, parameters.interleave_search = 8, True
    parameters.random_seed = 0
    parameters.max_deterministic_time = max_work
    status = solver.solve(built)
    name = solver.status_name(status)
    work = round(solver.response_proto.deterministic_time, 6)
    if name not in ("OPTIMAL", "FEASIBLE"):
        return SolverResult(name, None, None, None, work)
    values = [solver.value(variable) for variable in variables]
    if model.objective is None:
        return SolverResult(name, None, None, values, work)
    bound = solver.best_objective_bound
    objective = model.objective[1].value(values)
    return SolverResult(name, objective, round(bound) if abs(bound) < JSON_INTEGER_LIMIT else None, values, work)


def _build(model: Model) -> tuple[Any, list[Any]]:
    """The model for CP-SAT, and its variables in order."""
    from ortools.sat.python import cp_model

    built = cp_model.CpModel()
    variables = [built.new_int_var(low, high, "") for low, high in model.variables]
    reader = _Reader([list(pair) for pair in model.variables])

    def literal(value: Literal) -> Any:
        if type(value) is bool:
            return built.new_constant(int(value))
        return variables[value] if value >= 0 else variables[-value - 1].negated()

    def linear(terms: Iterable[tuple[int, int]], constant: int = 0) -> Any:
        pairs = list(terms)
        coefficients = [coefficient for _, coefficient in pairs]
        return cp_model.LinearExpr.weighted_sum([variables[variable] for variable, _ in pairs], coefficients) + constant

    def affine(expr: Affine) -> Any:
        """CP-SAT takes one variable in an expression: a sum of several becomes a variable of its own."""
        if len(expr.terms) <= 1:
            return linear(*expr)
        total = built.new_int_var(*reader.bounds(expr), "")
        built.add(total == linear(*expr))
        return total

    def add(kind: str, fields: Mapping[str, Any]) -> Any:
        if kind == "linear":
            domain = cp_model.Domain.from_flat_intervals(list(fields["domain"]))
            return built.add_linear_expression_in_domain(linear(fields["terms"]), domain)
        if kind == "circuit":
            return built.add_circuit([(tail, head, literal(value)) for tail, head, value in fields["arcs"]])
        if "literals" in fields:
            add_literals: dict[str, Any] = {
                "or": built.add_bool_or,
                "and": built.add_bool_and,
                "xor": built.add_bool_xor,
                "exactly one": built.add_exactly_one,
                "at most one": built.add_at_most_one,
            }
            return add_literals[kind]([literal(value) for value in fields["literals"]])
        exprs = [affine(expr) for expr in fields["exprs"]]
        if kind == "all different":
            return built.add_all_different(exprs)
        if kind == "allowed":
            return built.add_allowed_assignments(exprs, fields["rows"])
        if kind == "forbidden":
            return built.add_forbidden_assignments(exprs, fields["rows"])
        target = affine(fields["target"])
        if kind == "element":
            return built.add_element(affine(fields["index"]), exprs, target)
        if kind in ("product", "max", "min"):
            add_exprs: dict[str, Any] = {
                "product": built.add_multiplication_equality,
                "max": built.add_max_equality,
                "min": built.add_min_equality,
            }
            return add_exprs[kind](target, exprs)
        add_fixed: dict[str, Any] = {
            "abs": built.add_abs_equality,
            "modulo": built.add_modulo_equality,
            "division": built.add_division_equality,
        }
        return add_fixed[kind](target, *exprs)

    for constraint in model.constraints:
        added = add(constraint.kind, constraint.fields)
        if constraint.enforced_by:
            added.only_enforce_if([literal(value) for value in constraint.enforced_by])
    if model.objective is not None:
        sense, expr = model.objective
        (built.minimize if sense == "min" else built.maximize)(linear(*expr))
    for variable, value in model.hints:
        built.add_hint(variables[variable], value)
    return built, variables


# -- the question of a program --------------------------------------------------------------------------------------------


def read_question(text: str) -> tuple[Model, float]:
    """The model and the limit of work that a program asks to solve; Malformed says what is wrong."""
    try:
        arguments, options = json.loads(text, parse_constant=_refuse_constant)
        (document,) = arguments
    except (ValueError, TypeError, RecursionError):
        raise Malformed("solve takes one model") from None
    if not isinstance(options, dict) or set(options) - {"max_work"}:
        raise Malformed("solve takes no option but max_work")
    max_work = options.get("max_work", MAX_WORK)
    if type(max_work) not in (int, float) or not isfinite(max_work) or max_work <= 0:
        raise Malformed(f"max_deterministic_time must be a number above 0, not {format_value(max_work)}")
    return read_model(document), min(float(max_work), MAX_WORK)


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def answer_solve(text: str) -> HostReply:
    """Answer a program that asks to solve a model; what cannot be read is refused free of charge."""
    try:
        model, max_work = read_question(text)
    except Malformed as problem:
        return HostReply({"error": str(problem), "kind": "ValueError"})
    solution = solve_model(model, max_work)
    return HostReply({"answer": solution._asdict()}, ceil(UNITS_PER_WORK * solution.work))
