"""Logs of Inspect as runs: what a sample's messages hold is played again."""

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from algoworlds.adapters.adopting import Brought, Heard
from algoworlds.core.given import given
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, shown


def suite_of_log(path: Path) -> Path:
    """The suite that a log says was played, where it lay then."""
    place = _read(path, header_only=True).eval.task_args.get("suite")
    if not isinstance(place, str) or not Path(place).is_dir():
        raise InputError(f"the suite of {shown(path)} is not where it was played: name it with --suite")
    return Path(place)


def read_log(path: Path) -> list[Brought]:
    """Every sample of a log; InputError for one that did not come to its end, since a run has no gaps."""
    log = _read(path, header_only=False)
    if log.status != "success" or not log.samples:
        raise InputError(f"{shown(path)} is of an evaluation that did not succeed: finish it with inspect eval-retry")
    harness = {
        "name": f"inspect {log.eval.task}",
        "version": str(log.eval.packages.get("inspect_ai")),
        "model_name": log.eval.model,
    }
    return [_brought(sample, harness) for sample in log.samples]


def _read(path: Path, header_only: bool) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError:
        raise InputError(f"reading {shown(path)} needs an extra: pip install 'algoworlds[inspect]'") from None
    try:
        return read_eval_log(str(path), header_only=header_only)
    except Exception as problem:  # whatever its readers of several formats end in
        raise InputError(f"{shown(path)} is no log of Inspect: {shown(type(problem).__name__)}") from None


def _brought(sample: Any, harness: dict[str, str]) -> Brought:
    if sample.error is not None:
        raise InputError(f"sample {shown(sample.id)} ended in an error of the harness: run it again with inspect eval-retry")
    return Brought(f"{sample.id}, epoch {sample.epoch}", "", str(sample.id), sample.epoch, tuple(_heard(sample)), harness)


def _heard(sample: Any) -> Iterator[Heard]:
    """Every call with its answer among the messages right behind it; a last turn that was cut off executes nothing."""
    for at, message in enumerate(sample.messages):
        behind = takewhile(lambda each: each.role == "tool", sample.messages[at + 1 :])
        answers = {each.tool_call_id: each.text for each in behind}
        if message.role != "assistant" or message is sample.messages[-1]:
            continue
        for call in message.tool_calls or ():
            made = Call(call.function, "") if call.parse_error else given(call.function, call.arguments)
            yield Heard(at, made, answers.get(call.id))
