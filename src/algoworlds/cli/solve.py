"""`algoworlds solve`: the exact optimum of any instance, whoever made it."""

from typing import Annotated, Any

import typer

from algoworlds.cli.flags import Json, print_json, read_text
from algoworlds.errors import TooLarge


def solve(
    instance: Annotated[str, typer.Argument(metavar="INSTANCE.json", help="A file of JSON tables, or - for standard input.")],
    verify: Annotated[bool, typer.Option("--verify", help="Solve again with the independent algorithm and compare.")] = False,
    json: Json = False,
) -> None:
    """Solve an instance exactly: optimal value and decision, whether it is unique, and the work it took.

    Exit codes: 0 solved, 1 the two algorithms disagree, 2 the instance cannot be solved, 3 solved, but too large to verify.
    """
    from algoworlds.families import family, read_instance

    given = read_instance(read_text(instance))
    solver = family(given.family)
    solution = solver.solve(given)
    verified, unverified = None, None
    if verify:
        try:
            verified = solution.agrees(solver.verify(given))
        except TooLarge as problem:
            unverified = str(problem)
    parts = dict(solver.check(given, solution.decision).parts) if solution.feasible else {}
    result: dict[str, Any] = {
        "family": solver.name,
        "sense": solver.sense.value,
        "feasible": solution.feasible,
        "value": solution.value,
        "parts": parts,
        "unique": solution.unique,
        "decision": solver.decision.arguments(solution.decision) if solution.feasible else None,
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


def _print(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.pretty import Pretty

    console = Console(highlight=False)
    if not result["feasible"]:
        console.print(f"[bold]{result['family']}[/]: no decision satisfies the constraints")
    else:
        best = "least" if result["sense"] == "min" else "largest"
        parts = " + ".join(f"{name} {value:,}" for name, value in result["parts"].items())
        console.print(f"[bold]{result['family']}[/]: {best} value [bold green]{result['value']:,}[/] = {parts}")
        console.print("unique optimum" if result["unique"] else "several decisions attain it; one of them:")
        console.print(Pretty(result["decision"]))
    console.print("work: " + ", ".join(f"{name} {value:,}" for name, value in result["work"].items()))
    if result["verified"] is not None:
        console.print("verification: agrees" if result["verified"] else "[bold red]verification: DISAGREES[/]")
    if result["unverified"] is not None:
        console.print(f"verification: not made, {result['unverified']}", soft_wrap=True)
