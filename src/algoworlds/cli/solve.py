"""`algoworlds solve`: the exact optimum of any instance in JSON."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from algoworlds.cli.options import JsonOption, read_text
from algoworlds.cli.output import print_json, print_rows
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import TooLarge


def solve(
    instance: Annotated[str, typer.Argument(metavar="INSTANCE.json", help="A file of JSON tables, or - for standard input.")],
    verify: Annotated[bool, typer.Option("--verify", help="Solve again with the independent algorithm and compare.")] = False,
    json: JsonOption = False,
) -> None:
    """Solve an instance exactly: optimal value and decision, whether it is unique, and the work it took.

    Exit codes: 0 solved, 1 the two algorithms disagree, 2 the instance cannot be solved, 3 solved, but too large to verify.
    """
    from algoworlds.families import load_family, read_instance

    parsed = read_instance(read_text(instance))
    family = load_family(parsed.family)
    solution = family.solve(parsed)
    verified, unverified = None, None
    if verify:
        try:
            verified = solution.agrees_with(family.verify(parsed))
        except TooLarge as problem:
            unverified = str(problem)
    result: JsonObject = {
        "family": family.name,
        "sense": family.sense.value,
        "feasible": solution.feasible,
        "value": solution.value,
        "parts": dict(family.check(parsed, solution.decision).parts) if solution.feasible else {},
        "unique": solution.unique,
        "decision": family.decision.arguments(solution.decision) if solution.feasible else None,
        "work": solution.work._asdict() | {"total": solution.work.total},
        "verified": verified,
        "unverified": unverified,
    }
    if json:
        print_json(result)
    else:
        _print(result)
    if verified is False or unverified is not None:
        raise typer.Exit(1 if unverified is None else 3)


def _print(result: JsonObject) -> None:
    from algoworlds.cli.console import SafeConsole

    console = SafeConsole()
    if not result["feasible"]:
        console.print(f"[bold]{result['family']}[/]: no decision satisfies the constraints")
    else:
        best = "least" if result["sense"] == "min" else "largest"
        console.print(f"[bold]{result['family']}[/]: {best} value [bold green]{result['value']:,}[/]\n")
        _print_values(("term", "value"), [*result["parts"].items(), ("objective", result["value"])])
        console.print("unique optimum:" if result["unique"] else "several decisions attain it; one of them:")
        for name, chosen in result["decision"].items():
            if isinstance(chosen, dict):
                _print_values((name, "chosen"), chosen.items())
            else:
                _print_values(("position", name), enumerate(chosen, 1))
    _print_values(("work", "operations"), result["work"].items())
    if result["verified"] is not None:
        console.print("verification: agrees" if result["verified"] else "[bold red]verification: DISAGREES[/]")
    if result["unverified"] is not None:
        console.print(f"verification: not made, {result['unverified']}", soft_wrap=True)


def _print_values(head: tuple[str, str], rows: Iterable[tuple[Any, Any]]) -> None:
    from algoworlds.core.canonical import compact_json

    def to_text(value: Any) -> str:
        return f"{value:,}" if isinstance(value, int) else value if isinstance(value, str) else compact_json(value)

    print_rows(head, [tuple(map(to_text, row)) for row in rows])
