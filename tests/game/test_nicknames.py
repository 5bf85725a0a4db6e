"""Short names for ids: short, distinct, and the same for the same texts."""

from algoworlds.game.nicknames import Nicknames


def item(kind, number):
    """An opaque id."""
    return f"{kind}-{number:010d}"


def test_numbers_follow_the_order_of_appearance():
    names = Nicknames()
    assert names.shorten(f"{item('job', 7)}, {item('job', 3)} and {item('job', 7)}") == "J1, J2 and J1"
    assert names.expand("J2 j1 X9") == f"{item('job', 3)} {item('job', 7)} X9"


def test_kinds_with_the_same_letters_get_different_names():
    names = Nicknames.from_texts(
        [" ".join(item(kind, 1) for kind in ("stage", "site", "slot", "s", "pair_cost", "price_code"))]
    )
    assert list(names.short_by_id.values()) == ["S1", "SI1", "SL1", "SX1", "PC1", "PCI1"]
    assert len(set(names.id_by_short)) == 6


def test_equal_texts_give_equal_names():
    texts = [f"{item('leg', 2)} {item('line', 1)}", f"{item('line', 9)} {item('leg', 1)}"]
    step_by_step = Nicknames()
    for text in texts:
        step_by_step.shorten(text)
    assert Nicknames.from_texts(texts) == step_by_step


def test_text_that_is_not_an_id_stays():
    assert Nicknames().shorten("read_job one-two J1 job-abc") == "read_job one-two J1 job-abc"
