"""A person plays in Chromium: every manner of putting a decision together, from the first question to the replay."""

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest

from algoworlds.core.decision import Listed
from algoworlds.core.interface import Interface
from algoworlds.game.browser.hosting import Host
from algoworlds.game.challenge import Practice
from algoworlds.measures.key import Key
from algoworlds.runs.external.access import bound
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build
from tests.certified import certified

CHOOSE = """(select, value) => { select.value = value; select.dispatchEvent(new Event("change", {bubbles: true})); }"""


def challenge(name, interface=Interface.DIRECT, read=True):
    """A game of the smallest size in which a sufficient set has been read, but for the last call."""
    admitted = certified(name)
    world = build(admitted, interface)
    plan = min(world.plans.values(), key=world.cost)
    return Practice(Episode(world, plan[:-1] if read else ()), Key.of(admitted, world)), plan[-1]


@contextmanager
def opened(running, *challenges, width=1280):
    """The page of the first of some games, which must not complain or ask elsewhere."""
    running.errors.clear()
    running.requests.clear()
    with bound("127.0.0.1", 0) as listener, Host(challenges).listening(listener) as addresses:
        try:
            running.open(addresses[0], width=width)
            running.wait("!document.getElementById('game').hidden || !document.getElementById('lookback').hidden")
            yield running
            assert running.errors == []
            asked = {each.split("/")[2] for each in running.requests if each.startswith("http")}
            assert asked == {addresses[0].split("/")[2]}
        finally:
            running.call("Page.navigate", url="about:blank")


def settled(page):
    page.wait("!document.body.hasAttribute('data-busy')")


def picker(tool, name):
    return f"document.querySelector('form[data-tool={json.dumps(tool)}] select[name={json.dumps(name)}]')"


def ask(page, world, call):
    """Ask by the form of a tool, picker by picker."""
    given = json.loads(call.arguments)
    for name in world.family.tools[call.tool].argument.properties():
        page.run(f"({CHOOSE})({picker(call.tool, name)}, {json.dumps(str(given[name]))})")
    page.run(f"document.querySelector('form[data-tool={json.dumps(call.tool)}] button').click()")
    settled(page)


def put_together(page, arguments):
    """Build a decision with the controls of the page."""
    for argument, taken in arguments.items():
        box = f"document.querySelector('fieldset[data-argument={json.dumps(argument)}]')"
        manner = page.run(f"{box}.className")
        if manner == "assign":
            for owner, option in taken.items():
                page.run(f"({CHOOSE})({box}.querySelector('select[data-owner={json.dumps(owner)}]'), {json.dumps(option)})")
        elif manner == "pick":
            for each in taken:
                value = json.dumps(each)
                page.run(f"({CHOOSE})({box}.querySelector('option[value={value}]').closest('select'), {value})")
        elif manner == "order":
            for each in taken:
                page.run(f"({CHOOSE})({box}.querySelector('select'), {json.dumps(each)})")
        else:
            for each in taken:
                page.run(f"{box}.querySelector('input[value={json.dumps(each)}]').click()")


def submit(page, claim=""):
    page.run("document.getElementById('submit').click()")
    page.run(f"document.querySelector('#claims input[value={json.dumps(claim)}]').click()")
    page.run("document.querySelector('#confirm button[value=submit]').click()")
    page.wait("!document.getElementById('lookback').hidden")


LISTED = "[...document.querySelectorAll('.sequence li')].map((each) => each.dataset.id)"
MANNERS = {
    "fleet_dispatch": ["assign"],
    "transit_routing": ["pick"],
    "basket_assembly": ["subset"],
    "migration_portfolio": ["pick", "subset"],
}


@pytest.mark.parametrize("name", MANNERS)
def test_every_shape_of_decision_can_be_played_to_the_optimum(running, name):
    game, last = challenge(name, Interface.MEDIATED)
    arguments = game.episode.world.family.decision.arguments(game.key.decision)
    with opened(running, game) as page:
        assert page.run("[...document.querySelectorAll('#builder fieldset')].map((each) => each.className)") == MANNERS[name]
        before = page.run("document.getElementById('left').textContent")
        ask(page, game.episode.world, last)
        assert page.run("document.getElementById('left').textContent") != before
        assert page.run("document.querySelectorAll('#answer table').length") > 0
        put_together(page, arguments)
        assert page.run("document.getElementById('gaps').textContent") == ""
        submit(page, "proven")
        assert page.run("document.getElementById('outcome').textContent") == "You found the optimum."
        page.wait("document.querySelector('.sentence')")
        assert "You could be sure" in page.run("document.querySelector('.sentence').textContent")
    assert (game.episode.decision, game.episode.claim.value) == (game.key.decision, "proven")


def test_an_order_is_put_together_moved_about_and_submitted_as_it_stands(running):
    """No family of ours asks for a mere order, but one of somebody else's may."""
    game, last = challenge("transit_routing")
    game.call(*last)
    world = game.episode.world
    world.__dict__["family"] = replace(
        world.family, template=replace(world.family.template, decision=Listed("legs", "leg", ordered=True))
    )
    best = list(game.key.decision)
    with opened(running, game) as page:
        put_together(page, {"legs": [best[1], best[0], *best[2:]]})
        assert page.run(LISTED)[:2] == best[1::-1]
        page.run("document.querySelectorAll('.sequence li')[1].querySelector('button').click()")  # up
        page.run("document.querySelectorAll('.sequence li')[2].querySelectorAll('button')[2].click()")  # removed
        page.run(f"({CHOOSE})(document.querySelector('fieldset.order select'), {json.dumps(best[2])})")
        assert page.run(LISTED) == [*best[:2], *best[3:], best[2]]
        submit(page)
    assert game.episode.decision == (*best[:2], *best[3:], best[2])


def test_the_notebook_the_pickers_and_the_replay(running):
    game, _ = challenge("fleet_dispatch", read=False)
    world = game.episode.world
    with opened(running, game) as page:
        jobs, windows = world.public["job"], "read_dispatch_window"
        page.run(f"({CHOOSE})({picker(windows, 'start')}, {json.dumps(jobs[-2])})")
        assert page.run(f"[...{picker(windows, 'length')}.options].map((each) => each.value)") == ["2"]
        page.run("document.querySelector('form[data-tool=read_fleet_policy] button').click()")
        settled(page)
        page.run("document.querySelector('form[data-tool=read_job] button').click()")
        settled(page)
        assert page.run("document.querySelector('form[data-tool=read_job] select').value") == jobs[1]  # not read yet
        assert page.run("document.querySelector('#answer .call').textContent") == "Read job J1 −1"  # noqa: RUF001
        titles = page.run("[...document.querySelectorAll('#notebook h3')].map((each) => each.textContent)")
        assert titles == ["By vehicle", "By job", "By vehicle and job"]
        capacity = world.instance.capacity[world.public["vehicle"][0]]
        assert page.run("document.querySelector('#notebook td').textContent") == str(capacity)
        page.run("window.before = true; location.reload()")
        page.wait("!window.before && document.querySelectorAll('#notebook h3').length === 3")
        submit(page)
        assert page.run("document.getElementById('outcome').textContent") == "Your decision breaks a rule."
        page.wait("document.querySelector('.sentence')")
        page.press("ArrowRight", 39)
        assert page.run("document.querySelector('.counter').textContent") == "Call 1 of 3"
        assert "read_fleet_policy" in page.run("document.querySelector('.stage').textContent")


def test_a_submission_can_be_taken_back_and_giving_up_is_asked_about(running):
    game, _ = challenge("fleet_dispatch", read=False)
    with opened(running, game, width=390) as page:
        page.run("document.getElementById('submit').click()")
        assert "8 of 8 job ids have no vehicle yet" in page.run("document.getElementById('summary').textContent")
        page.run("document.querySelector('#confirm button[value=back]').click()")
        page.run("document.getElementById('resign').click()")
        page.run("document.querySelector('#leave button[value=back]').click()")
        assert not game.over
        assert page.run("document.documentElement.scrollWidth <= innerWidth")
        page.run("document.getElementById('resign').click()")
        page.run("document.querySelector('#leave button[value=resign]').click()")
        page.wait("!document.getElementById('lookback').hidden")
        assert page.run("document.getElementById('outcome').textContent") == "You did not decide."
    assert (game.over, game.episode.attempts) == (True, 0)


def test_a_server_that_is_gone_is_told_and_the_call_counts_once_when_it_is_back(running):
    game, _ = challenge("fleet_dispatch", read=False)
    with opened(running, game) as page:
        lost = "async (...given) => { await really(...given); throw new TypeError('gone'); }"
        page.run(f"window.really = fetch; window.fetch = {lost}")
        page.run("document.querySelector('form[data-tool=read_fleet_policy] button').click()")
        page.wait("!document.getElementById('trouble').hidden")
        assert "does not answer" in page.run("document.getElementById('trouble').textContent")
        page.run("window.fetch = really; document.querySelector('#trouble button').click()")
        page.wait("document.getElementById('trouble').hidden")
        settled(page)
    assert (game.episode.executed, game.episode.attempts) == (1, 1)
