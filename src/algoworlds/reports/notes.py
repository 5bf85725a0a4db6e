"""Notes of evaluations for the page: why each one ended, and what a model thought, turn by turn.

Records hold neither. Both are read from the journals of the runs, which an archive may lack: then the notes are short.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from algoworlds.errors import InputError
from algoworlds.reports.evaluation import Evaluation, EvaluationId
from algoworlds.runs.details import STOP_REASON_TEXTS, EvaluationDetails, TurnThinking
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Slot
from algoworlds.runs.status import FAILURE_STOP_REASONS
from algoworlds.suites.record import PlayerKind

_EXPLAINED = {Event.CONTEXT_OVERFLOW.value, Event.REFUSAL.value, Event.CONTENT_FILTER.value, *FAILURE_STOP_REASONS}
"""Stop reasons to which the journal or the attempt log may add a message."""


class EvaluationNotes(NamedTuple):
    """Why an evaluation ended, the end of a failed agent's output, and the thinking of a model by turn."""

    ended: str
    output: str = ""
    thinking: tuple[TurnThinking, ...] = ()


def default_notes(evaluation: Evaluation) -> EvaluationNotes:
    """The notes that follow from the record alone."""
    return EvaluationNotes(STOP_REASON_TEXTS[evaluation.stop_reason])


def read_notes(
    runs: Mapping[str, RunDirectory], evaluations: Sequence[Evaluation], with_thinking: bool
) -> dict[EvaluationId, EvaluationNotes]:
    """The notes of all `evaluations` whose run, by label, is in `runs`, if they say more than the record."""
    details = {label: EvaluationDetails(run) for label, run in runs.items() if run.kind is not PlayerKind.AGENT}
    notes = {}
    for evaluation in evaluations:
        if reader := details.get(evaluation.configuration):
            notes[evaluation.id] = _read(reader, evaluation, with_thinking)
    return notes


def _read(reader: EvaluationDetails, evaluation: Evaluation, with_thinking: bool) -> EvaluationNotes:
    notes, slot = default_notes(evaluation), Slot(evaluation.world, evaluation.trial)
    try:
        if evaluation.stop_reason in _EXPLAINED:
            state = reader.state(slot)
            output = state.output if evaluation.stop_reason in FAILURE_STOP_REASONS else ""
            notes = notes._replace(ended=state.explanation, output=output)
        return notes._replace(thinking=tuple(reader.thinking(slot))) if with_thinking else notes
    except InputError:  # the records are sound, and only they are counted
        return notes._replace(ended=f"{notes.ended} (its journal cannot be read)")
