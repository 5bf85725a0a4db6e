"""Build the documentation as a site: `python -m bench.site OUT`. Needs mkdocs-material; `make site` installs it.

The pages are the Markdown files of this repository, unchanged and in the same folders, so their links hold. Files that they
link to are copied beside them. A link without a target or an anchor ends the build.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "build" / "site"
PAGES = ("*.md", "docs/*.md", "src/algoworlds/families/*/README.md", "environments/*/README.md", "sandbox/README.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CONFIG = {
    "site_name": "AlgoWorlds",
    "site_description": "A benchmark for LLM agents: globally optimal decisions from information behind priced tools",
    "docs_dir": "pages",
    "use_directory_urls": False,
    "plugins": ["search"],  # works from any web server; from a folder it would need a script from elsewhere
    "markdown_extensions": ["admonition", "attr_list", "tables", "toc", "pymdownx.superfences", "pymdownx.highlight"],
    "validation": {"omitted_files": "ignore", "links": dict.fromkeys(("not_found", "anchors", "unrecognized_links"), "warn")},
    "theme": {
        "name": "material",
        "font": False,  # fonts of the system: nothing is loaded from elsewhere
        "features": ["navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"],
        "palette": [
            {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo"},
            {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo"},
        ],
    },
}


def copy_pages(folder: Path) -> None:
    """Copy all pages, and the files that they link to, into `folder`."""
    for page in (path for pattern in PAGES for path in sorted(ROOT.glob(pattern))):
        targets = [page]
        for link in LINK.findall(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.is_file() and target.is_relative_to(ROOT):
                targets.append(target)
        for target in targets:
            copy = folder / target.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, copy)


def navigation() -> list[dict[str, object]]:
    """The pages in the order and under the headings of docs/README.md."""
    sections: list[dict[str, object]] = [{"Home": "README.md"}]
    for block in (ROOT / "docs" / "README.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        rows = re.findall(r"^\| \[([^\]]+)\]\(([^)]+)\)", block, re.MULTILINE)
        paths = [{title: (Path("docs") / link).as_posix().replace("docs/../", "")} for title, link in rows]
        sections.append({block.splitlines()[0]: paths})
    families = re.findall(r"^\| \[([^\]]+)\]\((src/[^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    return [*sections, {"Families": [{title: link} for title, link in families]}, {"Changelog": "CHANGELOG.md"}]


def main(out: Path) -> None:
    """Build the site into `out`, which is replaced; exit code 1 names every dead link."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    copy_pages(SOURCE / "pages")
    (SOURCE / "mkdocs.yml").write_text(json.dumps(CONFIG | {"nav": navigation()}, indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--site-dir", str(out.resolve())]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # an advertisement that would look like a dead link
    done = subprocess.run(command, cwd=SOURCE, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    print(f"look at it with: python -m http.server --directory {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
