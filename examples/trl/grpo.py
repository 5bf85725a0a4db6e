"""Train a language model on fresh worlds with TRL's GRPO.

pip install algoworlds trl torch 'transformers>=5.13'
python examples/trl/grpo.py --model Qwen/Qwen3-4B --families fleet_dispatch --reward gain --worlds 4096
python examples/trl/grpo.py --tiny --out tiny    # real GRPO steps with a tiny random model, on a CPU, without any download
python examples/trl/grpo.py --rehearse           # the environments alone, without TRL and torch
"""

import argparse
import inspect
import json
from typing import Any

from algoworlds import family_tool_schemas
from algoworlds.adapters.trl import dataset_rows, environments
from algoworlds.adapters.world_source import WorldSource, world_source

LESSON_STEPS = 60
"""Supervised steps that teach the tiny model the form of a call, but not so well that all its samples are equal."""
GRPO_STEPS, GROUP_SIZE = 3, 8
"""Steps of the tiny model, and samples of one world in a step; equally paid samples have no gradient."""


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
    parser.add_argument("--tiny", action="store_true", help="train a tiny random model for three steps, on a CPU")
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


def tool_methods(environment: Any) -> list[Any]:
    """The tools of an environment in the order in which the trainer shows them to the model."""
    members = inspect.getmembers(environment, inspect.ismethod)
    return [method for name, method in members if name not in ("reset", "get_reward") and not name.startswith("_")]


def executed_calls(environments: list[Any], **columns: Any) -> list[float]:
    """The calls of each rollout that were executed: a reward that even a model with random weights sometimes gets."""
    return [float(environment._play.score()["executed_calls"]) for environment in environments]


def train_tiny(worlds: WorldSource, options: argparse.Namespace) -> None:
    """A few GRPO steps of a tiny model with random weights, through the same trainer and environments."""
    import torch
    from datasets import Dataset
    from tiny_model import build_model, build_tokenizer, teach_calls
    from trl import GRPOConfig, GRPOTrainer

    rows, classes = list(dataset_rows(worlds, 4)), environments(worlds, options.reward)
    tools = {family: tool_methods(environment()) for family, environment in classes.items()}
    texts = [row["prompt"][0]["content"] for row in rows] + list(map(json.dumps, map(family_tool_schemas, tools)))
    tokenizer = build_tokenizer(texts)
    model = build_model(tokenizer)
    lessons = []
    for row in rows:
        call = {"name": family_tool_schemas(row["environment"])[0]["name"], "arguments": {}}
        lessons.append((row["prompt"], tools[row["environment"]], f"<tool_call>\n{json.dumps(call)}\n</tool_call>"))
    print(f"loss after the lessons in calling a tool: {teach_calls(model, tokenizer, lessons, LESSON_STEPS):.3f}")
    before = torch.cat([weights.detach().flatten().clone() for weights in model.parameters()])
    settings = GRPOConfig(
        output_dir=options.out,
        max_steps=GRPO_STEPS,
        per_device_train_batch_size=GROUP_SIZE,
        num_generations=GROUP_SIZE,
        max_completion_length=96,
        max_tool_calling_iterations=1,
        learning_rate=1e-3,
        logging_steps=1,
        use_cpu=True,
        report_to=[],
        save_strategy="no",
    )
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        args=settings,
        reward_funcs=[executed_calls],
        train_dataset=Dataset.from_list(rows),
        environment_factory=classes,
    )
    trainer.train()
    after = torch.cat([weights.detach().flatten() for weights in trainer.model.parameters()])
    steps = [line for line in trainer.state.log_history if "reward" in line]
    for line in steps:
        reward, deviation = float(line["reward"]), float(line["reward_std"])
        gradient = float(line["grad_norm"])
        print(
            f"step {line['step']}: mean reward {reward:.3f}, standard deviation {deviation:.3f}, gradient norm {gradient:.2g}"
        )
    change = float((after - before).norm())
    print(f"{len(steps)} GRPO steps changed the weights, of norm {float(before.norm()):.4g}, by a vector of norm {change:.2g}")
    if not change:
        raise SystemExit("no weight has changed: all samples of every step were paid the same")


def main() -> None:
    """Rehearse or train."""
    options = parse_arguments()
    worlds = world_source(seed=options.seed, families=options.families, levels=options.levels)
    if options.rehearse:
        rehearse(worlds, options)
    elif options.tiny:
        train_tiny(worlds, options)
    else:
        train(worlds, options)


if __name__ == "__main__":
    main()
