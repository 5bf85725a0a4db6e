"""An attacker who has the code, the coordinate and the seed, but not the pepper, regenerates a question and learns nothing."""

import re
from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import DEFAULT_SEED, Coordinate, admit
from algoworlds.worlds.world import World, build

SEED, PEPPER, OTHER = "spring", "8f14e45fceea167a5a36dedd4bea2543", "c9f0f895fb98ab9159f51fd0297e236d"
ID = re.compile(r"\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b")


def place(name, pepper, index=1):
    return Coordinate(name, 0, index, SEED, pepper)


def shown(world):
    """Everything that an agent can see: the world's id, the question, the response to every request."""
    return [world.id, world.question, *(str(world.records(call)) for call in world.catalog)]


def ids(texts):
    return {found for text in texts for found in ID.findall(text)}


def orders(world):
    """The order in which each part is listed."""
    return [tuple(each["rows"]) for each in world.store.everything.values() if len(each["rows"]) > 1]


def matched(real, guess):
    """What an attacker's own world has in common with the real one; `real` is there to be looked at, not to be read."""
    same_tables = World(guess.coordinate, real.instance, real.interface)  # even with all tables in hand: links and orders
    return {
        "tag": real.coordinate.name == guess.coordinate.name,
        "ids": bool(ids(shown(real)) & ids(shown(guess))),
        "numbers": ID.sub("", real.question) == ID.sub("", guess.question) and numbers(real) == numbers(guess),
        "links": links(real) == links(same_tables) != set(),
        "orders": orders(real) == orders(same_tables),
    }


def numbers(world):
    """The values of the instance, whatever its entities are called."""
    return sorted(re.findall(r"\d+", ID.sub("", world.instance.text)))


def links(world):
    return ids(shown(world)) - ids([world.id, world.instance.text, str(world.public)])


@pytest.mark.parametrize("name", FAMILIES)
def test_without_the_pepper_no_id_link_order_or_value_can_be_regenerated(name):
    real = build(admit(place(name, PEPPER)), Interface.MEDIATED)
    for pepper in ("", OTHER):
        assert not any(matched(real, build(admit(place(name, pepper)), Interface.MEDIATED)).values()), pepper


@pytest.mark.parametrize("name", FAMILIES)
def test_the_attack_is_one_that_succeeds_where_there_is_no_pepper(name):
    """The same attacker on a suite without one: a seed from a dictionary gives everything away."""
    real, guess = (build(admit(place(name, "")), Interface.MEDIATED) for _ in range(2))
    assert all(matched(real, guess).values())


DICTIONARY = ("autumn", "winter", SEED, "summer")


def confirmed(pepper, known):
    """The seeds of a dictionary that the public numbers of a few questions, and the attempts of a manifest, do not rule out."""

    def fingerprint(coordinate):
        admitted = admit(coordinate)
        return admitted.attempt, ID.sub("", build(admitted, Interface.DIRECT).question)

    places = [place(name, pepper, index) for name in ("fleet_dispatch", "station_siting") for index in (1, 2)]
    seen = [fingerprint(each) for each in places]
    guesses = {seed: [fingerprint(replace(each, seed=seed, pepper=known)) for each in places] for seed in DICTIONARY}
    return {seed for seed, guess in guesses.items() if guess == seen}


def test_public_numbers_confirm_no_guess_at_the_seed():
    """An offset, a grant and an attempt are drawn and public: were they drawn from the seed alone, they would tell it."""
    assert confirmed("", "") == {SEED}
    assert confirmed(PEPPER, "") == confirmed(PEPPER, OTHER) == set()
    assert confirmed(PEPPER, PEPPER) == {SEED}


def test_a_pepper_is_a_suite_of_its_own_even_over_the_public_seed():
    public, private = (Coordinate("fleet_dispatch", 0, 1, DEFAULT_SEED, pepper) for pepper in ("", PEPPER))
    assert public.name == "fleet_dispatch-0-1"
    assert re.fullmatch(r"fleet_dispatch-0-1-[0-9a-hjkmnp-tv-z]{10}", private.name)
    assert admit(public).instance != admit(private).instance


def test_equal_secrets_give_equal_worlds():
    first, second = (build(admit(place("transit_routing", PEPPER)), Interface.SPLIT) for _ in range(2))
    assert shown(first) == shown(second)
    assert orders(first) == orders(second)
