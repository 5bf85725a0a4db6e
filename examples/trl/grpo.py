"""Train a language model on fresh worlds with TRL's GRPO; `--rehearse` plays the environments alone, without TRL and a GPU.

pip install algoworlds trl 'transformers>=5.2'
python examples/trl/grpo.py --model Qwen/Qwen3-4B --families fleet_dispatch --reward gain --worlds 4096
"""

import argparse
import json

from algoworlds.adapters.syllabus import Syllabus, syllabus
from algoworlds.adapters.trl import environments, rows


def arguments() -> argparse.Namespace:
    """What to train, on which worlds, and for what."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="Qwen/Qwen3-0.6B")
    parser.add_argument("--seed", default="grpo")
    parser.add_argument("--families", default="fleet_dispatch,machine_layout")
    parser.add_argument("--levels", default="0")
    parser.add_argument("--reward", default="gain")
    parser.add_argument("--worlds", type=int, default=1024, help="how many worlds an epoch has")
    parser.add_argument("--out", default="grpo")
    parser.add_argument(
        "--rehearse", action="store_true", help="play the environments as the trainer would, with a reference agent"
    )
    return parser.parse_args()


def rehearse(worlds: Syllabus, chosen: argparse.Namespace) -> None:
    """What the trainer does with environments: make, look at the tools, reset, call, ask for the reward."""
    classes, paid = environments(worlds, chosen.reward), []
    for row in rows(worlds, chosen.worlds):
        environment = classes[row["environment"]]()
        environment.reset(**row)
        silent = environment.get_reward()
        for tool, given in reference(worlds, row["number"]):
            answer = getattr(environment, tool)(**json.loads(given))
        paid.append((environment.get_reward(), silent))
        print(f"world {row['number']} of {row['environment']}: paid {paid[-1][0]}, the last answer was {answer}")
    best, least = (sum(each) / len(paid) for each in zip(*paid, strict=True))
    print(f"{len(paid)} worlds rehearsed: a reference agent is paid {best}, one that says nothing {least}")


def reference(worlds: Syllabus, number: int) -> list[tuple[str, str]]:
    """The calls of an agent that has seen the answer: the cheaper plan, then the optimum."""
    play = worlds.play(number)
    world = play.episode.world
    decided = world.family.decision.arguments(play.key(play.entry).decision)
    return [*min(world.plans.values(), key=world.cost), (world.family.template.closing.submit, json.dumps(decided))]


def train(worlds: Syllabus, chosen: argparse.Namespace) -> None:
    """GRPO over a dataset of worlds, each with the environment of its family."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    trainer = GRPOTrainer(
        model=chosen.model,
        args=GRPOConfig(output_dir=chosen.out, max_completion_length=16384, max_tool_calling_iterations=64),
        train_dataset=Dataset.from_list(list(rows(worlds, chosen.worlds))),
        environment_factory=environments(worlds, chosen.reward),
    )
    trainer.train()


def main() -> None:
    """Rehearse or train."""
    chosen = arguments()
    worlds = syllabus(seed=chosen.seed, families=chosen.families, levels=chosen.levels)
    (rehearse if chosen.rehearse else train)(worlds, chosen)


if __name__ == "__main__":
    main()
