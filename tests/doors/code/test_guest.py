"""What a program finds inside the sandbox, and how its end is told."""

import json
import time

import pytest

from algoworlds.tracks.sandbox import FINISHED, LIMIT, MAX_OUTPUT_CHARS, HostReply

LIMIT_OF_TEST = 10**10


def run(sandbox, program, values=None, functions=None):
    return sandbox.run_program(program, {"answers": []} if values is None else values, functions or {}, LIMIT_OF_TEST)


def test_values_are_set_and_nothing_is_kept(sandbox):
    values = {"task": {"job": ["a", "b"], "offset": 7}, "answers": [{"tool": "read_job", "answer": {"records": {}}}]}
    assert (
        run(sandbox, "print(task['offset'], answers[0]['tool'], __name__); kept = 1", values).output == "7 read_job __main__\n"
    )
    assert (
        run(sandbox, "print(kept)", values).error == "line 1, in <module>: print(kept)\nNameError: name 'kept' is not defined"
    )


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("def f(x):\n  return x['a']\nf({})", "line 3, in <module>: f({})\nline 2, in f: return x['a']\nKeyError: 'a'"),
        ("x = (", "line 1: x = (\nSyntaxError: '(' was never closed (program.py, line 1)"),
        ("import numpy", "ModuleNotFoundError: No module named 'numpy': only modules of the standard library are here"),
        ("import ssl", "ModuleNotFoundError: No module named 'ssl': this module of the standard library is not here"),
        ("open('x')", "PermissionError: There are no files here"),
        ("import sys; sys.exit('done')", "SystemExit: done"),
        ("import sys; sys.exit()", ""),
    ],
)
def test_errors_name_the_lines_of_the_program(sandbox, program, error):
    result = run(sandbox, program)
    assert result.end == FINISHED
    assert result.error.endswith(error)
    assert bool(result.error) == bool(error)


def test_a_long_traceback_keeps_its_first_two_and_last_five_lines(sandbox):
    lines = run(sandbox, "def f(n):\n  return f(n + 1) if n < 50 else 1 / 0\nf(0)").error.splitlines()
    assert [lines[0], lines[2], len(lines)] == ["line 3, in <module>: f(0)", "...", 2 + 1 + 5 + 1]
    assert lines[-1] == "ZeroDivisionError: division by zero"


def test_a_program_can_print_its_own_traceback(sandbox):
    program = "import traceback\ntry:\n  1 / 0\nexcept ZeroDivisionError:\n  traceback.print_exc()"
    assert "    1 / 0\n" in run(sandbox, program).output


def test_classes_of_a_program_know_their_module(sandbox):
    program = "import dataclasses, pickle\n@dataclasses.dataclass\nclass A:\n  x: int\nprint(pickle.loads(pickle.dumps(A(3))))"
    assert run(sandbox, program).output == "A(x=3)\n"


def test_output_is_cut_at_the_limit(sandbox):
    assert len(run(sandbox, "print('x' * 30_000); print('y')").output) == MAX_OUTPUT_CHARS
    assert run(sandbox, "print('x' * 19_999)").output == "x" * 19_999 + "\n"


def test_what_was_printed_before_the_limit_is_shown(sandbox):
    result = run(sandbox, "print('best so far', 7)\nwhile True: pass")
    assert [result.end, result.output, result.instructions] == [LIMIT, "best so far 7\n", LIMIT_OF_TEST]


def test_the_clock_lets_waiting_loops_end(sandbox):
    program = (
        "import time\nstart = time.time()\nwhile time.time() - start < 1: pass\ntime.sleep(60)\nprint(time.time() - start > 60)"
    )
    assert run(sandbox, program).output == "True\n"


@pytest.mark.parametrize("kind", ["ValueError", "InstanceError", "TooLarge"])
def test_a_refused_question_is_an_exception_that_programs_can_catch(sandbox, kind):
    functions = {"optimum": lambda name, text: HostReply({"error": "no", "kind": kind})}
    program = "try: optimum({})\nexcept ValueError as problem: print(type(problem).__name__, problem)"
    assert run(sandbox, program, functions=functions).output == f"{kind} no\n"


def test_questions_are_recorded_and_charged(sandbox):
    functions = {"optimum": lambda name, text: HostReply({"answer": json.loads(text)[0][0]}, 10)}
    result = sandbox.run_program("print(optimum(1), optimum(2))", {}, functions, LIMIT_OF_TEST)
    assert result.output == "1 2\n"
    assert [(question.name, question.reply, question.units) for question in result.questions] == [
        ("optimum", {"answer": 1}, 10),
        ("optimum", {"answer": 2}, 10),
    ]


def test_questions_end_when_their_charges_reach_what_is_left(sandbox):
    functions = {"optimum": lambda name, text: HostReply({"answer": 1}, 10)}
    program = "for n in range(9):\n  print(optimum(n))"
    result = sandbox.run_program(program, {}, functions, LIMIT_OF_TEST, ask_limit=15)
    assert result.output == "1\n1\n"
    assert result.error.endswith("ValueError: nothing is left to compute with")


def test_an_executed_call_is_appended_to_the_answers(sandbox):
    def call(name, text):
        (tool, _), _ = json.loads(text)
        return HostReply({"answer": {"records": tool}, "executed": tool == "read_job"})

    program = "call('read_job', {'job': 'a'}); print(call('read_job')); call('nothing'); print(len(answers), answers[0])"
    expected = "{'records': 'read_job'}\n2 {'tool': 'read_job', 'arguments': {'job': 'a'}, 'answer': {'records': 'read_job'}}\n"
    assert run(sandbox, program, functions={"call": call}).output == expected


def test_a_trivial_program_costs_at_most_five_milliseconds_and_large_answers_sixty(sandbox):
    large = {"answers": [["x" * 95] * 8] * 1000}
    assert len(json.dumps(large)) > 783_000
    for values, milliseconds in (({"answers": []}, 5), (large, 60)):
        start = time.process_time()
        for _ in range(20):
            run(sandbox, "pass", values)
        assert (time.process_time() - start) / 20 * 1000 <= milliseconds
