"""Endless streams: pure, seekable, sharded, certified, and disjoint from one another and from every suite."""

import gc
import pickle
import tracemalloc
from dataclasses import replace
from itertools import islice

import pytest

import algoworlds as aw
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from algoworlds.suites import stream as stream_module
from algoworlds.suites.suite import SuiteSpec, default_suite
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.world import parse_world_id

PAIR = ("fleet_dispatch", "machine_layout")
PEPPER = "00112233445566778899aabbccddeeff"
FAR = 10**6


def small(**arguments):
    return aw.stream(**{"seed": "endless", "families": PAIR, "levels": (0, 1)} | arguments)


def test_a_stream_is_a_pure_function_of_its_arguments():
    one, other = small(), small()
    assert [one[at] for at in (FAR, 3, 0)] == [other[at] for at in (FAR, 3, 0)]
    assert list(islice(one, 20)) == [other[at] for at in range(20)]
    first, again = one[FAR], pickle.loads(pickle.dumps(other[FAR]))
    assert (first.id, first.world.question, first.key) == (again.id, again.world.question, again.key)
    assert len({stream[5].id for stream in (small(), small(seed=1), small(split="test"))}) == 3


def test_slices_are_lazy_and_behave_like_a_list():
    stream = small()
    assert list(stream[10:20:3]) == [stream[at] for at in (10, 13, 16, 19)]
    part = stream[FAR : FAR + 4]
    assert (len(part), part[-1], list(part[1:3])) == (4, stream[FAR + 3], [stream[FAR + 1], stream[FAR + 2]])
    assert next(iter(stream[FAR:])) == stream[FAR]
    for outside in (-1, 2**63):
        with pytest.raises(IndexError):
            stream[outside]


def kind(world):
    return world.coordinate.family, world.coordinate.level, world.interface


def test_every_round_has_each_kind_once_in_its_own_order():
    stream = small()
    rounds = [list(map(kind, stream[at : at + 8])) for at in (0, 8)]
    assert len(set(rounds[0])) == 8
    assert set(rounds[0]) == set(rounds[1])
    assert rounds[0] != rounds[1]
    assert len({world.id for world in stream[:400]}) == 400


@pytest.mark.parametrize("world_size", [2, 3, 8])
def test_shards_are_disjoint_and_complete(world_size):
    shards = [small(rank=rank, world_size=world_size) for rank in range(world_size)]
    assert [shard[at] for at in range(30) for shard in shards] == list(small()[: 30 * world_size])
    assert len(set(map(kind, shards[0][:80]))) == 8  # every shard has all kinds


def coordinates(seed):
    """Coordinates of one seed in a suite, in a private suite with a pepper, and in each split."""
    coordinate = Coordinate("fleet_dispatch", 0, 1, seed)
    return {
        "suite": coordinate,
        "private": replace(coordinate, pepper=PEPPER),
        "train": replace(coordinate, split="train"),
        "test": replace(coordinate, split="test"),
    }


def test_splits_and_suites_share_no_random_stream():
    """The stream path of a suite starts with its seed, a text; that of a split with its number; the encoding is injective."""
    for seed in ("", "0", "1", "train", "pepper", "endless"):
        first = {name: coordinate.stream.path[0] for name, coordinate in coordinates(seed).items()}
        assert (type(first["suite"]), type(first["private"])) == (str, str)
        assert (first["train"], first["test"]) == (0, 1)
    with pytest.raises(InputError, match="a seed must be a string, not 0"):
        coordinates(0)
    words = {Stream(*path).word() for path in ((0, "a"), ("0", "a"), (1, "a"), ("1", "a"), ("a",), (0, "a", ""))}
    assert len(words) == 6  # a number is never encoded like a text


def test_streams_share_no_world_with_the_other_split_or_a_suite():
    """Samples ids and instances of both splits and of suites with the same seed."""
    seed = default_suite().seed
    streams = [aw.stream(seed, PAIR, interfaces=("direct",), split=split)[:16] for split in ("train", "test")]
    suites = [SuiteSpec("same", seed, PAIR, (0,), 8), SuiteSpec("private", seed, PAIR, (0,), 8, pepper=PEPPER)]
    samples = [[world.admitted for world in stream] for stream in streams]
    samples += [[aw.admit(place) for place in suite.coordinates] for suite in suites]
    names = [{admitted.coordinate.name for admitted in sample} for sample in samples]
    digests = [{admitted.instance.digest for admitted in sample} for sample in samples]
    entities = [{entity for admitted in sample for entity in public_entities(admitted.instance)} for sample in samples]
    for sets in (names, digests, entities):
        assert all(sets)
        assert len(set.union(*sets)) == sum(map(len, sets))


def public_entities(instance):
    return [entity for roster in instance.public_tables.values() if isinstance(roster, tuple | list) for entity in roster]


def test_ids_name_split_and_difficulty():
    fresh = aw.stream(3, "fleet_dispatch", difficulty=0.5, interfaces="split", split="test")[FAR]
    family, difficulty, index, split, _, interface = fresh.id.split("-")
    assert (family, difficulty, index, split, interface) == ("fleet_dispatch", "0.5", str(FAR + 1), "test", "split")
    assert fresh.entry.id == fresh.id == fresh.play().episode.world.id


@pytest.mark.parametrize("position", [999_999_998, 999_999_999, 10**12, 2**62])
def test_parses_the_id_of_every_position(position):
    fresh = aw.stream("far", "fleet_dispatch", interfaces="direct")[position]
    coordinate, interface = parse_world_id(fresh.id, "far")
    assert (coordinate, interface) == (fresh.coordinate, Interface.DIRECT)


def test_loads_a_world_by_id_and_seed():
    fresh = aw.stream("back", "fleet_dispatch", difficulty=0.5)[7]
    untagged = "-".join(part for at, part in enumerate(fresh.id.split("-")) if at != 4)
    for text in (fresh.id, untagged):
        world = aw.load_world(text, seed="back")
        assert (world.id, world.question) == (fresh.id, fresh.world.question)
    for text, seed, message in (
        (fresh.id, "other", "is a world of another seed"),
        (fresh.id, None, "is a world of another seed"),
        ("fleet_dispatch-0.5-1", None, "is not a world id"),
        ("fleet_dispatch-0.5-1-validate", None, "is not a world id"),
        ("fleet_dispatch-4.5-1-train", None, "there is no level 4.5"),
    ):
        with pytest.raises(InputError, match=message):
            aw.load_world(text, seed=seed)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_world_of_a_stream_is_played_and_scored_by_its_certified_key(name):
    fresh = aw.stream(1, name, interfaces=("mediated",))[0]
    play = fresh.play()
    submit, decision = fresh.world.family.template.decision_tools.submit, fresh.world.family.decision
    play.call(submit, decision.arguments(fresh.key.decision))
    assert (play.done, play.score()["exact"], play.record()["world"]) == (True, 1, fresh.id)
    again = fresh.play(play.calls)
    assert again.record() == play.record()
    assert fresh.key.optimum == fresh.admitted.optimum
    assert not fresh.play().restart().done


def test_both_interfaces_present_one_instance():
    pair = {world.interface: world for world in aw.stream(1, "fleet_dispatch")[:2]}
    direct, mediated = pair[Interface.DIRECT], pair[Interface.MEDIATED]
    assert direct.admitted is mediated.admitted


def test_a_stream_at_another_difficulty_has_new_worlds():
    stream = small(levels=(0,))
    harder = stream.with_difficulty({"fleet_dispatch": 0.5, "machine_layout": 1.504})
    assert {world.coordinate.difficulty for world in harder[:8]} == {0.5, 1.5}
    assert not {world.id for world in stream[:8]} & {world.id for world in harder[:8]}
    assert [world.coordinate.family for world in stream[:8]] == [world.coordinate.family for world in harder[:8]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "validation"}, "there is no split 'validation'; choose one of train, test"),
        ({"split": ""}, "there is no split ''; choose one of train, test"),
        ({"families": ("fleet",)}, "there is no family 'fleet'"),
        ({"levels": (9,)}, "there is no level 9; choose one of 0, 1, 2, 3, 4"),
        ({"difficulty": 4.01}, "there is no level 4.01"),
        ({"difficulty": -0.01}, "there is no level"),
        ({"difficulty": float("nan")}, "a difficulty must be a number"),
        ({"difficulty": {"fleet_dispatch": 1}}, "the difficulty of machine_layout is missing"),
        ({"interfaces": ("plain",)}, "there is no interface 'plain'; choose from direct, mediated, split"),
        ({"families": ()}, "a stream needs at least one family"),
        ({"rank": 2, "world_size": 2}, "rank must lie from 0 to world_size - 1, not be 2 of 2"),
    ],
)
def test_rejects_bad_arguments_in_one_line(arguments, message):
    with pytest.raises(InputError) as caught:
        small(**arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def play_plans(level):
    """A play of every family and interface with all calls of a plan made, and their answers read."""
    for name in FAMILIES:
        for at, interface in enumerate(("direct", "mediated", "split")):  # a different instance for each
            fresh = aw.stream("live", name, levels=[level], interfaces=interface)[at]
            play = fresh.play(min(fresh.world.plans.values(), key=fresh.world.cost))
            assert all(observation.text for observation in play.episode.observations)
            yield play


def test_resume_restores_a_parked_play():
    for play in play_plans(0):
        closing, optimum = play.episode.world.family.template.decision_tools, play.load_key(play.entry).decision
        play.call(closing.evaluate, play.episode.world.family.decision.arguments(optimum))
        parked = pickle.loads(pickle.dumps(play.park()))
        assert parked == play.park()
        stream_module._cached_admit.cache_clear()
        resumed = parked.resume()
        for after, before in zip(resumed.episode.observations, play.episode.observations, strict=True):
            assert (after.text, after.charged) == (before.text, before.charged)
        assert (resumed.score(), resumed.record(), resumed.calls) == (play.score(), play.record(), play.calls)
        assert resumed.call(closing.evaluate).text == play.call(closing.evaluate).text
        assert resumed.restart().park() == replace(parked, calls=())


@pytest.mark.parametrize("level", [0, 1])
def test_a_thousand_parked_episodes_take_less_than_121_megabytes(level):
    """Measures the memory that Python holds for some plays of every family and interface."""
    list(play_plans(level))  # allocates what all episodes share
    tracemalloc.start()
    parked = [play.park() for play in play_plans(level)]
    stream_module._cached_admit.cache_clear()  # its size does not depend on the number of parked plays
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1_000 * held / len(parked) < 121e6
