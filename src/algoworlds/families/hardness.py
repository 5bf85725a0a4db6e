"""The optional block `Hardness`: what admission, the shortcut claims and the attack panel need to attack a family.

The functions below it are for family authors: blind instances, fitted columns, and searches that several families share.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from algoworlds.core.decision import Verdict
from algoworlds.core.instance import Instance
from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.errors import DeclarationError, InstanceError
from algoworlds.families.search_space import SearchSpace

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
Y = TypeVar("Y")
S = TypeVar("S", bound=Hashable)
C = TypeVar("C")


@dataclass(frozen=True)
class Concession:
    """A goal of docs/hardness.md that a family misses at a level: the figure it is held to instead, and why."""

    goal: str
    level: int
    limit: float
    why: str


@dataclass(frozen=True)
class Hardness(Generic[I, Y]):
    """Ways to decide without the exact algorithm or without all information. Every field is optional."""

    blind: Mapping[str, Callable[[I], I] | Mapping[str, Any]] = field(default_factory=dict)
    """Named ways to erase one channel's information; an exact solver that sees only the result must miss the optimum.

    A way is a function, or tables with the value that replaces every entry: `{"load": 1}`.
    """
    fits: Mapping[str, Callable[[I], I]] = field(default_factory=dict)
    """Named ways to guess one column from others."""
    completions: Mapping[str, Callable[[I], I]] = field(default_factory=dict)
    """Named ways to infer unread numbers of several tables from read ones; tables keyed by pairs need none."""
    search_space: Callable[[I], SearchSpace[Y]] | None = None
    """What can be done with an instance by hand, for the attack panel; needs `sample`, and `descend` or `neighbourhood`."""
    concessions: tuple[Concession, ...] = ()
    """Goals that the family is known to miss; its page, the attack panel and validation read them here."""
    sample: Callable[[I, Stream], Y] | None = None
    """A feasible decision at random."""
    descend: Callable[[I, Y], Y] | None = None
    """One local-search descent from a feasible decision."""
    neighbourhood: Callable[[I], Callable[[Y], Iterable[Y]]] | None = None
    """Instead of `descend`: for an instance, the function from a decision to its neighbours; `Family` descends steepest."""

    def __post_init__(self) -> None:
        for name in ("blind", "fits", "completions"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if self.search_space is not None and (self.sample is None or (self.descend or self.neighbourhood) is None):
            raise DeclarationError("Hardness(search_space=...) needs sample and descend as well: attackers start from them")

    def blind_instances(self, instance: I) -> Iterator[tuple[str, I]]:
        """The instance with the information of one channel erased, in every way of `blind`."""
        for name, erase in self.blind.items():
            yield name, _erase_tables(instance, erase) if isinstance(erase, Mapping) else erase(instance)

    def samples(self, instance: I, stream: Stream, count: int) -> list[Y]:
        """`count` feasible decisions at random; none if the family declares no `sample`."""
        return [] if self.sample is None else [self.sample(instance, stream) for _ in range(count)]

    def concession_for(self, goal: str, level: int) -> Concession | None:
        """The concession for `goal` at `level`; None if the family is held to the goal itself."""
        return next((one for one in self.concessions if (one.goal, one.level) == (goal, level)), None)


def _erase_tables(instance: I, values: Mapping[str, Any]) -> I:
    """The instance with every entry of the named tables replaced by the value given for that table."""
    tables = {name: instance.tables[name] for name in values}
    flat = {name: dict.fromkeys(table, values[name]) for name, table in tables.items() if isinstance(table, Mapping)}
    return instance.unchecked(**(dict(values) | flat))


def fit_line(inputs: Sequence[int], outputs: Sequence[int]) -> list[int]:
    """The least-squares line through (`inputs`, `outputs`), evaluated at the inputs and rounded down; for `Hardness.fits`."""
    n, total_x, total_y = len(inputs), sum(inputs), sum(outputs)
    spread = sum((n * x - total_x) ** 2 for x in inputs)
    slope = sum((n * x - total_x) * (n * y - total_y) for x, y in zip(inputs, outputs, strict=True))
    return [(total_y + (slope * (n * x - total_x) // spread if spread else 0)) // n for x in inputs]


def depth_first_search(
    root: S, complete: Callable[[S], bool], branches: Callable[[S], Iterator[tuple[C, S]]], failure: str
) -> list[C]:
    """The choices along the first path from `root` to a complete state; InstanceError(`failure`) if no path exists."""
    dead_ends: set[S] = set()
    choices: list[C] = []
    path = [(root, branches(root))]
    while not complete(path[-1][0]):
        state, untried = path[-1]
        step = next(((choice, after) for choice, after in untried if after not in dead_ends), None)
        if step is not None:
            choices.append(step[0])
            path.append((step[1], branches(step[1])))
            continue
        dead_ends.add(state)
        path.pop()
        if not path:
            raise InstanceError(failure)
        choices.pop()
    return choices


def steepest_descent(check: Callable[[Y], Verdict], sense: Sense, start: Y, neighbours: Callable[[Y], Iterable[Y]]) -> Y:
    """Move to the best feasible neighbour until none is better; ties go to the first."""
    best, best_value = start, check(start).value
    if best_value is None:
        raise ValueError("descent starts from a feasible decision")
    while True:
        here = best
        for neighbour in neighbours(here):
            value = check(neighbour).value
            if value is not None and sense.is_better(value, than=best_value):
                best, best_value = neighbour, value
        if best is here:
            return here
