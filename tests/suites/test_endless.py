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
from algoworlds.suites import endless
from algoworlds.suites.suite import Suite, default_suite
from algoworlds.worlds.admit import Coordinate

PAIR = ("fleet_dispatch", "machine_layout")
PEPPER = "00112233445566778899aabbccddeeff"
FAR = 10**6


def small(**changed):
    return aw.stream(**{"seed": "endless", "families": PAIR, "levels": (0, 1)} | changed)


def test_a_stream_is_a_pure_function_of_its_arguments():
    one, other = small(), small()
    assert [one[at] for at in (FAR, 3, 0)] == [other[at] for at in (FAR, 3, 0)]
    assert list(islice(one, 20)) == [other[at] for at in range(20)]
    first, again = one[FAR], pickle.loads(pickle.dumps(other[FAR]))
    assert (first.id, first.world.question, first.key) == (again.id, again.world.question, again.key)
    assert len({stream[5].id for stream in (small(), small(seed=1), small(split="test"))}) == 3


def test_slices_are_lazy_and_behave_as_a_list():
    stream = small()
    assert list(stream[10:20:3]) == [stream[at] for at in (10, 13, 16, 19)]
    part = stream[FAR : FAR + 4]
    assert (len(part), part[-1], list(part[1:3])) == (4, stream[FAR + 3], [stream[FAR + 1], stream[FAR + 2]])
    assert next(iter(stream[FAR:])) == stream[FAR]
    for outside in (-1, 2**63):
        with pytest.raises(IndexError):
            stream[outside]


def test_every_round_has_each_kind_once_in_an_order_of_its_own():
    stream = small()
    rounds = [
        [(each.coordinate.family, each.coordinate.level, each.interface) for each in stream[at : at + 8]] for at in (0, 8)
    ]
    assert len(set(rounds[0])) == 8
    assert set(rounds[0]) == set(rounds[1])
    assert rounds[0] != rounds[1]
    assert len({each.id for each in stream[:400]}) == 400


@pytest.mark.parametrize("world_size", [2, 3, 8])
def test_shares_are_disjoint_and_make_up_the_whole(world_size):
    shares = [small(rank=rank, world_size=world_size) for rank in range(world_size)]
    dealt = [share[at] for at in range(30) for share in shares]
    assert dealt == list(small()[: 30 * world_size])
    kinds = {(each.coordinate.family, each.coordinate.level, each.interface) for each in shares[0][:80]}
    assert len(kinds) == 8  # however many share the work, each of them meets all kinds


def places(seed):
    """Coordinates of one seed in each split, in a suite, and in a private suite with a pepper."""
    coordinate = Coordinate("fleet_dispatch", 0, 1, seed)
    return {
        "suite": coordinate,
        "private": replace(coordinate, pepper=PEPPER),
        "train": replace(coordinate, split="train"),
        "test": replace(coordinate, split="test"),
    }


def test_splits_and_suites_draw_from_domains_that_no_path_shares():
    """A path of a suite begins with its seed, a text; that of a split with its own number; both are spelled injectively."""
    for seed in ("", "0", "1", "train", "pepper", "endless"):
        first = {kind: place.stream.path[0] for kind, place in places(seed).items()}
        assert (type(first["suite"]), type(first["private"])) == (str, str)
        assert (first["train"], first["test"]) == (0, 1)
    with pytest.raises(InputError, match="a seed is a text, so 0 is none"):
        places(0)
    words = {Stream(*path).word() for path in ((0, "a"), ("0", "a"), (1, "a"), ("1", "a"), ("a",), (0, "a", ""))}
    assert len(words) == 6  # a number is never spelled as a text


def test_no_world_of_a_stream_is_one_of_another_split_or_of_a_suite():
    """By sampling: ids and instances of both splits, of the default suite and of suites with the same seed."""
    seed = default_suite().seed
    streams = [aw.stream(seed, PAIR, interfaces=("direct",), split=split)[:16] for split in ("train", "test")]
    suites = [Suite("same", seed, PAIR, (0,), 8), Suite("private", seed, PAIR, (0,), 8, pepper=PEPPER)]
    sampled = [[each.admitted for each in stream] for stream in streams]
    sampled += [[aw.admit(place) for place in suite.coordinates] for suite in suites]
    names = [{each.coordinate.name for each in some} for some in sampled]
    digests = [{each.instance.digest for each in some} for some in sampled]
    shown = [{entity for each in some for entity in _entities(each.instance)} for some in sampled]
    for found in (names, digests, shown):
        assert all(found)
        assert len(set.union(*found)) == sum(map(len, found))


def _entities(instance):
    return [entity for roster in instance.public_tables.values() if isinstance(roster, tuple | list) for entity in roster]


def test_ids_say_their_split_and_difficulty():
    fresh = aw.stream(3, "fleet_dispatch", difficulty=0.5, interfaces="split", split="test")[FAR]
    family, difficulty, index, split, _, interface = fresh.id.split("-")
    assert (family, difficulty, index, split, interface) == ("fleet_dispatch", "0.5", str(FAR + 1), "test", "split")
    assert fresh.entry.id == fresh.id == fresh.play().episode.world.id


def test_an_id_and_the_seed_lead_back_to_the_world():
    fresh = aw.stream("back", "fleet_dispatch", difficulty=0.5)[7]
    untagged = "-".join(part for at, part in enumerate(fresh.id.split("-")) if at != 4)
    for text in (fresh.id, untagged):
        world = aw.world(text, seed="back")
        assert (world.id, world.question) == (fresh.id, fresh.world.question)
    for text, seed, message in (
        (fresh.id, "other", "is a world of another seed"),
        (fresh.id, None, "is a world of another seed"),
        ("fleet_dispatch-0.5-1", None, "is no world id"),
        ("fleet_dispatch-0.5-1-validate", None, "is no world id"),
        ("fleet_dispatch-4.5-1-train", None, "there is no level 4.5"),
    ):
        with pytest.raises(InputError, match=message):
            aw.world(text, seed=seed)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_world_of_a_stream_is_played_and_scored_by_its_certified_key(name):
    fresh = aw.stream(1, name, interfaces=("mediated",))[0]
    play = fresh.play()
    submit, decision = fresh.world.family.template.closing.submit, fresh.world.family.decision
    play.call(submit, decision.arguments(fresh.key.decision))
    assert (play.done, play.score()["exact"], play.record()["world"]) == (True, 1, fresh.id)
    again = fresh.play(play.calls)
    assert again.record() == play.record()
    assert fresh.key.optimum == fresh.admitted.optimum
    assert not fresh.play().anew().done


def test_pairs_of_interfaces_present_one_instance():
    both = {each.interface: each for each in aw.stream(1, "fleet_dispatch")[:2]}
    direct, mediated = both[Interface.DIRECT], both[Interface.MEDIATED]
    assert direct.admitted is mediated.admitted


def test_a_stream_at_another_difficulty_has_new_worlds():
    stream = small(levels=(0,))
    harder = stream.at({"fleet_dispatch": 0.5, "machine_layout": 1.504})
    assert {each.coordinate.difficulty for each in harder[:8]} == {0.5, 1.5}
    assert not {each.id for each in stream[:8]} & {each.id for each in harder[:8]}
    assert [each.coordinate.family for each in stream[:8]] == [each.coordinate.family for each in harder[:8]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"split": "validation"}, "there is no split 'validation'; choose one of train, test"),
        ({"split": ""}, "there is no split ''; choose one of train, test"),
        ({"families": ("fleet",)}, "there is no family 'fleet'"),
        ({"levels": (9,)}, "there is no level 9; choose one of 0, 1, 2, 3, 4"),
        ({"difficulty": 4.01}, "there is no level 4.01"),
        ({"difficulty": -0.01}, "there is no level"),
        ({"difficulty": float("nan")}, "a difficulty is a number"),
        ({"difficulty": {"fleet_dispatch": 1}}, "the difficulty of machine_layout is missing"),
        ({"interfaces": ("plain",)}, "there is no interface 'plain'; choose from direct, mediated, split"),
        ({"families": ()}, "a stream needs at least one family"),
        ({"rank": 2, "world_size": 2}, "2 of 2 is none"),
    ],
)
def test_what_no_stream_can_be_made_of_is_one_clear_line(changed, message):
    with pytest.raises(InputError) as caught:
        small(**changed)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def played(level):
    """A play of every family and interface in which all calls of a plan were made, and their answers read."""
    for name in FAMILIES:
        for at, interface in enumerate(("direct", "mediated", "split")):  # each has an instance of its own
            fresh = aw.stream("live", name, levels=[level], interfaces=interface)[at]
            play = fresh.play(min(fresh.world.plans.values(), key=fresh.world.cost))
            assert all(observation.text for observation in play.episode.observations)
            yield play


def test_a_parked_play_is_resumed_as_it_was():
    for play in played(0):
        closing, optimum = play.episode.world.family.template.closing, play.key(play.entry).decision
        play.call(closing.evaluate, play.episode.world.family.decision.arguments(optimum))
        parked = pickle.loads(pickle.dumps(play.park()))
        assert parked == play.park()
        endless._admitted.cache_clear()
        resumed = parked.resume()
        assert [each.text for each in resumed.episode.observations] == [each.text for each in play.episode.observations]
        assert [each.charged for each in resumed.episode.observations] == [each.charged for each in play.episode.observations]
        assert (resumed.score(), resumed.record(), resumed.calls) == (play.score(), play.record(), play.calls)
        assert resumed.call(closing.evaluate).text == play.call(closing.evaluate).text
        assert resumed.anew().park() == replace(parked, calls=())


@pytest.mark.parametrize("level", [0, 1])
def test_a_thousand_parked_episodes_take_less_than_121_megabytes(level):
    """Counted, not clocked: what Python holds for some of every family and interface."""
    list(played(level))  # what all episodes share
    tracemalloc.start()
    parked = [play.park() for play in played(level)]
    endless._admitted.cache_clear()  # which holds the last few instances, however many are parked
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1_000 * held / len(parked) < 121e6
