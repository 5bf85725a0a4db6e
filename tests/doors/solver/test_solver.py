"""`cp_model` in the sandbox: models in both spellings of OR-Tools, solved in the worker process."""

import re

import pytest

from algoworlds.errors import InputError
from algoworlds.tracks import solving
from algoworlds.tracks.solving import find_violation, read_model
from algoworlds.tracks.workers import ProgramRequest, run_in_worker

HEAD = "from ortools.sat.python import cp_model\nm = cp_model.CpModel()\n"


def run(text, functions=("solve",), left=10**6):
    return run_in_worker(ProgramRequest(HEAD + text, {"answers": []}, functions, 10**11, left), {})


EVERY_METHOD = """
x = [m.new_int_var(-5, 5, f"x{i}") for i in range(4)]
b = [m.new_bool_var(f"b{i}") for i in range(4)]
m.add(x[0] - 2 * x[1] != 3); m.add(sum(x) == 2).only_enforce_if(b[0], b[1].negated()); m.add_bool_xor(b)
m.add_at_most_one(b[0], b[1]); m.add_implication(b[0], ~b[3]); m.add_all_different(x)
p, mx, mn = (m.new_int_var(-25, 25, "") for _ in range(3))
m.add_multiplication_equality(p, x[0], x[1]); m.add_max_equality(mx, x); m.add_min_equality(mn, *x)
a, md, d = m.new_int_var(0, 10, ""), m.new_int_var(0, 4, ""), m.new_int_var(-5, 5, "")
m.add_abs_equality(a, x[0] - x[1]); m.add_modulo_equality(md, mx + 6, 5); m.add_division_equality(d, x[0] + x[1], 2)
e, i = m.new_int_var(0, 9, ""), m.new_int_var(0, 3, "")
m.add_element(i, [3, 1, 4, x[3]], e)
m.add_allowed_assignments([x[0], x[1]], [(1, 2), (2, 4), (5, -5)]); m.add_forbidden_assignments([x[0], x[1]], [(1, 2)])
arcs = {(s, t): m.new_bool_var("") for s in range(3) for t in range(3) if s != t}
m.add_circuit([(s, t, arc) for (s, t), arc in arcs.items()])
m.add_linear_constraint(x[2] + x[3], 0, 3); m.add_hint(b[0].negated(), 1); m.add_hint(x[0], 2)
m.maximize(p + mx + mn + a + md + d + e + i)
s = cp_model.CpSolver()
s.parameters.max_deterministic_time = 1
s.parameters.num_workers = 3
status = s.solve(m)
print(s.status_name(status), status == cp_model.OPTIMAL, s.objective_value, s.best_objective_bound)
print(s.value(p), s.value(e + 1), s.boolean_value(b[1]), sum(s.boolean_value(arc) for arc in arcs.values()))
"""


def camel_case(text):
    """The same program in the older spelling."""
    for name in re.findall(r"\.(\w+_\w+)\(", text):
        text = text.replace(f".{name}(", f".{''.join(part.capitalize() for part in name.split('_'))}(")
    text = text.replace(".maximize(", ".Maximize(")
    text = text.replace(".add(", ".Add(").replace("s.value(", "s.Value(").replace("s.solve(", "s.Solve(")
    return text.replace("s.objective_value", "s.ObjectiveValue()").replace("s.best_objective_bound", "s.BestObjectiveBound()")


@pytest.mark.parametrize("spelling", [str, camel_case])
def test_every_method_works_in_both_spellings(spelling):
    result = run(spelling(EVERY_METHOD))
    assert result.error == ""
    assert result.output == "OPTIMAL True 25 25\n8 6 False 3\n"
    (question,) = result.questions
    answer = question.reply["answer"]
    assert question.units == -(-answer["work"] * 10_000 // 1)
    assert (question.name, answer["objective"]) == ("solve", 25)


def test_the_recorded_reply_satisfies_the_model():
    text = "x = m.new_int_var(0, 9, 'x'); m.add(3 * x <= 20); m.maximize(x); s = cp_model.CpSolver(); s.solve(m)"
    result = run(f"{text}; print(s.value(x))")
    model = read_model(
        {
            "variables": [[0, 9]],
            "constraints": [{"kind": "linear", "terms": [[0, 3]], "domain": [1 - 2**53, 20]}],
            "objective": ["max", [[0, 1]], 0],
            "hints": [],
        }
    )
    answer = result.questions[0].reply["answer"]
    assert (result.output, answer["values"]) == ("6\n", [6])
    assert find_violation(model, answer["values"], answer["objective"]) is None


MISTAKES = """
y = m.new_bool_var("y"); m.add(y >= 2); print(s.status_name(s.solve(m)))
    INFEASIBLE
y = m.new_bool_var("y"); m.add(y >= 2); s.solve(m); print(s.value(y))
    RuntimeError: there is no solution: the status is INFEASIBLE
s.value(1)
    RuntimeError: no model has been solved yet
m.add_bool_or(m.new_int_var(0, 7, "y")); s.solve(m)
    ValueError: a literal needs a variable from 0 to 1
y = [m.new_bool_var("") for _ in range(50_001)]; s.solve(m)
    ValueError: the model has 50,001 variables; at most 50,000 are allowed
m.new_bool_var("") * m.new_bool_var("")
    TypeError: an integer factor is needed, not IntVar: use add_multiplication_equality for products
m.add(m.new_bool_var("") * 0.5 <= 1)
    TypeError: an integer factor is needed, not float
m.add_no_overlap([])
    AttributeError: 'CpModel' object has no attribute 'add_no_overlap'
x = m.new_bool_var("x"); total = 2 * x + 3; other = total; other += x; print(total.to_json(), other.to_json())
    [[[0, 2]], 3] [[[0, 3]], 3]
e = sum(m.new_bool_var("") for _ in range(100_000)); print(len(e.to_json()[0])); del e; print("done")
    100000 done
x, y = m.new_bool_var("x"), m.new_bool_var("y"); print({x: 1, y: 2}[y], x == x)
    2 True
""".strip().split("\n")


@pytest.mark.parametrize(("text", "expected"), list(zip(MISTAKES[::2], MISTAKES[1::2], strict=True)))
def test_mistakes_are_told_in_words(text, expected):
    result = run("s = cp_model.CpSolver()\n" + text)
    shown = result.output.split() or result.error.splitlines()[-1].split()
    assert shown == expected.split()


def test_solve_is_refused_on_a_track_without_it():
    result = run("m.new_bool_var('x'); cp_model.CpSolver().solve(m)", ())
    assert result.error.endswith("ValueError: solve is not available on this track")


def test_solves_end_when_their_charges_reach_what_is_left():
    text = "x = [m.new_int_var(0, 9, '') for _ in range(20)]; m.add_all_different(x[:10]); m.maximize(sum(x[5:15]) - x[0])\n"
    result = run(f"{text}s = cp_model.CpSolver()\nfor n in range(200): s.solve(m)", left=1)
    assert result.error.endswith("ValueError: nothing is left to compute with")
    assert len(result.questions) < 100


def test_h3_other_version_of_ortools_is_named_in_one_line(monkeypatch):
    monkeypatch.setattr(solving, "installed_version", lambda name: "9.14.1")
    with pytest.raises(
        InputError, match=r"^solving needs ortools 9\.15 \(9\.14\.1 is installed\): pip install 'algoworlds\[solver\]'$"
    ):
        run("pass")
