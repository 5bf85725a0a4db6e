"""Helpers that read and operate the page of a report."""

import json
import re


def key_of(record):
    return f"{record['configuration']}/{record['world']}/{record['trial']}"


def open_evaluation(page, record):
    page.run(f"location.hash = 'evaluation=' + encodeURIComponent({json.dumps(key_of(record))})")
    page.wait(f"document.getElementById('evaluation').open && state.evaluation === {json.dumps(key_of(record))}")
    title = f"trial {record['trial']}"
    page.wait(f"document.querySelector('#evaluation .dialogbar p')?.textContent.includes({json.dumps(title)})")


def category(record):
    return {("feasible", 1): "optimal", ("feasible", 0): "suboptimal"}.get(
        (record["outcome"], record["exact"]), record["outcome"]
    )


def texts(page, selector):
    """The texts of all elements that match `selector`."""
    return page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((element) => element.textContent)")


def choose(page, name, value):
    """Set the filter `name` of the list to `value` and fire its event."""
    page.run(
        f"(() => {{ const box = document.querySelector('[name={name}]'); box.value = {json.dumps(value)};"
        " box.dispatchEvent(new Event(box.tagName === 'SELECT' ? 'change' : 'input')); })()"
    )


def found_count(page):
    return int(re.search(r"[\d,]+", page.run("document.getElementById('match-count').textContent"))[0].replace(",", ""))
