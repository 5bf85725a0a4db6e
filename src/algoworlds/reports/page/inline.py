"""A drawn figure as part of a page: no style attributes (the page forbids them), colours that follow the page's theme."""

from xml.etree import ElementTree

from algoworlds.reports import drawing

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLOURS = (
    ("ink", drawing.INK),
    ("muted", drawing.MUTED),
    ("line", drawing.LINE),
    ("card", drawing.PAPER),
    ("rest", drawing.REST),
    ("teal", drawing.TEAL),
    ("gold", drawing.GOLD),
    ("coral", drawing.CORAL),
    ("blue", drawing.BLUE),
)
_THEMED = {colour: f"var(--{name})" for name, colour in _COLOURS}
_TEXT = {drawing.PAPER: "var(--on-mark)"}
"""Paper-coloured text stands on a mark, not beside one."""
_DROPPED = ("font-family",)


def inlined(svg: bytes, name: str, title: str) -> str:
    """An SVG file's drawing as an inline element with ids of its own and a title for readers who do not see it."""
    root = ElementTree.fromstring(svg)
    for child in list(root):
        if child.tag == f"{_SVG}metadata" or child.find(f"{_SVG}style") is not None:
            root.remove(child)
    for element in root.iter():
        _restyle(element, name)
    made = ElementTree.Element(
        "svg", {"viewBox": root.attrib["viewBox"], "class": "figure", "role": "img", "aria-label": title}
    )
    made.extend(list(root))
    return ElementTree.tostring(made, encoding="unicode")


def _restyle(element: ElementTree.Element, name: str) -> None:
    element.tag = element.tag.removeprefix(_SVG)
    colours = _THEMED | _TEXT if element.tag == "text" else _THEMED
    for rule in filter(None, (part.strip() for part in element.attrib.pop("style", "").split(";"))):
        key, _, value = rule.partition(":")
        if key not in _DROPPED:
            element.set(key, colours.get(value.strip(), value.strip()))
    if _LINK in element.attrib:
        element.set("href", f"#{name}-{element.attrib.pop(_LINK).removeprefix('#')}")
    if "id" in element.attrib:
        element.set("id", f"{name}-{element.get('id')}")
    if "clip-path" in element.attrib:
        element.set("clip-path", element.attrib["clip-path"].replace("url(#", f"url(#{name}-"))
