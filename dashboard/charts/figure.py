"""What all figures share. A figure names the tokens of the style sheet; the script puts in their colours."""

from typing import Any

Figure = dict[str, Any]

_AXIS: dict[str, Any] = {
    "gridcolor": "var(--line)",
    "linecolor": "var(--line)",
    "zeroline": False,
    "ticks": "",
    "fixedrange": True,
    "automargin": False,
    "tickfont": {"size": 11, "color": "var(--ink-3)"},
}
LAYOUT: dict[str, Any] = {
    "font": {"family": "var(--font)", "size": 12, "color": "var(--ink-2)"},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "margin": {"l": 48, "r": 8, "t": 8, "b": 32, "pad": 0},
    "bargap": 0.25,
    "barmode": "overlay",
    "showlegend": False,
    "dragmode": False,
    "hovermode": "closest",
    "separators": ".,",
    "transition": {"duration": 0},
    "hoverlabel": {
        "bgcolor": "var(--surface)",
        "bordercolor": "var(--line-strong)",
        "align": "left",
        "font": {"family": "var(--font)", "size": 12, "color": "var(--ink)"},
    },
}


def layout(**own: Any) -> dict[str, Any]:
    """The defaults with a figure's own settings over them; axes keep the defaults they do not name."""
    axes = {name: {**_AXIS, **own.pop(name, {})} for name in ("xaxis", "yaxis")}
    return {**LAYOUT, **own, **axes}


def note(text: str, x: float, y: float, **own: Any) -> dict[str, Any]:
    """Words beside a mark; `text` is markup, escaped by who makes it."""
    return {
        "x": x,
        "y": y,
        "xref": "x",
        "yref": "y",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": text,
        "font": {"size": 12, "color": "var(--ink)"},
        **own,
    }
