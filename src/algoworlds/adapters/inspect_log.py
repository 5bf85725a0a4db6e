"""Imports Inspect logs as runs: the calls in a sample's messages are replayed."""

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from algoworlds.adapters.trajectory_import import ImportedCall, ImportedTrajectory
from algoworlds.core.tool import Call, call_from_input
from algoworlds.errors import InputError, format_value
from algoworlds.suites.development import development_split
from algoworlds.tracks.track import BARE


def suite_path_from_log(path: Path) -> Path:
    """The path of the suite that the log at `path` names; InputError if the suite is not there any more."""
    suite = _read_eval_log(path, header_only=True).eval.task_args.get("suite")
    if suite is None:  # the development split, which Inspect has built
        return development_split()
    if not isinstance(suite, str) or not Path(suite).is_dir():
        raise InputError(f"the suite of {format_value(path)} is not where it was played: name it with --suite")
    return Path(suite)


def track_from_log(path: Path) -> str:
    """The track of the log at `path`."""
    return str(_read_eval_log(path, header_only=True).eval.task_args.get("track", BARE.name))


def read_log(path: Path) -> list[ImportedTrajectory]:
    """Every sample of a log; InputError if one is unfinished, since a run has no gaps."""
    log = _read_eval_log(path, header_only=False)
    if log.status != "success" or not log.samples:
        raise InputError(f"{format_value(path)} is of an evaluation that did not succeed: finish it with inspect eval-retry")
    version = str(log.eval.packages.get("inspect_ai"))
    harness = {"name": f"inspect {log.eval.task}", "version": version, "model_name": log.eval.model}
    return [_decode_sample(sample, harness) for sample in log.samples]


def _read_eval_log(path: Path, header_only: bool) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError:
        raise InputError(f"reading {format_value(path)} needs an extra: pip install 'algoworlds[inspect]'") from None
    try:
        return read_eval_log(str(path), header_only=header_only)
    except Exception as problem:  # the readers of its several formats raise many types
        raise InputError(f"{format_value(path)} is not an Inspect log: {format_value(type(problem).__name__)}") from None


def _decode_sample(sample: Any, harness: dict[str, str]) -> ImportedTrajectory:
    if sample.error is not None:
        raise InputError(
            f"sample {format_value(sample.id)} ended in an error of the harness: run it again with inspect eval-retry"
        )
    name = f"{sample.id}, epoch {sample.epoch}"
    return ImportedTrajectory(name, "", str(sample.id), sample.epoch, tuple(_decode_calls(sample.messages)), harness)


def _decode_calls(messages: list[Any]) -> Iterator[ImportedCall]:
    """Every call with its response from the tool messages after it; the calls of a last, cut-off turn were not executed."""
    for number, message in enumerate(messages[:-1]):
        if message.role == "assistant":
            tool_messages = takewhile(lambda later: later.role == "tool", messages[number + 1 :])
            responses = {later.tool_call_id: later.text for later in tool_messages}
            for encoded in message.tool_calls or ():
                name = encoded.function
                call = Call(name, "") if encoded.parse_error else call_from_input(name, encoded.arguments)
                yield ImportedCall(number, call, responses.get(encoded.id))
