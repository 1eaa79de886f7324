import base64
import json

import pytest

from demo import continuation
from demo.refusals import Refusal


def token(**parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize("within", ["", "team-a"])
def test_a_token_leads_back_behind_its_key(within: str) -> None:
    text = continuation.encode(7, ("team-a", "pod-1"), within)
    assert continuation.decode(text, within, namespaced=True) == continuation.Continuation(
        7, ("team-a", "pod-1\x00")
    )


def test_the_token_of_a_cluster_wide_kind_has_no_namespace() -> None:
    text = continuation.encode(7, ("", "node-1"), "")
    assert continuation.decode(text, "", namespaced=False).start == ("", "node-1\x00")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a b", "illegal base64 data at input byte 1"),
        ("abcde", "illegal base64 data at input byte 4"),
        (token(v="v9", rv=1, start="/a"), 'does not recognize this encoded version "v9"'),
        (token(v="meta.k8s.io/v1", start="/a"), "incorrect encoded start resourceVersion"),
        (token(v="meta.k8s.io/v1", rv=1), "encoded start key empty"),
        (token(v="meta.k8s.io/v1", rv=1, start="/../b"), "continue key is not valid: /../b"),
        (token(v="meta.k8s.io/v1", rv=1, start="/only-one"), "continue key is not valid: /only-one"),
        (token(v="meta.k8s.io/v1", rv="x", start="/a"), "continue key is not valid"),
    ],
)
def test_a_token_of_another_making_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(Refusal) as refused:
        continuation.decode(text, "", namespaced=True)
    assert refused.value.code == 400
    assert complaint in refused.value.message
