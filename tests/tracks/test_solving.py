"""Models as JSON: read strictly, solved by CP-SAT, checked exactly; compared with trying every assignment."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algoworlds.errors import Malformed
from algoworlds.tracks.solving import (
    KINDS,
    MAX_TERMS,
    MAX_VARIABLES,
    UNITS_PER_WORK,
    answer_solve,
    find_violation,
    read_model,
    read_question,
    solve_model,
)


def model(variables, *constraints, objective=None, hints=()):
    return {"variables": variables, "constraints": list(constraints), "objective": objective, "hints": list(hints)}


VARIABLES = [[0, 1], [0, 1], [0, 1], [-2, 2], [0, 3]]
LITERALS = st.lists(st.sampled_from([0, 1, 2, -1, -2, -3, True, False]), min_size=1, max_size=4)
TERMS = st.lists(st.tuples(st.integers(0, 4), st.integers(-2, 2)).map(list), max_size=3)
AFFINE = st.tuples(TERMS, st.integers(-3, 3)).map(list)
EXPRS = st.lists(AFFINE, min_size=1, max_size=3)
FIELDS = {
    "literals": LITERALS,
    "terms": TERMS,
    "affine": AFFINE,
    "affines": EXPRS,
    "domain": st.lists(st.integers(-6, 6), min_size=4, max_size=4).map(sorted),
    "arcs": st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([0, 1, 2, -1, -2, -3])).map(list),
        min_size=3,
        max_size=6,
        unique_by=lambda arc: tuple(arc[:2]),
    ),
}
ENFORCEABLE = {"linear", "or", "and"}


@st.composite
def constraints(draw, kind):
    shape = KINDS[kind]
    document = {"kind": kind}
    for name, reader in shape.fields.items():
        if reader == "rows":
            width = len(document["exprs"])
            row = st.lists(st.integers(-3, 3), min_size=width, max_size=width)
            document[name] = draw(st.lists(row, min_size=1, max_size=4))
        elif reader == "affines" and shape.exprs:
            document[name] = draw(st.lists(AFFINE, min_size=shape.exprs, max_size=shape.exprs))
        else:
            document[name] = draw(FIELDS[reader])
    if kind in ("modulo", "division"):  # the solver needs a divisor that cannot be 0, and for modulo one above 0
        document["exprs"][1] = [[], draw(st.integers(1, 3))]
    if kind in ENFORCEABLE and draw(st.booleans()):
        document["if"] = draw(LITERALS)
    return document


def assignments():
    return product(*(range(low, high + 1) for low, high in VARIABLES))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(data=st.data())
def test_the_solver_and_the_checker_agree_with_trying_every_assignment(kind, data):
    terms = data.draw(TERMS)
    document = model(VARIABLES, data.draw(constraints(kind)), objective=[data.draw(st.sampled_from(["min", "max"])), terms, 5])
    parsed = read_model(json.loads(json.dumps(document)))
    objective = {values: parsed.objective[1].value(values) for values in assignments()}
    feasible = [values for values, value in objective.items() if find_violation(parsed, values, value) is None]
    solution = solve_model(parsed)
    if not feasible:
        assert solution.status in ("INFEASIBLE", "MODEL_INVALID")
        return
    best = (min if parsed.objective[0] == "min" else max)(objective[values] for values in feasible)
    assert (solution.status, solution.objective, solution.bound) == ("OPTIMAL", best, best)
    assert find_violation(parsed, solution.values, best) is None
    assert find_violation(parsed, solution.values, best + 1) == f"its objective is {best}, not {best + 1}"


def test_a_checked_assignment_must_be_complete_and_in_range():
    parsed = read_model(model([[0, 3], [0, 1]], {"kind": "or", "literals": [1]}))
    assert find_violation(parsed, [3, 1], None) is None
    assert find_violation(parsed, [4, 1], None) == "variable 0 is out of its range"
    assert find_violation(parsed, [3, 0], None) == "constraint 0 (or) does not hold"
    assert find_violation(parsed, [3], None) == "it does not give an integer for every variable"
    assert find_violation(parsed, [3, True], None) == "it does not give an integer for every variable"


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ([], "a model must be an object with constraints, hints, objective, variables"),
        (model([[0, 1]]) | {"x": 1}, "a model must be an object with"),
        (model([[1, 0]]), "the lowest value of a variable is above its highest"),
        (model([[0, 2**53]]), "9007199254740992 is not an integer below 2^53"),
        (model([[0, 1.5]]), "1.5 is not an integer"),
        (model([[0, True]]), "true is not an integer"),
        (model([[0]]), "a variable must be a list of 2 values"),
        (model([[0, 1]] * (MAX_VARIABLES + 1)), "at most 50,000 are allowed"),
        (model([], {"kind": "soon"}), "'soon' is not a kind of constraint"),
        (model([], {"kind": ["or"]}), "a list is not a kind of constraint"),
        (model([], {"kind": "or"}), "a constraint 'or' needs the fields literals"),
        (model([], {"kind": "or", "literals": [], "x": 1}), "a constraint 'or' needs the fields literals"),
        (model([[0, 1]], {"kind": "or", "literals": [1]}), "1 is not a variable of the model"),
        (model([[0, 1]], {"kind": "or", "literals": [-2]}), "-2 is not a variable of the model"),
        (model([[0, 7]], {"kind": "or", "literals": [0]}), "a literal needs a variable from 0 to 1"),
        (model([[0, 1]], {"kind": "linear", "terms": [[0, 1]], "domain": [1]}), "a domain must be pairs"),
        (model([[0, 1]], {"kind": "linear", "terms": [[-1, 1]], "domain": [1, 2]}), "-1 is not a variable of the model"),
        (model([[0, 2**52]], {"kind": "linear", "terms": [[0, 3]], "domain": [0, 1]}), "is not an integer below 2^53"),
        (model([[0, 1]], {"kind": "abs", "target": [[], 1], "exprs": []}), "a constraint 'abs' needs 1 expressions, not 0"),
        (model([[0, 1]], {"kind": "allowed", "exprs": [[[], 1]], "rows": [[1, 2]]}), "every row needs one value for each"),
        (model([[0, 1]], {"kind": "circuit", "arcs": [[-1, 0, 0]]}), "-1 is not a node: use numbers from 0"),
        (model([[0, 1]], objective=["least", [], 0]), "the sense of an objective must be min or max"),
        (model([[0, 1]], hints=[[3, 1]]), "3 is not a variable of the model"),
        (model([[0, 1]], {"kind": "or", "literals": [0] * (MAX_TERMS + 1)}), "more than 1,000,000 terms"),
    ],
)
def test_a_model_is_read_strictly(document, problem):
    with pytest.raises(Malformed) as error:
        read_model(document)
    assert problem in str(error.value)
    answer = answer_solve(json.dumps([[document], {}]))
    assert (answer.reply, answer.units) == ({"error": str(error.value), "kind": "ValueError"}, 0)


@pytest.mark.parametrize(
    "options", ['{"max_work": 0}', '{"max_work": NaN}', '{"max_work": "5"}', '{"max_work": true}', '{"x": 1}', "[]"]
)
def test_options_are_read_strictly(options):
    with pytest.raises(Malformed):
        read_question(f"[[{json.dumps(model([[0, 1]]))}], {options}]")


def test_a_model_cannot_take_more_work_than_the_limit():
    text = json.dumps([[model([[0, 1]])], {"max_work": 1000}])
    assert read_question(text)[1] == 5.0
    assert read_question(text.replace("1000", "0.5"))[1] == 0.5


def hard_model():
    """A knapsack with 60 nearly equal items, which no limit below proves."""
    weights = [10_000 + (number * 7919) % 997 for number in range(60)]
    terms = [[number, weight] for number, weight in enumerate(weights)]
    spread = [[number, (number * 104729) % 1009 + 1] for number in range(60)]
    groups = [{"kind": "linear", "terms": spread[start::7], "domain": [1500, 2**53 - 1]} for start in range(7)]
    exact = {"kind": "linear", "terms": terms, "domain": [301_234, 301_239]}
    return model([[0, 1]] * 60, exact, *groups, objective=["min", [[a, b * b % 1013] for a, b in spread], 0])


def test_a_limit_of_work_is_deterministic_and_charged():
    question = json.dumps([[hard_model()], {"max_work": 0.05}])
    first, second = answer_solve(question), answer_solve(question)
    assert first == second
    solution = first.reply["answer"]
    assert 0 < solution["work"] < 1
    assert first.units == -(-solution["work"] * UNITS_PER_WORK // 1)
    if solution["values"] is not None:
        assert find_violation(read_model(hard_model()), solution["values"], solution["objective"]) is None
