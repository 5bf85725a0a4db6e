"""A small policy learns to dispatch a fleet: imitation of certified optima on fresh worlds, no GPU, a few minutes.

    python examples/learn/learn.py --out learned    # the picture needs: pip install 'algoworlds[report]'

The policy reads a world by its cheaper plan and then assigns job after job, the heaviest first, to the vehicle that its network
scores highest; whatever fits nowhere makes the decision infeasible, and worth nothing. It learns on the stream's split `train`,
world after world, what the certified optimum would do next; every so often it plays worlds of the split `test`, which it never
learns from. Before the first lesson its scores are random numbers: that is the start of the curve.
"""

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import algoworlds as aw

FAMILY = "fleet_dispatch"
SEED = "learning to dispatch"
HIDDEN, RATE, SLOWER = 32, 0.003, 1_000
"""Hidden units; the rate of learning, and the steps after which half of it is left."""
LESSONS = (0, 5, 10, 25, 50, 100, 200, 400, 800, 1600)
"""After how many worlds the policy is tested."""
TESTS = 200


@dataclass
class Dispatch:
    """An instance half dispatched: which job is next, what room is left, and which vehicles are on their way."""

    fleet: Any
    room: dict[str, int] = field(init=False)
    open: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.room = dict(self.fleet.capacity)
        self.waiting = sorted(self.fleet.job, key=lambda j: (-self.fleet.load[j], j))
        costs = self.fleet.route_cost
        self.typical = {v: sum(costs[v, j] for j in self.fleet.job) / len(self.fleet.job) for v in self.fleet.vehicle}

    def able(self) -> list[str]:
        """The vehicles that can take the next job."""
        job = self.waiting[0]
        return [v for v in self.fleet.vehicle if self.fleet.eligible[v, job] and self.room[v] >= self.fleet.load[job]]

    def send(self, vehicle: str) -> None:
        """Give the next job to a vehicle."""
        job = self.waiting.pop(0)
        self.room[vehicle] -= self.fleet.load[job]
        self.open.add(vehicle)

    def seen(self, vehicles: list[str]) -> np.ndarray:
        """What the policy looks at, one row a vehicle: its own numbers, and how they stand among the others."""
        fleet, job = self.fleet, self.waiting[0]
        left = sum(fleet.load[j] for j in self.waiting)
        spare = sum(self.room[v] for v in self.open) - left
        rows = []
        for v in vehicles:
            new, rest = v not in self.open, self.room[v] - fleet.load[job]
            rivals = [fleet.activation[u] for u in fleet.vehicle if u not in self.open and u != v]
            rows.append(
                (
                    fleet.route_cost[v, job] / 10_000,
                    self.typical[v] / 10_000,
                    new * fleet.activation[v] / 100_000,
                    new * (fleet.activation[v] - min(rivals, default=0)) / 100_000,
                    new * (fleet.activation[v] - max(rivals, default=0)) / 100_000,
                    new * 1.0,
                    new * (spare >= 0) * 1.0,
                    new * max(0, -spare) / 10,
                    rest / 5,
                    (rest == 0) * 1.0,
                    self.room[v] / 5,
                    len(self.open) / 4,
                )
            )
        return np.array(rows)


class Policy:
    """Scores of vehicles: a network with one hidden layer, taught by Adam."""

    def __init__(self, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.weights = [random.normal(0, 0.5, (12, HIDDEN)), np.zeros(HIDDEN), random.normal(0, 0.5, HIDDEN)]
        self._moments = [[np.zeros_like(each) for each in self.weights] for _ in range(2)]
        self._steps = 0

    def scores(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The scores, and the hidden layer behind them."""
        hidden = np.tanh(seen @ self.weights[0] + self.weights[1])
        return hidden @ self.weights[2], hidden

    def learn(self, seen: np.ndarray, right: int) -> None:
        """One step towards what was right: the gradient of the cross-entropy of a softmax over the scores."""
        scores, hidden = self.scores(seen)
        wrong = np.exp(scores - scores.max())
        wrong /= wrong.sum()
        wrong[right] -= 1
        back = np.outer(wrong, self.weights[2]) * (1 - hidden**2)
        self._steps += 1
        for at, gradient in enumerate((seen.T @ back, back.sum(0), hidden.T @ wrong)):
            mean, square = self._moments[0][at], self._moments[1][at]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            fair = np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            self.weights[at] -= RATE / (1 + self._steps / SLOWER) * mean / (1 - 0.9**self._steps) / fair

    def __call__(self, play: aw.Play) -> None:
        """Play a world: read by the cheaper plan, decide job by job, submit."""
        world = play.episode.world
        for call in min(world.plans.values(), key=world.cost):
            play.call(*call)
        state, chosen = Dispatch(world.rebuild(play.episode.facts)), dict[str, str]()
        while state.waiting and (able := state.able()):
            job, vehicle = state.waiting[0], able[int(np.argmax(self.scores(state.seen(able))[0]))]
            chosen[job] = vehicle
            state.send(vehicle)
        play.call(world.family.template.closing.submit, world.family.decision.arguments(chosen))


def teach(policy: Policy, fresh: aw.Fresh) -> None:
    """One lesson: what the certified optimum of a world does, job by job."""
    state = Dispatch(fresh.world.instance)
    while state.waiting:
        able, right = state.able(), fresh.key.decision[state.waiting[0]]
        policy.learn(state.seen(able), able.index(right))
        state.send(right)


def course(lessons: tuple[int, ...] = LESSONS, tests: int = TESTS) -> list[dict[str, float]]:
    """Learn, and test after so many lessons: held-out utility in points, and the shares of feasible and of exact decisions."""
    streams = {split: aw.stream(SEED, FAMILY, levels=(0,), interfaces=("direct",), split=split) for split in ("train", "test")}
    policy, curve, taught = Policy(), list[dict[str, float]](), 0
    held_out = list(streams["test"][:tests])
    for goal in lessons:
        for fresh in streams["train"][taught:goal]:
            teach(policy, fresh)
        taught = goal
        records = [each.record for each in aw.rollouts(policy, held_out, reward="utility")]
        means = {name: sum(each[name] for each in records) / tests for name in ("utility", "feasible", "exact")}
        curve.append({"worlds": goal, **means})
        print("after {worlds:5} worlds: utility {utility:5.1f}, feasible {feasible:.0%}, exact {exact:.0%}".format(**curve[-1]))
    return curve


def draw(curve: list[dict[str, float]], path: Path) -> None:
    """The curve as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([f"{each['worlds']:,}" for each in curve], [each["utility"] for each in curve], marker="o", color="black")
    axes.set(xlabel="worlds learned from", ylabel="held-out utility, points", ylim=(0, 100), title="Fleet Dispatch, level 0")
    figure.savefig(path, dpi=150)


def main() -> None:
    """Learn, and write the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("learned"), help="where curve.json and curve.png go")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    curve = course()
    (out / "curve.json").write_text(json.dumps(curve, indent=1) + "\n")
    draw(curve, out / "curve.png")


if __name__ == "__main__":
    main()
