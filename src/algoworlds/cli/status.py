"""`algoworlds status`: how far a run is."""

from algoworlds.cli.options import JsonOption, RunArgument
from algoworlds.cli.output import print_json
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import format_value
from algoworlds.grid import to_one_line


def status(directory: RunArgument, json: JsonOption = False) -> None:
    """Show how far a run is: finished and pending evaluations, outcomes, stop reasons, tokens, cost, attempts."""
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.status import run_status

    (print_json if json else print_status)(run_status(RunDirectory(directory)))


def print_status(status: JsonObject) -> None:
    """Print the document of `run_status` for a person."""
    rate = 100 * status["exact"] / status["finished"] if status["finished"] else 0.0
    finished = f"{status['finished']} of {status['scheduled']} evaluations finished"
    lines = [f"{format_value(status['configuration'])}: {finished}, {rate:.1f} % exact"]
    for name in ("outcomes", "stop_reasons"):
        counts = ", ".join(f"{key} {count}" for key, count in status[name].items())
        lines.append(f"  {name.replace('_', ' ')}: {counts or 'none'}")
    if status["kind"] == "external":
        lines.append(f"  agents started again: {status['restarts']}")
        for kind, reason in status["reasons"].items():
            lines.append(f"  the last {kind}: {reason}; what was printed is under output/")
    if status["kind"] == "model":
        cost = "unknown" if status["cost"] is None else f"{status['cost']:.2f} USD"
        tokens = ", ".join(f"{kind} {count:,}" for kind, count in status["tokens"].items() if count is not None)
        lines.append(
            f"  tokens: {tokens or 'unknown'}; cost: {cost}; requests {status['requests']}, retried {status['retries']}"
        )
        for kind, count in status["faults"].items():
            reason = status["reasons"][kind]
            lines.append(f"  {count} requests failed with {kind}" + (f", the last: {reason}" if reason else ""))
    for line in lines:
        print(f"{'  ' if line.startswith('  ') else ''}{to_one_line(line)}")
