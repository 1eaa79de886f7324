"""Text of a cluster inside a picture. Plotly reads a part of HTML, so what is not ours is escaped."""

from html import escape


def plain(text: str) -> str:
    """Shown as it is; quotes need no escape, since nothing of a cluster stands inside an attribute."""
    return escape(text, quote=False)


def bold(text: str) -> str:
    return f"<b>{plain(text)}</b>"


def link(href: str, text: str) -> str:
    """`href` is a path of our own; Plotly would open it in another window."""
    return f'<a href="{escape(href)}" target="_self">{plain(text)}</a>'


def lines(*parts: str) -> str:
    """Parts that are markup already, one below the other; empty ones are left out."""
    return "<br>".join(part for part in parts if part)
