"""Short names for ids: short, told apart, and the same for whoever was told the same."""

from algoworlds.game.nicknames import Nicknames


def item(kind, number):
    return f"{kind}-{number:010d}"


def test_names_count_in_order_of_appearance():
    names = Nicknames()
    assert names.shorten(f"{item('job', 7)}, {item('job', 3)} and {item('job', 7)}") == "J1, J2 and J1"
    assert names.expand("J2 j1 X9") == f"{item('job', 3)} {item('job', 7)} X9"


def test_kinds_with_the_same_letters_are_told_apart():
    names = Nicknames.heard([" ".join(item(kind, 1) for kind in ("stage", "site", "slot", "s", "pair_cost", "price_code"))])
    assert list(names.short.values()) == ["S1", "SI1", "SL1", "SX1", "PC1", "PCI1"]
    assert len(set(names.long)) == 6


def test_whoever_hears_the_same_gives_the_same_names():
    texts = [f"{item('leg', 2)} {item('line', 1)}", f"{item('line', 9)} {item('leg', 1)}"]
    step_by_step = Nicknames()
    for text in texts:
        step_by_step.shorten(text)
    assert Nicknames.heard(texts) == step_by_step


def test_what_is_no_id_stays():
    assert Nicknames().shorten("read_job one-two J1 job-abc") == "read_job one-two J1 job-abc"
