import pytest

from inventory.dra.cel.errors import CompileError, UnsupportedError
from inventory.dra.cel.selectors import compiled
from tests.inventory.dra.cel.devices import DRIVER, matches

OWN = f'device.attributes["{DRIVER}"]'


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("device.model == 1", "1:7: undefined field 'model'"),
        ("true &&\n device.model == 1", "2:8: undefined field 'model'"),
        ("", "1:1: Syntax error: mismatched input '<EOF>'"),
        ("(device.driver", "1:15: Syntax error: missing ')' at '<EOF>'"),
        ("card.model == 1", "1:5: undeclared reference to 'card.model'"),
        ("fits(1)", "1:5: undeclared reference to 'fits'"),
        ("1", "must evaluate to bool or the unknown type, not int"),
        ("dyn(true)", "must evaluate to bool or the unknown type, not dyn"),
        (f"{OWN}.a + {OWN}.b", "must evaluate to bool or the unknown type, not dyn"),
        ('quantity("1")', "must evaluate to bool or the unknown type, not kubernetes.Quantity"),
        ("optional.of(true)", "must evaluate to bool or the unknown type, not optional_type(bool)"),
        ("[1, 'a'].size() == 2", "1:5: expected type 'int' but found 'string'"),
        (f"[{OWN}.a, 'a'].size() == 2", "1:42: expected type 'dyn' but found 'string'"),
        ("{'a': 1, 'b': true}.size() == 2", "1:15: expected type 'int' but found 'bool'"),
        ("device.driver.matches('(')", "1:23: invalid regular expression: missing ): ("),
        ("device.driver.find('(') == ''", "1:20: invalid regular expression: missing ): ("),
        ("duration('soon') > duration('1s')", "1:9: invalid duration argument"),
        ("timestamp('soon') > timestamp('2026-01-01T00:00:00Z')", "1:10: invalid timestamp argument"),
        ("'\ud800' == ''", "a character that no text can hold"),
    ],
)
def test_what_an_api_server_refuses(expression: str, message: str) -> None:
    with pytest.raises(CompileError) as refused:
        compiled(expression)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "expression",
    [
        'quantity("1") >= quantity("2")',
        'quantity("1") == 1',
        "quantity(1) == quantity('1')",
        f'device.capacity["{DRIVER}"].memory > 1',
        f'device.capacity["{DRIVER}"].memory.isGreaterThan(semver("1.0.0"))',
        'quantity("1").sign() == 1',
        "1.0 == 1",
        "device.driver == 1",
        "device.attributes[1].model == ''",
        "[1].indexOf('a') == 0",
        "'a' < 1",
    ],
)
def test_types_that_do_not_go_together(expression: str) -> None:
    with pytest.raises(CompileError, match=r"overload|undeclared"):
        compiled(expression)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ('isIP("::1")', "isIP() is not evaluated here"),
        ('url("http://a").getHost() == "a"', "getHost() is not evaluated here"),
        ('cidr("10.0.0.0/8").containsIP("10.0.0.1")', "containsIP() is not evaluated here"),
        ("!format.dns1123Label().validate('a').hasValue()", "validate() is not evaluated here"),
        ('format.named("uuid").hasValue()', "named() is not evaluated here"),
        ("[1, 2].transformList(i, v, v).size() == 2", "transformList() is not evaluated here"),
        (f"{OWN}.all(name, value, true)", "all() with two variables is not evaluated here"),
        ("[[1]].flatten() == [1]", "flatten() is not evaluated here"),
        ("'%.2f'.format([1.5]) == '1.50'", "format() with other clauses than"),
        ("cel.bind(d, device, d.driver == '')", "`device` as a value (1:13) is not evaluated here"),
        ("has(device.driver)", "has(device.driver) is not evaluated here"),
        ("[1].all(device, device == 1)", "hides `device`"),
        ("dyn(device.attributes)['x'].y == 1", "the map of all domains as a value (1:11)"),
        ("device.attributes == device.attributes", "the map of all domains as a value"),
        ("dyn(quantity('1')) == 1", "kubernetes.Quantity as a value of unknown type"),
        ("[quantity('1')] == [quantity('1')]", "comparing lists or maps of quantities"),
        (f"type({OWN}.a) == type({OWN}.b)", "type() of dyn is not evaluated here"),
        ("b'a' == b'a'", "bytes (1:1) are not evaluated here"),
        ("[dyn(optional.none())].indexOf(1) == 0", "optional_type(dyn) as a value of unknown type"),
        ("[null].indexOf(null) == 0", "indexOf() of list(null_type) is not evaluated here"),
        ("[1u].sum() == 1u", "sum() of list(uint) is not evaluated here"),
        ("google.protobuf.Int64Value{value: 1} == 1", "the message google.protobuf.Int64Value"),
        ("[?optional.of(1)].size() == 1", "optional elements of a literal"),
        (f"{OWN}.?a.?b.hasValue()", "an optional field of optional_type(dyn)"),
        ("device.driver.matches(device.driver)", "matches() with a pattern that is not written out"),
        (" || ".join(["device.driver.matches('a')"] * 33), "more than 32 regular expressions"),
    ],
)
def test_what_we_cannot_say_is_named(expression: str, named: str) -> None:
    with pytest.raises(UnsupportedError) as refused:
        compiled(expression)
    assert named in str(refused.value)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("quantity('Mi') == quantity('0')", "the quantity 'Mi' is not read here"),
        ("'abc'.indexOf('a', 7) == -1", "differs between versions"),
    ],
)
def test_what_shows_only_as_it_runs_is_not_guessed(expression: str, named: str) -> None:
    with pytest.raises(UnsupportedError) as refused:
        matches(expression)
    assert named in str(refused.value)


def test_the_words_of_a_refusal() -> None:
    with pytest.raises(UnsupportedError) as refused:
        compiled("isIP('x')")
    assert str(refused.value) == "cannot simulate: isIP() is not evaluated here"
