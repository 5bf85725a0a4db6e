"""Games in Chromium, from the first call to the replay, with every kind of decision builder."""

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest

from algoworlds.core.decision import IdListShape
from algoworlds.core.interface import Interface
from algoworlds.game.games import PracticeGame
from algoworlds.game.server import GameServer
from algoworlds.measures.key import AnswerKey
from algoworlds.runs.external.access import open_listener
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance

CHOOSE = """(select, value) => { select.value = value; select.dispatchEvent(new Event("change", {bubbles: true})); }"""


def practice_game(name, interface=Interface.DIRECT, read=True):
    """A small game in which a plan has been read except for its last call, and that call."""
    admitted = certified_instance(name)
    world = build_world(admitted, interface)
    plan = min(world.plans.values(), key=world.cost)
    return PracticeGame(Episode(world, plan[:-1] if read else ()), AnswerKey.from_admitted(admitted, world)), plan[-1]


@contextmanager
def open_page(running, *games, width=1280):
    """The page of the first game, which must log no error and send no request to another host."""
    running.errors.clear()
    running.requests.clear()
    with open_listener("127.0.0.1", 0) as listener, GameServer(games).listening(listener) as addresses:
        try:
            running.open(addresses[0], width=width)
            running.wait("!document.getElementById('game').hidden || !document.getElementById('lookback').hidden")
            yield running
            assert running.errors == []
            hosts = {request.split("/")[2] for request in running.requests if request.startswith("http")}
            assert hosts == {addresses[0].split("/")[2]}
        finally:
            running.call("Page.navigate", url="about:blank")


def wait_until_idle(page):
    page.wait("!document.body.hasAttribute('data-busy')")


def picker(tool, name):
    return f"document.querySelector('form[data-tool={json.dumps(tool)}] select[name={json.dumps(name)}]')"


def make_call(page, world, call):
    """Make a call with the form of its tool."""
    arguments = json.loads(call.arguments)
    for name in world.family.tools[call.tool].argument.properties():
        page.run(f"({CHOOSE})({picker(call.tool, name)}, {json.dumps(str(arguments[name]))})")
    page.run(f"document.querySelector('form[data-tool={json.dumps(call.tool)}] button').click()")
    wait_until_idle(page)


def build_decision(page, arguments):
    """Build a decision with the controls of the page."""
    for argument, value in arguments.items():
        box = f"document.querySelector('fieldset[data-argument={json.dumps(argument)}]')"
        kind = page.run(f"{box}.className")
        if kind == "assign":
            for owner, option in value.items():
                page.run(f"({CHOOSE})({box}.querySelector('select[data-owner={json.dumps(owner)}]'), {json.dumps(option)})")
        elif kind == "pick":
            for item in map(json.dumps, value):
                page.run(f"({CHOOSE})({box}.querySelector('option[value={item}]').closest('select'), {item})")
        elif kind == "order":
            for item in map(json.dumps, value):
                page.run(f"({CHOOSE})({box}.querySelector('select'), {item})")
        else:
            for item in map(json.dumps, value):
                page.run(f"{box}.querySelector('input[value={item}]').click()")


def submit(page, claim=""):
    page.run("document.getElementById('submit').click()")
    page.run(f"document.querySelector('#claims input[value={json.dumps(claim)}]').click()")
    page.run("document.querySelector('#confirm button[value=submit]').click()")
    page.wait("!document.getElementById('lookback').hidden")


SEQUENCE_IDS = "[...document.querySelectorAll('.sequence li')].map((item) => item.dataset.id)"
BUILDERS = {
    "fleet_dispatch": ["assign"],
    "transit_routing": ["pick"],
    "basket_assembly": ["subset"],
    "migration_portfolio": ["pick", "subset"],
}


@pytest.mark.parametrize("name", BUILDERS)
def test_every_builder_can_submit_the_optimum(running, name):
    game, last = practice_game(name, Interface.MEDIATED)
    arguments = game.episode.world.family.decision.arguments(game.key.decision)
    with open_page(running, game) as page:
        assert page.run("[...document.querySelectorAll('#builder fieldset')].map((box) => box.className)") == BUILDERS[name]
        before = page.run("document.getElementById('left').textContent")
        make_call(page, game.episode.world, last)
        assert page.run("document.getElementById('left').textContent") != before
        assert page.run("document.querySelectorAll('#answer table').length") > 0
        build_decision(page, arguments)
        assert page.run("document.getElementById('gaps').textContent") == ""
        submit(page, "proven")
        assert page.run("document.getElementById('outcome').textContent") == "You found the optimum."
        page.wait("document.querySelector('.sentence')")
        assert "You could be sure" in page.run("document.querySelector('.sentence').textContent")
    assert (game.episode.decision, game.episode.claim.value) == (game.key.decision, "proven")


def test_order_can_be_rearranged_and_submitted(running):
    """No built-in family asks for an order, but a family from outside may."""
    game, last = practice_game("transit_routing")
    game.call(*last)
    world = game.episode.world
    world.__dict__["family"] = replace(
        world.family, template=replace(world.family.template, decision=IdListShape("legs", "leg", ordered=True))
    )
    best = list(game.key.decision)
    with open_page(running, game) as page:
        build_decision(page, {"legs": [best[1], best[0], *best[2:]]})
        assert page.run(SEQUENCE_IDS)[:2] == best[1::-1]
        page.run("document.querySelectorAll('.sequence li')[1].querySelector('button').click()")  # up
        page.run("document.querySelectorAll('.sequence li')[2].querySelectorAll('button')[2].click()")  # removed
        page.run(f"({CHOOSE})(document.querySelector('fieldset.order select'), {json.dumps(best[2])})")
        assert page.run(SEQUENCE_IDS) == [*best[:2], *best[3:], best[2]]
        submit(page)
    assert game.episode.decision == (*best[:2], *best[3:], best[2])


def test_notebook_pickers_and_replay(running):
    game, _ = practice_game("fleet_dispatch", read=False)
    world = game.episode.world
    with open_page(running, game) as page:
        jobs, windows = world.public["job"], "read_dispatch_window"
        page.run(f"({CHOOSE})({picker(windows, 'start')}, {json.dumps(jobs[-2])})")
        assert page.run(f"[...{picker(windows, 'length')}.options].map((option) => option.value)") == ["2"]
        page.run("document.querySelector('form[data-tool=read_fleet_policy] button').click()")
        wait_until_idle(page)
        page.run("document.querySelector('form[data-tool=read_job] button').click()")
        wait_until_idle(page)
        assert page.run("document.querySelector('form[data-tool=read_job] select').value") == jobs[1]  # not read yet
        assert page.run("document.querySelector('#answer .call').textContent") == "Read job J1 −1"  # noqa: RUF001
        titles = page.run("[...document.querySelectorAll('#notebook h3')].map((title) => title.textContent)")
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


def test_evaluation_needs_a_complete_decision_and_is_confirmed(running):
    game, last = practice_game("fleet_dispatch")
    game.call(*last)
    arguments = game.episode.world.family.decision.arguments(game.key.decision)
    with open_page(running, game, width=390) as page:
        disabled = "document.getElementById('evaluate').disabled"
        part = {"assignment": dict(list(arguments["assignment"].items())[:-1])}
        assert page.run(disabled)
        build_decision(page, part)
        assert page.run(disabled)
        assert "Complete the decision first" in page.run("document.getElementById('evaluate').title")
        build_decision(page, arguments)
        assert not page.run(disabled)
        page.run("document.getElementById('evaluate').click()")
        assert "→" in page.run("document.getElementById('evaluation-summary').textContent")
        price = game.episode.world.prices["evaluate_assignment"]
        assert page.run("document.getElementById('evaluation-price').textContent") == f"It works once and costs {price}."
        page.run("document.querySelector('#evaluation button[value=back]').click()")
        assert not game.episode.evaluated
        page.run("document.getElementById('evaluate').click()")
        page.run("document.querySelector('#evaluation button[value=evaluate]').click()")
        wait_until_idle(page)
        page.wait("document.getElementById('evaluate').textContent === 'Evaluated'")
        assert page.run(disabled)
        assert "Feasible, worth" in page.run("document.getElementById('answer').textContent")
    assert game.episode.evaluated


def test_nothing_chosen_cannot_be_evaluated(running):
    game, last = practice_game("basket_assembly")
    game.call(*last)
    with open_page(running, game) as page:
        assert page.run("document.getElementById('evaluate').disabled")
        assert page.run("document.getElementById('gaps').textContent") == "Nothing is chosen yet."
        build_decision(page, game.episode.world.family.decision.arguments(game.key.decision))
        assert not page.run("document.getElementById('evaluate').disabled")


@pytest.mark.parametrize(("width", "scrolls"), [(390, True), (1280, False)])
def test_answer_scrolls_into_view_on_a_phone(running, width, scrolls):
    game, _ = practice_game("fleet_dispatch", read=False)
    with open_page(running, game, width=width) as page:
        page.run("document.querySelector('form[data-tool=read_job] button').click()")
        wait_until_idle(page)
        title = "document.getElementById('answer-title').getBoundingClientRect()"
        bar = "document.querySelector('.playbar').getBoundingClientRect()"
        if scrolls:  # below the bar, which covers the top of the page
            page.wait(f"scrollY > 0 && {title}.top >= {bar}.bottom - 1 && {title}.bottom < innerHeight / 2")
        else:
            assert page.run("scrollY") == 0


@pytest.mark.parametrize("name", ["transit_routing", "station_siting"])
def test_terms_better_than_the_optimum_are_not_marked_as_worse(running, name):
    """Greedy's decision is better in one term of the objective, which is minimized or maximized."""
    game, last = practice_game(name)
    game.call(*last)
    world = game.episode.world
    greedy, sign = world.family.reference(world.instance), -1 if world.family.sense.value == "min" else 1
    parts, best = (world.family.check(world.instance, decision).parts for decision in (greedy, game.key.decision))
    with open_page(running, game) as page:
        build_decision(page, world.family.decision.arguments(greedy))
        submit(page)
        lines = "[...document.querySelectorAll('#lookback tr')].filter((row) => row.querySelector('th[scope=row]'))"
        rows = page.run(f"{lines}.map((row) => [row.querySelector('th').title, row.querySelector('td').className])")
    marks = {term: kind.split()[-1] for term, kind in rows if term in parts}
    gains = {term: sign * (parts[term] - best[term]) for term in parts}
    assert marks == {term: "same" if gain == 0 else "better" if gain > 0 else "differs" for term, gain in gains.items()}
    assert {"better", "differs"} <= set(marks.values())


def test_submission_and_resigning_are_confirmed(running):
    game, _ = practice_game("fleet_dispatch", read=False)
    with open_page(running, game, width=390) as page:
        page.run("document.getElementById('submit').click()")
        assert "8 of 8 job ids have no vehicle yet" in page.run("document.getElementById('summary').textContent")
        page.run("document.querySelector('#confirm button[value=back]').click()")
        page.run("document.getElementById('resign').click()")
        page.run("document.querySelector('#leave button[value=back]').click()")
        assert not game.is_over
        assert page.run("document.documentElement.scrollWidth <= innerWidth")
        page.run("document.getElementById('resign').click()")
        page.run("document.querySelector('#leave button[value=resign]').click()")
        page.wait("!document.getElementById('lookback').hidden")
        assert page.run("document.getElementById('outcome').textContent") == "You did not decide."
    assert (game.is_over, game.episode.attempts) == (True, 0)


def test_call_repeated_after_lost_connection_counts_once(running):
    game, _ = practice_game("fleet_dispatch", read=False)
    with open_page(running, game) as page:
        lost = "async (...parts) => { await really(...parts); throw new TypeError('gone'); }"
        page.run(f"window.really = fetch; window.fetch = {lost}")
        page.run("document.querySelector('form[data-tool=read_fleet_policy] button').click()")
        page.wait("!document.getElementById('trouble').hidden")
        assert "does not answer" in page.run("document.getElementById('trouble').textContent")
        page.run("window.fetch = really; document.querySelector('#trouble button').click()")
        page.wait("document.getElementById('trouble').hidden")
        wait_until_idle(page)
    assert (game.episode.executed, game.episode.attempts) == (1, 1)
