"""Train a language model on fresh worlds with TRL's GRPO; `--rehearse` plays the environments alone, without TRL and a GPU.

pip install algoworlds trl 'transformers>=5.2'
python examples/trl/grpo.py --model Qwen/Qwen3-4B --families fleet_dispatch --reward gain --worlds 4096
"""

import argparse
import json

from algoworlds.adapters.trl import dataset_rows, environments
from algoworlds.adapters.world_source import WorldSource, world_source


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="Qwen/Qwen3-0.6B")
    parser.add_argument("--seed", default="grpo")
    parser.add_argument("--families", default="fleet_dispatch,machine_layout")
    parser.add_argument("--levels", default="0")
    parser.add_argument("--reward", default="gain")
    parser.add_argument("--worlds", type=int, default=1024, help="worlds per epoch")
    parser.add_argument("--out", default="grpo")
    parser.add_argument(
        "--rehearse", action="store_true", help="play the environments as the trainer would, with a reference agent"
    )
    return parser.parse_args()


def rehearse(worlds: WorldSource, options: argparse.Namespace) -> None:
    """Use the environments as the trainer does: construct, list tools, reset, call, read the reward."""
    classes, rewards = environments(worlds, options.reward), []
    for row in dataset_rows(worlds, options.worlds):
        environment = classes[row["environment"]]()
        environment.reset(**row)
        silent = environment.get_reward()
        for tool, arguments in reference_calls(worlds, row["number"]):
            answer = getattr(environment, tool)(**json.loads(arguments))
        rewards.append((environment.get_reward(), silent))
        print(f"world {row['number']} of {row['environment']}: paid {rewards[-1][0]}, the last answer was {answer}")
    best, least = (sum(column) / len(rewards) for column in zip(*rewards, strict=True))
    print(f"{len(rewards)} worlds rehearsed: a reference agent is paid {best}, one that says nothing {least}")


def reference_calls(worlds: WorldSource, number: int) -> list[tuple[str, str]]:
    """The calls of an agent that knows the answer: the cheaper plan, then the optimum."""
    play = worlds.play(number)
    world = play.episode.world
    decision = world.family.decision.arguments(play.load_key(play.entry).decision)
    return [*min(world.plans.values(), key=world.cost), (world.family.template.decision_tools.submit, json.dumps(decision))]


def train(worlds: WorldSource, options: argparse.Namespace) -> None:
    """GRPO over a dataset of worlds, each with the environment of its family."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    trainer = GRPOTrainer(
        model=options.model,
        args=GRPOConfig(output_dir=options.out, max_completion_length=16384, max_tool_calling_iterations=64),
        train_dataset=Dataset.from_list(list(dataset_rows(worlds, options.worlds))),
        environment_factory=environments(worlds, options.reward),
    )
    trainer.train()


def main() -> None:
    """Rehearse or train."""
    options = parse_arguments()
    worlds = world_source(seed=options.seed, families=options.families, levels=options.levels)
    (rehearse if options.rehearse else train)(worlds, options)


if __name__ == "__main__":
    main()
