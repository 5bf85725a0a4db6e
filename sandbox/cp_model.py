"""Models in the manner of OR-Tools' `cp_model`: linear constraints over integers, logic, and a few more relations.

A model is built here and solved by the host: `CpSolver.solve` sends it and reads the reply. Names are those of OR-Tools,
in both of its spellings.
"""

UNKNOWN, MODEL_INVALID, FEASIBLE, INFEASIBLE, OPTIMAL = 0, 1, 2, 3, 4
STATUS_NAMES = ("UNKNOWN", "MODEL_INVALID", "FEASIBLE", "INFEASIBLE", "OPTIMAL")
INFINITY = 2**53 - 1

ask = None
"""Set by the guest: asks the host."""


class LinearExpr:
    """A constant plus a sum of integer multiples of variables.

    Sums are kept as trees and expanded when they are first read, so that `total += part` in a loop takes linear time and
    changes no other expression.
    """

    __slots__ = ("_constant", "_operands", "_terms")
    __hash__ = None

    def __init__(self, operands=(), constant=0):
        self._operands, self._constant, self._terms = operands, constant, None

    @staticmethod
    def convert(value):
        """An expression from an expression or an integer."""
        if isinstance(value, LinearExpr):
            return value
        if isinstance(value, int):
            return LinearExpr((), int(value))
        raise TypeError(f"an integer or an expression is needed, not {type(value).__name__} {value!r}"[:200])

    def expand(self):
        """The coefficients by index of the variable, and the constant."""
        if self._terms is None:
            terms, constant, waiting = {}, 0, [(self, 1)]
            while waiting:
                expr, factor = waiting.pop()
                constant += factor * expr._constant
                if expr._terms is not None:
                    for variable, coefficient in expr._terms.items():
                        terms[variable] = terms.get(variable, 0) + factor * coefficient
                else:
                    waiting.extend([(operand, factor * by) for operand, by in reversed(expr._operands)])
            self._terms, self._constant, self._operands = terms, constant, ()
        return self._terms, self._constant

    def to_json(self):
        """The form in which the host reads an expression."""
        terms, constant = self.expand()
        return [[[variable, by] for variable, by in terms.items() if by], constant]

    @staticmethod
    def sum(*parts):
        return LinearExpr(tuple([(LinearExpr.convert(part), 1) for part in flatten(parts)]))

    @staticmethod
    def weighted_sum(parts, weights):
        for weight in (weights := list(weights)):
            require_integer(weight)
        return LinearExpr(tuple([(LinearExpr.convert(part), by) for part, by in zip(parts, weights, strict=True)]))

    @staticmethod
    def term(part, weight):
        return LinearExpr.convert(part) * weight

    @staticmethod
    def affine(part, weight, offset):
        return LinearExpr.convert(part) * weight + offset

    @staticmethod
    def constant(value):
        return LinearExpr.convert(value)

    def __add__(self, other):
        return LinearExpr(((self, 1), (LinearExpr.convert(other), 1)))

    __radd__ = __add__

    def __pos__(self):
        return self

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return LinearExpr(((self, 1), (LinearExpr.convert(other), -1)))

    def __rsub__(self, other):
        return LinearExpr(((LinearExpr.convert(other), 1), (self, -1)))

    def __mul__(self, factor):
        return LinearExpr(((self, require_integer(factor)),))

    __rmul__ = __mul__

    def __eq__(self, other):
        return BoundedLinearExpression(self - other, [0, 0])

    def __ne__(self, other):
        return BoundedLinearExpression(self - other, [-INFINITY, -1, 1, INFINITY])

    def __le__(self, other):
        return BoundedLinearExpression(self - other, [-INFINITY, 0])

    def __lt__(self, other):
        return BoundedLinearExpression(self - other, [-INFINITY, -1])

    def __ge__(self, other):
        return BoundedLinearExpression(self - other, [0, INFINITY])

    def __gt__(self, other):
        return BoundedLinearExpression(self - other, [1, INFINITY])

    def __bool__(self):
        raise TypeError("an expression has no truth value before the model is solved")


class IntVar(LinearExpr):
    """A variable."""

    __slots__ = ("index", "name")
    __hash__ = object.__hash__

    def __init__(self, index, name):
        super().__init__()
        self._terms, self.index, self.name = {index: 1}, index, name

    def __eq__(self, other):
        return True if other is self else LinearExpr.__eq__(self, other)  # so that variables can be keys of a dict

    def __ne__(self, other):
        return False if other is self else LinearExpr.__ne__(self, other)

    def negated(self):
        return NotBooleanVariable(self)

    Not = negated
    __invert__ = negated

    def __repr__(self):
        return self.name or f"x{self.index}"


class NotBooleanVariable(LinearExpr):
    """The negation of a Boolean variable."""

    __slots__ = ("index", "variable")
    __hash__ = object.__hash__

    def __init__(self, variable):
        super().__init__()
        self._terms, self._constant, self.index, self.variable = {variable.index: -1}, 1, -variable.index - 1, variable

    def __eq__(self, other):
        same = isinstance(other, NotBooleanVariable) and other.index == self.index
        return True if same else LinearExpr.__eq__(self, other)

    def negated(self):
        return self.variable

    Not = negated
    __invert__ = negated

    def __repr__(self):
        return f"not({self.variable!r})"


class BoundedLinearExpression:
    """An expression that must lie in a domain: what a comparison of expressions gives."""

    __slots__ = ("domain", "expr")

    def __init__(self, expr, domain):
        self.expr, self.domain = expr, domain

    def __bool__(self):
        raise TypeError("a comparison of expressions is a constraint: pass it to add")


class Constraint:
    """A constraint of a model."""

    def __init__(self, document):
        self._document = document

    def only_enforce_if(self, *literals):
        self._document["if"] = self._document.get("if", []) + literal_indices(literals)
        return self

    def with_name(self, name):
        return self

    OnlyEnforceIf = only_enforce_if
    WithName = with_name


def require_integer(value):
    if not isinstance(value, int):
        hint = ": use add_multiplication_equality for products" if isinstance(value, LinearExpr) else ""
        raise TypeError(f"an integer factor is needed, not {type(value).__name__}{hint}")
    return int(value)


def flatten(arguments):
    """The arguments of a function that takes several values or one iterable of them."""
    if len(arguments) == 1 and not isinstance(arguments[0], (LinearExpr, int)):
        return list(arguments[0])
    return list(arguments)


def literal_index(literal):
    if isinstance(literal, (IntVar, NotBooleanVariable)):
        return literal.index
    if isinstance(literal, int) and literal in (0, 1):
        return bool(literal)
    raise TypeError(f"a Boolean variable or its negation is needed, not {literal!r}"[:200])


def literal_indices(arguments):
    return [literal_index(literal) for literal in flatten(arguments)]


def to_json(expr):
    return LinearExpr.convert(expr).to_json()


def to_json_list(exprs):
    return [to_json(expr) for expr in exprs]


def integer_rows(rows):
    return [[require_integer(value) for value in row] for row in rows]


class CpModel:
    """Variables, constraints and an objective."""

    def __init__(self):
        self._variables, self._constraints, self._objective, self._hints = [], [], None, []

    def new_int_var(self, low, high, name=""):
        variable = IntVar(len(self._variables), name)
        self._variables.append([require_integer(low), require_integer(high)])
        return variable

    def new_bool_var(self, name=""):
        return self.new_int_var(0, 1, name)

    def new_constant(self, value):
        return self.new_int_var(value, value)

    def _append(self, kind, **fields):
        self._constraints.append({"kind": kind} | fields)
        return Constraint(self._constraints[-1])

    def add(self, constraint):
        if isinstance(constraint, bool):
            return self._append("linear", terms=[], domain=[0, 0] if constraint else [1, 1])
        if not isinstance(constraint, BoundedLinearExpression):
            raise TypeError("add takes a comparison, such as x + y <= 3")
        terms, constant = constraint.expr.to_json()
        domain = [end if abs(end) >= INFINITY else end - constant for end in constraint.domain]
        return self._append("linear", terms=terms, domain=domain)

    def add_linear_constraint(self, expr, low, high):
        terms, constant = to_json(expr)
        return self._append("linear", terms=terms, domain=[require_integer(low) - constant, require_integer(high) - constant])

    def add_bool_or(self, *literals):
        return self._append("or", literals=literal_indices(literals))

    add_at_least_one = add_bool_or

    def add_bool_and(self, *literals):
        return self._append("and", literals=literal_indices(literals))

    def add_bool_xor(self, *literals):
        return self._append("xor", literals=literal_indices(literals))

    def add_exactly_one(self, *literals):
        return self._append("exactly one", literals=literal_indices(literals))

    def add_at_most_one(self, *literals):
        return self._append("at most one", literals=literal_indices(literals))

    def add_implication(self, premise, conclusion):
        index = literal_index(premise)
        negation = (not index) if isinstance(index, bool) else -index - 1
        return self._append("or", literals=[negation, literal_index(conclusion)])

    def add_all_different(self, *exprs):
        return self._append("all different", exprs=to_json_list(flatten(exprs)))

    def add_element(self, index, exprs, target):
        return self._append("element", index=to_json(index), exprs=to_json_list(exprs), target=to_json(target))

    def add_multiplication_equality(self, target, *exprs):
        return self._append("product", target=to_json(target), exprs=to_json_list(flatten(exprs)))

    def add_max_equality(self, target, *exprs):
        return self._append("max", target=to_json(target), exprs=to_json_list(flatten(exprs)))

    def add_min_equality(self, target, *exprs):
        return self._append("min", target=to_json(target), exprs=to_json_list(flatten(exprs)))

    def add_abs_equality(self, target, expr):
        return self._append("abs", target=to_json(target), exprs=[to_json(expr)])

    def add_modulo_equality(self, target, expr, modulus):
        return self._append("modulo", target=to_json(target), exprs=[to_json(expr), to_json(modulus)])

    def add_division_equality(self, target, expr, divisor):
        return self._append("division", target=to_json(target), exprs=[to_json(expr), to_json(divisor)])

    def add_circuit(self, arcs):
        return self._append("circuit", arcs=[[tail, head, literal_index(literal)] for tail, head, literal in arcs])

    def add_allowed_assignments(self, exprs, rows):
        return self._append("allowed", exprs=to_json_list(exprs), rows=integer_rows(rows))

    def add_forbidden_assignments(self, exprs, rows):
        return self._append("forbidden", exprs=to_json_list(exprs), rows=integer_rows(rows))

    def add_hint(self, variable, value):
        self._hints.append([literal_index(variable), require_integer(value)])

    def clear_hints(self):
        self._hints = []

    def minimize(self, expr):
        self._objective = ["min", *to_json(expr)]

    def maximize(self, expr):
        self._objective = ["max", *to_json(expr)]

    def to_json(self):
        """The form in which the host reads a model."""
        return {
            "variables": self._variables,
            "constraints": self._constraints,
            "objective": self._objective,
            "hints": self._hints,
        }


class Parameters:
    """`max_deterministic_time` counts; other parameters can be set and have no effect."""

    max_deterministic_time = None


class CpSolver:
    """Sends models to the host and reads the replies."""

    def __init__(self):
        self.parameters, self._reply = Parameters(), None

    def solve(self, model):
        options = {}
        if self.parameters.max_deterministic_time is not None:
            options["max_work"] = self.parameters.max_deterministic_time
        self._reply = ask("solve", [model.to_json()], options)["answer"]
        return STATUS_NAMES.index(self._reply["status"])

    def _field(self, name):
        if self._reply is None:
            raise RuntimeError("no model has been solved yet")
        if self._reply[name] is None:
            raise RuntimeError(f"there is no solution: the status is {self._reply['status']}")
        return self._reply[name]

    def value(self, expr):
        terms, constant = LinearExpr.convert(expr).expand()
        values = self._field("values")
        return constant + sum([by * values[variable] for variable, by in terms.items()])

    def boolean_value(self, literal):
        return bool(self.value(literal))

    @property
    def objective_value(self):
        return self._field("objective")

    @property
    def best_objective_bound(self):
        return self._field("bound")

    def status_name(self, status=None):
        if status is None:
            return self._field("status")
        return STATUS_NAMES[status]


def camel_case(name):
    return "".join([part.capitalize() for part in name.split("_")])


def add_camel_case(cls):
    """Add the older spelling of every public method; properties become methods, as they were."""
    for name, member in list(vars(cls).items()):
        if not name.startswith("_") and name != "to_json" and (callable(member) or isinstance(member, property)):
            setattr(cls, camel_case(name), member.fget if isinstance(member, property) else member)


add_camel_case(CpModel)
add_camel_case(CpSolver)
CpModel.AddBoolXOr = CpModel.add_bool_xor
LinearExpr.Sum, LinearExpr.WeightedSum, LinearExpr.Term = LinearExpr.sum, LinearExpr.weighted_sum, LinearExpr.term
