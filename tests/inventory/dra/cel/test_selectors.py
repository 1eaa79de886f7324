from concurrent.futures import ThreadPoolExecutor

import pytest

from inventory.dra.cel.errors import CompileError, EvaluationError, UnsupportedError
from inventory.dra.cel.selectors import compiled, complaint
from tests.inventory.dra.cel.devices import CARD, DRIVER, matches, seen

OWN = f'device.attributes["{DRIVER}"]'
MEMORY = f'device.capacity["{DRIVER}"].memory'


@pytest.mark.parametrize(
    "expression",
    [
        f'device.driver == "{DRIVER}"',
        f'{OWN}.model == "A100" && {OWN}["index"] == 3',
        f'{OWN}.model in ["A100", "H100"]',
        f"{OWN}.healthy",
        f"{OWN}.index < 3.5 && {OWN}.index == 3.0",
        'device.attributes["other.example.com"].rack == "r1"',
        f"cel.bind(own, {OWN}, own.healthy && own.index > 2)",
        f"cel.bind(all, device.attributes, all['{DRIVER}'].healthy)",
        f'{OWN}.exists(name, name == "model")',
        f'{OWN}.all(name, name != "serial")',
        f'{OWN}.filter(name, name.startsWith("m")).size() == 1',
        f'{OWN}.model.lowerAscii().matches("^a[0-9]+$")',
        f'{OWN}.model.find("[0-9]+") == "100"',
        f'"%s-%d".format([{OWN}.model, 1]) == "A100-1"',
        f"type({OWN}.index) == int",
        f"string({OWN}.index) == '3' && size({OWN}.model) == 4",
        f'{OWN}.?serial.orValue("none") == "none"',
        f'{OWN}.?model.optMap(name, name == "A100").orValue(false)',
        f'{OWN}.index.includes(3) && !{OWN}.model.includes("A")',
        "1 < 2.0 && 2u >= 1",
        "device.allowMultipleAllocations == false",
    ],
)
def test_a_selector_matches(expression: str) -> None:
    assert matches(expression) is True


@pytest.mark.parametrize(
    "expression",
    [
        'size(device.attributes["nowhere"]) == 0',
        'device.attributes["nowhere"].all(name, false)',
        '!("nowhere" in device.attributes)',
        f'"{DRIVER}" in device.attributes && "other.example.com" in device.attributes',
        "size(device.attributes) == 2",
        'device.attributes.exists(domain, domain == "other.example.com")',
        '!has(device.attributes["nowhere"].model)',
        # What upstream's map with a default answers.
        "has(device.attributes.nowhere) && device.attributes.?nowhere.hasValue()",
        'device.attributes[?"nowhere"].orValue({}).size() == 0',
        '!device.attributes[?"nowhere"].?model.hasValue() && !device.attributes.?nowhere.?model.hasValue()',
        f'device.attributes[?"{DRIVER}"].?model.orValue("") == "A100"',
        f'device.capacity[?"{DRIVER}"].?memory.orValue(quantity("0")) == quantity("40Gi")',
        'device.capacity[?"nowhere"].?memory.orValue(quantity("0")) == quantity("0")',
        '!("memory" in device.capacity["nowhere"])',
        f'"memory" in device.capacity["{DRIVER}"]',
    ],
)
def test_a_domain_that_nothing_is_published_in_is_empty(expression: str) -> None:
    assert matches(expression) is True


def test_what_is_published_without_a_domain_is_in_the_driver_s() -> None:
    card = seen({"bare": 1, f"{DRIVER}/full": 2})
    assert matches(f"{OWN}.bare == 1 && {OWN}.full == 2", card)


@pytest.mark.parametrize(
    ("expression", "wording"),
    [
        (f"{OWN}.serial == 1", "no such key: serial"),
        ('device.attributes["nowhere"].model == "x"', "no such key: model"),
        (f'{OWN}["serial"] == 1', "no such key: serial"),
        (f"{OWN}.model > 1", "no such overload: _>_(string, int)"),
        ("[1, 2][5] == 1", "index out of bounds: 5"),
        ("1 / 0 == 1", "division by zero"),
        (f"{OWN}.index.exists(x, true)", "no such overload: the range of a macro is no list and no map"),
        (f"{OWN}.model.part == 1", "no such key: a field of a value that has none"),
        (f"{OWN}.model ? true : false", "no such overload: the condition of ?: is no bool"),
        ('quantity("12 apples") == quantity("1")', "'12 apples' is not a Kubernetes quantity"),
        ('semver("1.2") == semver("1.2.0")', "'1.2' is no semantic version"),
        ('quantity("1500m").asInteger() == 1', "cannot convert value to integer"),
        ("[].max() == 1", "max called on empty list"),
    ],
)
def test_an_expression_fails_on_a_device(expression: str, wording: str) -> None:
    with pytest.raises(EvaluationError) as failed:
        matches(expression)
    assert str(failed.value).startswith(wording)


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        (f"{OWN}.index", "int"),
        (f"{OWN}.driverVersion", "kubernetes.Semver"),
        (f"{OWN}.?serial.orValue([1])", "list"),
    ],
)
def test_a_result_that_is_no_bool_fails(expression: str, kind: str) -> None:
    with pytest.raises(EvaluationError) as failed:
        matches(expression)
    assert str(failed.value) == (
        f"CEL result of type {kind} could not be converted to bool: "
        f"unsupported native conversion from {kind} to 'bool'"
    )


@pytest.mark.parametrize("decided", ["true || {0}", "{0} || true", "!(false && {0})", "!({0} && false)"])
def test_an_error_beside_what_decides_does_not_count(decided: str) -> None:
    assert matches(decided.format(f"{OWN}.serial == 1"))


@pytest.mark.parametrize("undecided", ["false || {0}", "{0} && true"])
def test_an_error_that_decides_counts(undecided: str) -> None:
    with pytest.raises(EvaluationError, match="no such key: serial"):
        matches(undecided.format(f"{OWN}.serial == 1"))


@pytest.mark.parametrize(
    "expression",
    [
        f'{OWN}.driverVersion == semver("550.54.15") && {OWN}.driverVersion == {OWN}.build',
        f'{OWN}.driverVersion.isGreaterThan(semver("550.54.15-rc.1"))',
        f'{OWN}.driverVersion.compareTo(semver("v551", true)) == -1',
        f"{OWN}.driverVersion.major() == 550 && {OWN}.driverVersion.patch() == 15",
        f'{OWN}.driverVersion in [semver("550.54.15")]',
        f'type({OWN}.driverVersion) != string && {OWN}.driverVersion != "550.54.15"',
        f"!has({OWN}.driverVersion.major)",
        'isSemver("1.2.3") && !isSemver("v1.2.3") && isSemver("v1.2.3", true)',
    ],
)
def test_versions_compare(expression: str) -> None:
    assert matches(expression)


@pytest.mark.parametrize(
    "misuse",
    [
        f"size({OWN}.driverVersion) > 0",
        f"{OWN}.driverVersion.size() > 0",
        f'string({OWN}.driverVersion) == "550.54.15"',
        f"{OWN}.driverVersion <= {OWN}.build",
        f"{OWN}.driverVersion + {OWN}.build == {OWN}.build",
        f"{OWN}.driverVersion.exists(x, true)",
        f'"%s".format([{OWN}.driverVersion]) == "550.54.15"',
        f"{OWN}.driverVersion.isGreaterThan({OWN}.index)",
        f'{OWN}.driverVersion.compareTo(quantity("1")) == 0',
    ],
)
def test_a_version_is_nothing_but_a_version(misuse: str) -> None:
    with pytest.raises(EvaluationError):
        matches(misuse)


@pytest.mark.parametrize(
    "expression",
    [
        f'{MEMORY} == quantity("40960Mi") && {MEMORY} != quantity("40G")',
        f'{MEMORY}.compareTo(quantity("41Gi")) == -1',
        f'{MEMORY}.add(1).isGreaterThan(quantity("40Gi")) && {MEMORY}.sub(quantity("40Gi")) == quantity("0")',
        f"{MEMORY}.asInteger() == 42949672960",
        f'{MEMORY} in [quantity("40960Mi")]',
        f'sets.contains([{MEMORY}], [quantity("40960Mi")])',
        f'[quantity("1"), {MEMORY}].indexOf(quantity("40960Mi")) == 1',
        f'device.capacity["{DRIVER}"].?tiles.orValue(quantity("0")).isLessThan(quantity("1"))',
        'device.capacity["other.example.com"].links.asApproximateFloat() == 1.5',
        'sign(quantity("-1")) == -1 && isQuantity("1Ki") && !isQuantity("1KB")',
        'device.capacity.exists(d, device.capacity[d].exists(k, device.capacity[d][k] == quantity("1500m")))',
    ],
)
def test_quantities_compare(expression: str) -> None:
    assert matches(expression)
    # The same where it matters how each is held.
    assert matches(f'({expression}) && quantity("1").isInteger()')


@pytest.mark.parametrize(("value", "sign"), [("39Gi", 1), ("40Gi", 0), ("41Gi", -1)])
@pytest.mark.parametrize("literal", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("relation", ["==", "!=", "<", "<=", ">", ">="])
def test_the_sign_of_a_comparison_compares(value: str, sign: int, literal: int, relation: str) -> None:
    told = matches(f"{sign} {relation} {literal}")
    compared = f'{MEMORY}.compareTo(quantity("{value}"))'
    assert matches(f"{compared} {relation} {literal}") is told
    assert matches(f"dyn({compared}) {relation} {literal}") is told


@pytest.mark.parametrize(
    "expression",
    [
        "[1, 2].sum() == 3 && [1.5, 1.5].sum() == 3.0",
        '["b", "a"].min() == "a" && [1, 2].max() == 2',
        "[1, 1, 2].isSorted() && ![2, 1].isSorted()",
        "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(7) == -1",
        '"abcabc".indexOf("c") == 2 && "abcabc".lastIndexOf("c") == 5 && "abcabc".indexOf("c", 3) == 5',
        f'{OWN}.model.indexOf("1") == 1',
        "sets.equivalent([1, 1], [1]) && sets.intersects([1, 2], [2]) && !sets.contains([1], [2])",
        '"a1b22".findAll("[0-9]+") == ["1", "22"] && "a1b22".findAll("[0-9]+", 1) == ["1"]',
        '["a", "b"].join("-") == "a-b" && "a-b".split("-").size() == 2',
    ],
)
def test_functions_on_lists_and_texts(expression: str) -> None:
    assert matches(expression)


def test_the_same_expression_is_compiled_once() -> None:
    assert compiled(f"{OWN}.healthy") is compiled(f"{OWN}.healthy")


@pytest.mark.parametrize(
    ("expression", "kind"), [("device.nope", CompileError), ("ip('x')", UnsupportedError)]
)
def test_a_refusal_is_the_same_every_time(expression: str, kind: type[Exception]) -> None:
    messages = set()
    for _ in range(2):
        with pytest.raises(kind) as refused:
            compiled(expression)
        messages.add(str(refused.value))
    assert len(messages) == 1


def test_a_complaint_shows_every_place() -> None:
    assert complaint('m["a"x"] == "c"') == (
        "ERROR: <input>:1:6: Syntax error: mismatched input 'x' expecting ']'\n"
        ' | m["a"x"] == "c"\n'
        " | .....^\n"
        "ERROR: <input>:1:15: Syntax error: token recognition error at: '\"'\n"
        ' | m["a"x"] == "c"\n'
        " | ..............^"
    )
    assert complaint("nobody == 1") == (
        "ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')\n | nobody == 1\n | ^"
    )
    assert complaint("true") == ""


def test_threads_share_selectors_and_devices() -> None:
    cards = [seen({"index": index, "driverVersion": {"version": f"1.0.{index}"}}) for index in range(20)]
    selector = compiled(f'{OWN}.index >= 10 && {OWN}.driverVersion.isGreaterThan(semver("1.0.9"))')
    with ThreadPoolExecutor(8) as pool:
        rounds = list(pool.map(lambda _: [selector.matches(card) for card in cards], range(40)))
    assert all(found == [False] * 10 + [True] * 10 for found in rounds)


def test_threads_compile_the_same_expression() -> None:
    expression = f'{OWN}.model == "A100" && {OWN}.index == 3 && "compiled by threads" != ""'
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: matches(expression), range(40)))


def test_a_device_serves_any_number_of_evaluations() -> None:
    selector = compiled(f"{OWN}.index == 3")
    assert all(selector.matches(CARD) for _ in range(1000))
