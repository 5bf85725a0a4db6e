"""The documentation as a site: it builds, can be searched, and a dead link or anchor ends the build."""

import json
import re
from pathlib import Path

import pytest

from bench import site
from tests.command import ROOT


def test_the_site_builds_with_every_page_and_a_search_index(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "SOURCE", tmp_path / "source")
    site.main(tmp_path / "html")
    pages = {path.stem for path in (tmp_path / "html" / "docs").glob("*.html")} - {"index"}
    assert pages == {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}
    index = json.loads((tmp_path / "html" / "search" / "search_index.json").read_text())
    assert len({document["location"].partition("#")[0] for document in index["docs"]}) > 35
    home = (tmp_path / "html" / "index.html").read_text()
    assert 'for="__search"' in home
    loaded = re.findall(r'(?:src|<link[^>]*href)="(https?://[^"]+)"', home)
    assert loaded == []  # nothing is fetched from elsewhere


def test_dead_links_and_anchors_end_the_build(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "SOURCE", tmp_path / "source")
    copy = site.copy_pages

    def copy_with_dead_links(folder: Path):
        copy(folder)
        with (folder / "docs" / "card.md").open("a") as page:
            page.write("\n[x](nowhere.md) [y](card.md#no-such-heading)\n")

    monkeypatch.setattr(site, "copy_pages", copy_with_dead_links)
    with pytest.raises(SystemExit) as end:
        site.main(tmp_path / "html")
    assert "'nowhere.md'" in end.value.code
    assert "'card.md#no-such-heading'" in end.value.code
