"""An attacker with the code, the coordinate and the seed, but without the pepper, cannot regenerate a world."""

import re
from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import DEFAULT_SEED, Coordinate, admit
from algoworlds.worlds.world import World, build_world

SEED, PEPPER, OTHER = "spring", "8f14e45fceea167a5a36dedd4bea2543", "c9f0f895fb98ab9159f51fd0297e236d"
ID = re.compile(r"\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b")


def coordinate(name, pepper, index=1):
    return Coordinate(name, 0, index, SEED, pepper)


def visible_texts(world):
    """Everything that an agent can see: the world's id, the question, the response to every call."""
    return [world.id, world.question, *(str(world.records(call)) for call in world.catalog)]


def ids(texts):
    return {item for text in texts for item in ID.findall(text)}


def orders(world):
    """The order of the records of every part."""
    return [tuple(record["rows"]) for record in world.store.all_records.values() if len(record["rows"]) > 1]


def matches(real, guess):
    """What an attacker's own world has in common with the real one."""
    same_tables = World(guess.coordinate, real.instance, real.interface)  # links and orders even if all tables were known
    return {
        "tag": real.coordinate.name == guess.coordinate.name,
        "ids": bool(ids(visible_texts(real)) & ids(visible_texts(guess))),
        "numbers": ID.sub("", real.question) == ID.sub("", guess.question) and numbers(real) == numbers(guess),
        "links": links(real) == links(same_tables) != set(),
        "orders": orders(real) == orders(same_tables),
    }


def numbers(world):
    """The values of the instance, whatever its entities are called."""
    return sorted(re.findall(r"\d+", ID.sub("", world.instance.canonical_json)))


def links(world):
    return ids(visible_texts(world)) - ids([world.id, world.instance.canonical_json, str(world.public)])


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_can_be_regenerated_without_the_pepper(name):
    real = build_world(admit(coordinate(name, PEPPER)), Interface.MEDIATED)
    for pepper in ("", OTHER):
        assert not any(matches(real, build_world(admit(coordinate(name, pepper)), Interface.MEDIATED)).values()), pepper


@pytest.mark.parametrize("name", FAMILIES)
def test_the_attack_succeeds_where_there_is_no_pepper(name):
    """On a suite without a pepper, a seed guessed from a dictionary reveals everything."""
    real, guess = (build_world(admit(coordinate(name, "")), Interface.MEDIATED) for _ in range(2))
    assert all(matches(real, guess).values())


DICTIONARY = ("autumn", "winter", SEED, "summer")


def confirmed_seeds(pepper, guessed_pepper):
    """The seeds of a dictionary that are consistent with the public numbers of a few questions and attempts."""

    def fingerprint(address):
        admitted = admit(address)
        return admitted.attempt, ID.sub("", build_world(admitted, Interface.DIRECT).question)

    coordinates = [coordinate(name, pepper, index) for name in ("fleet_dispatch", "station_siting") for index in (1, 2)]
    seen = [fingerprint(address) for address in coordinates]
    guesses = {}
    for seed in DICTIONARY:
        guesses[seed] = [fingerprint(replace(address, seed=seed, pepper=guessed_pepper)) for address in coordinates]
    return {seed for seed, guess in guesses.items() if guess == seen}


def test_public_numbers_confirm_no_guess_at_the_seed():
    """Offsets, grants and attempts are drawn and public: drawn from the seed alone, they would reveal it."""
    assert confirmed_seeds("", "") == {SEED}
    assert confirmed_seeds(PEPPER, "") == confirmed_seeds(PEPPER, OTHER) == set()
    assert confirmed_seeds(PEPPER, PEPPER) == {SEED}


def test_pepper_gives_another_suite_even_with_the_public_seed():
    public, private = (Coordinate("fleet_dispatch", 0, 1, DEFAULT_SEED, pepper) for pepper in ("", PEPPER))
    assert public.name == "fleet_dispatch-0-1"
    assert re.fullmatch(r"fleet_dispatch-0-1-[0-9a-hjkmnp-tv-z]{10}", private.name)
    assert admit(public).instance != admit(private).instance


def test_equal_secrets_give_equal_worlds():
    first, second = (build_world(admit(coordinate("transit_routing", PEPPER)), Interface.SPLIT) for _ in range(2))
    assert visible_texts(first) == visible_texts(second)
    assert orders(first) == orders(second)
