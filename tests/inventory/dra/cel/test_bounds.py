"""Expressions that would take a worker down end with an answer."""

import subprocess
import sys
from textwrap import dedent

import pytest

from inventory.dra.cel.errors import CompileError, UnsupportedError
from inventory.dra.cel.selectors import compiled
from tests.inventory.dra.cel.devices import DRIVER, matches, seen

NUMBERS = "[" + ",".join(["1"] * 120) + "]"
TEXT = f"'{'x' * 64}'"


def _doubled(times: int) -> str:
    expression = f"v{times}.size() > 0"
    for step in range(times, 0, -1):
        expression = f"cel.bind(v{step}, v{step - 1} + v{step - 1}, {expression})"
    return f"cel.bind(v0, {TEXT}, {expression})"


def test_ten_kilobytes_are_the_api_s_limit() -> None:
    padding = " " * (10 * 1024 - 4)
    assert matches(f"true{padding}")
    with pytest.raises(CompileError, match="longer than 10240 bytes"):
        compiled(f"true{padding} ")


@pytest.mark.parametrize(
    "expression",
    [
        _doubled(20),
        f"[{TEXT}]" + f".map(x, x.replace('x', {TEXT}))" * 4 + "[0] == ''",
        f"{TEXT}" + f".replace('x', {TEXT})" * 5 + " == ''",
        f"[{NUMBERS}.map(x, {NUMBERS}.map(y, {NUMBERS}))] == []",
        f"{NUMBERS}.all(x, {NUMBERS}.all(y, {NUMBERS}.all(z, x == y)))",
        "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, "
        "a == b || c == d))))",
        f"[{TEXT}, {TEXT}].join({TEXT})" + f".split('').join({TEXT})" * 4 + " == ''",
        f"'{'%s' * 3000}'.format([{', '.join([TEXT] * 40)}]) == ''",
    ],
)
def test_what_grows_or_loops_beyond_bounds_is_refused_before_it_runs(expression: str) -> None:
    with pytest.raises(UnsupportedError, match="too much time or memory"):
        compiled(expression)


def test_a_loop_beyond_the_engine_s_budget_is_stopped() -> None:
    with pytest.raises(UnsupportedError, match="Iteration budget exceeded"):
        matches(f"{NUMBERS}.all(x, {NUMBERS}.all(y, x == y))")


def test_a_loop_over_what_a_device_publishes_is_stopped() -> None:
    card = seen({f"a{index}": index for index in range(200)})
    own = f'device.attributes["{DRIVER}"]'
    with pytest.raises(UnsupportedError, match="Iteration budget exceeded"):
        matches(f"{own}.all(a, {own}.all(b, a != '' && b != ''))", card)


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 10_000,
        "(" * 200 + "true" + ")" * 200,
        "[" * 4_000 + "]" * 4_000 + ".size() == 1",
        "+".join(["1"] * 5_000) + " == 1",
        "device.driver" + ".lowerAscii()" * 700 + " == ''",
        "true ? " * 900 + "true" + " : false" * 400,
        "device.attributes['a']" + ".b" * 4_000 + " == 1",
        "{1:" * 2_500 + "1" + "}" * 2_500 + " == {}",
    ],
)
def test_nesting_ends(expression: str) -> None:
    with pytest.raises((UnsupportedError, CompileError)):
        compiled(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "!" * 10_000 + "true",
        " && ".join(["true"] * 1_200),
        " || ".join(['device.driver == "a"'] * 300) + " || true",
        f"device.driver in [{', '.join([TEXT] * 140)}, {DRIVER!r}]",
        f"'{'a' * 5_000}'.matches('(a+)+$')",
    ],
)
def test_what_is_only_long_is_evaluated(expression: str) -> None:
    assert matches(expression)


def test_without_an_engine_nothing_is_guessed() -> None:
    script = """
        import sys
        sys.modules["cel_expr_python"] = sys.modules["re2"] = None
        from inventory.dra.cel.errors import UnsupportedError
        from inventory.dra.cel.selectors import compiled
        from inventory.dra.cel.subjects import subject
        from inventory.kube.objects import Device
        subject("gpu.example.com", Device(name="gpu-0"))
        for expression in ("true", "("):
            try:
                compiled(expression)
            except UnsupportedError as error:
                print(error)
    """
    ran = subprocess.run(
        [sys.executable, "-c", dedent(script)], check=True, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout == "cannot simulate: no CEL engine is installed on this platform\n" * 2


def test_without_re2_only_what_needs_it_is_refused() -> None:
    script = """
        import sys
        sys.modules["re2"] = None
        from inventory.dra.cel.selectors import compiled
        from inventory.dra.cel.subjects import subject
        from inventory.kube.objects import Device
        card = subject("gpu.example.com", Device(name="gpu-0"))
        print(compiled("device.driver.startsWith('gpu')").matches(card))
        try:
            compiled("device.driver.matches('^gpu')")
        except ValueError as error:
            print(error)
    """
    ran = subprocess.run(
        [sys.executable, "-c", dedent(script)], check=True, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout.splitlines() == [
        "True",
        "cannot simulate: regular expressions need RE2, which is not installed on this platform",
    ]
