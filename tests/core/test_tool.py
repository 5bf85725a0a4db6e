"""Arguments: domain, tiling and selection agree, and no input is normalised into a valid request."""

import pytest

from algoworlds.core.tool import Nothing, One, Page, Refusal, Window

ROSTERS = {"job": tuple(f"j{at}" for at in range(14)), "four": tuple("abcd"), "kind": ("x", "y", "z", "w", "v")}


def selected_ids(argument, calls):
    return frozenset().union(*(argument.select(call, ROSTERS) for call in calls))


@pytest.mark.parametrize("size", range(2, 40))
@pytest.mark.parametrize("by_position", [False, True])
def test_windows_tile_any_roster_with_fewest_calls(size, by_position):
    rosters = {"job": tuple(f"j{at}" for at in range(size))}
    window = Window("job", by_position=by_position)
    tiles = window.tiling(rosters)
    assert len(tiles) == -(-size // 3)
    assert all(tile in window.domain(rosters) for tile in tiles)
    assert [item for tile in tiles for item in sorted(window.select(tile, rosters), key=rosters["job"].index)] == list(
        rosters["job"]
    )
    assert len(window.domain(rosters)) == (size - 1) + max(0, size - 2)


@pytest.mark.parametrize(
    "page", [Page("job", 4), Page("job", "kind"), Page("job", 4, ("start", "length")), Page("four", 2, ("start", "length"))]
)
def test_pages_partition_the_roster(page):
    calls = page.domain(ROSTERS)
    assert selected_ids(page, calls) == set(ROSTERS[page.roster])
    assert sum(len(page.select(call, ROSTERS)) for call in calls) == len(ROSTERS[page.roster])


@pytest.mark.parametrize(
    ("argument", "value", "refusal"),
    [
        (Nothing(), {"x": 1}, Refusal.SCHEMA),
        (One("job"), {}, Refusal.SCHEMA),
        (One("job"), {"job": 3}, Refusal.SCHEMA),
        (One("job"), {"job": "j3", "x": 1}, Refusal.SCHEMA),
        (One("job"), {"job": "J3"}, Refusal.UNKNOWN_ID),
        (One("job"), {"job": " j3"}, Refusal.UNKNOWN_ID),
        (One("job"), {"job": "\uff4a3"}, Refusal.UNKNOWN_ID),
        (One("job"), {"job": "j3\u0000"}, Refusal.UNKNOWN_ID),
        (Window("job"), {"start": "j3"}, Refusal.SCHEMA),
        (Window("job"), {"start": "j3", "length": "2"}, Refusal.SCHEMA),
        (Window("job"), {"start": "j3", "length": True}, Refusal.SCHEMA),
        (Window("job"), {"start": "j3", "length": 2.0}, Refusal.SCHEMA),
        (Window("job"), {"start": 3, "length": 2}, Refusal.SCHEMA),
        (Window("job"), {"start": "q", "length": 2}, Refusal.UNKNOWN_ID),
        (Window("job"), {"start": "j3", "length": 4}, Refusal.BAD_WINDOW),
        (Window("job"), {"start": "j13", "length": 2}, Refusal.BAD_WINDOW),
        (Window("job", by_position=True), {"start": -1, "length": 2}, Refusal.BAD_WINDOW),
        (Window("job", by_position=True), {"start": "0", "length": 2}, Refusal.SCHEMA),
        (Page("job", 4), {"page": 4}, Refusal.BAD_WINDOW),
        (Page("job", 4), {"page": -1}, Refusal.BAD_WINDOW),
        (Page("job", 4), {"page": True}, Refusal.SCHEMA),
        (Page("job", 4, ("start", "length")), {"start": 2, "length": 4}, Refusal.BAD_WINDOW),
        (Page("job", 4, ("start", "length")), {"start": 12, "length": 4}, Refusal.BAD_WINDOW),
    ],
)
def test_inadmissible_arguments_are_refused_by_kind(argument, value, refusal):
    assert argument.select(value, ROSTERS) is refusal
