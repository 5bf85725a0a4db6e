"""A small policy learns to dispatch a fleet by imitating certified optima on fresh worlds: no GPU, a few minutes.

    python examples/learn/learn.py --out learned    # the picture needs: pip install 'algoworlds[report]'

The policy reads a world by its cheaper plan and then assigns the jobs, heaviest first, to the vehicle that its network scores
highest; a job that fits nowhere makes the decision infeasible, and worth nothing. On worlds of the stream's split `train`
it learns the next step of the certified optimum; between lessons it plays worlds of the split `test`, from which it never
learns. Before the first lesson its scores are random: that is the start of the curve.
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
HIDDEN_UNITS, LEARNING_RATE, HALVING_STEPS = 32, 0.003, 1_000
"""The learning rate is halved after `HALVING_STEPS` steps."""
LESSONS = (0, 5, 10, 25, 50, 100, 200, 400, 800, 1600)
"""Numbers of training worlds after which the policy is tested."""
TESTS = 200


@dataclass
class Dispatch:
    """A partial assignment: the waiting jobs, the room left in each vehicle, and the vehicles in use."""

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
        """Assign the next job to `vehicle`."""
        job = self.waiting.pop(0)
        self.room[vehicle] -= self.fleet.load[job]
        self.open.add(vehicle)

    def features(self, vehicles: list[str]) -> np.ndarray:
        """The policy's input, one row per vehicle: its own numbers, and their comparison with other vehicles."""
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
    """Scores vehicles by a network with one hidden layer, trained by Adam."""

    def __init__(self, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.weights = [random.normal(0, 0.5, (12, HIDDEN_UNITS)), np.zeros(HIDDEN_UNITS), random.normal(0, 0.5, HIDDEN_UNITS)]
        self._moments = [[np.zeros_like(weight) for weight in self.weights] for _ in range(2)]
        self._steps = 0

    def scores(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The scores, and the activations of the hidden layer."""
        hidden = np.tanh(features @ self.weights[0] + self.weights[1])
        return hidden @ self.weights[2], hidden

    def learn(self, features: np.ndarray, right: int) -> None:
        """One Adam step on the cross-entropy of a softmax over the scores; `right` is the index of the optimal vehicle."""
        scores, hidden = self.scores(features)
        error = np.exp(scores - scores.max())
        error /= error.sum()
        error[right] -= 1
        back = np.outer(error, self.weights[2]) * (1 - hidden**2)
        self._steps += 1
        rate = LEARNING_RATE / (1 + self._steps / HALVING_STEPS)
        for at, gradient in enumerate((features.T @ back, back.sum(0), hidden.T @ error)):
            mean, square = self._moments[0][at], self._moments[1][at]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            scale = np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            self.weights[at] -= rate * mean / (1 - 0.9**self._steps) / scale

    def __call__(self, play: aw.Play) -> None:
        """Play a world: read by the cheaper plan, assign job by job, submit."""
        world = play.episode.world
        for call in min(world.plans.values(), key=world.cost):
            play.call(*call)
        state, chosen = Dispatch(world.instance_from_facts(play.episode.facts)), dict[str, str]()
        while state.waiting and (able := state.able()):
            job, vehicle = state.waiting[0], able[int(np.argmax(self.scores(state.features(able))[0]))]
            chosen[job] = vehicle
            state.send(vehicle)
        play.call(world.family.template.decision_tools.submit, world.family.decision.arguments(chosen))


def teach(policy: Policy, fresh: aw.StreamWorld) -> None:
    """One lesson: follow the certified optimum of a world, job by job."""
    state = Dispatch(fresh.world.instance)
    while state.waiting:
        able, right = state.able(), fresh.key.decision[state.waiting[0]]
        policy.learn(state.features(able), able.index(right))
        state.send(right)


def course(lessons: tuple[int, ...] = LESSONS, tests: int = TESTS) -> list[dict[str, float]]:
    """Learn, and test after each of `lessons`: held-out utility in points, and the shares of feasible and exact decisions."""
    streams = {split: aw.stream(SEED, FAMILY, levels=(0,), interfaces=("direct",), split=split) for split in ("train", "test")}
    policy, curve, taught = Policy(), list[dict[str, float]](), 0
    held_out = list(streams["test"][:tests])
    for goal in lessons:
        for fresh in streams["train"][taught:goal]:
            teach(policy, fresh)
        taught = goal
        records = [rollout.record for rollout in aw.rollouts(policy, held_out, reward="utility")]
        means = {name: sum(record[name] for record in records) / tests for name in ("utility", "feasible", "exact")}
        curve.append({"worlds": goal, **means})
        print("after {worlds:5} worlds: utility {utility:5.1f}, feasible {feasible:.0%}, exact {exact:.0%}".format(**curve[-1]))
    return curve


def draw(curve: list[dict[str, float]], path: Path) -> None:
    """Write the learning curve as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.subplots()
    worlds, utilities = [f"{point['worlds']:,}" for point in curve], [point["utility"] for point in curve]
    axes.plot(worlds, utilities, marker="o", color="black")
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
