"""The notebook shows what is known of a number that was read with errors, not the last answer and not the truth."""

from algoworlds.core.interface import Interface
from algoworlds.game.notebook import build_notebook
from algoworlds.worlds.episode import Episode
from tests.unsolved import unsolved_world


def test_notebook_shows_intervals_until_numbers_are_exact():
    world = unsolved_world("fleet_dispatch", condition="noisy", interface=Interface.MEDIATED)
    vehicle = world.public["vehicle"][0]
    for times in (1, 2, 3):  # off by up to 32, then 4, then exact
        episode = Episode(world, [("read_vehicle_contract", {"vehicle": vehicle})] * times)
        (row,) = build_notebook(episode).table_about("vehicle").rows
        (box,) = episode.boxes.values()
        assert row == (vehicle, f"{box.low:,} .. {box.high:,}" if times < 3 else world.instance.activation[vehicle])


def test_lists_show_an_interval_for_every_number():
    world = unsolved_world("series_portfolio", condition="stale")
    series = world.public["series"][0]
    episode = Episode(world, [("read_series", {"series": series})])
    (row,) = build_notebook(episode).table_about("series").rows
    assert all(" .. " in text for text in row[-1])
    assert len(row[-1]) == len(world.instance.factor[series][1])
