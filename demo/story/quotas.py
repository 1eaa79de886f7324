"""What a ResourceQuota counts: claims and the devices they ask for by class, allocated or not."""

from demo import resources
from demo.store import Object, Store

CLAIMS = "count/resourceclaims.resource.k8s.io"
_DEVICES = ".deviceclass.resource.k8s.io/devices"


def devices_of_class(device_class: str) -> str:
    return device_class + _DEVICES


def recount(store: Store, namespace: str) -> None:
    """Bring the quotas of a namespace up to date."""
    quotas = [each for each in store.objects(resources.RESOURCE_QUOTAS) if _namespace(each) == namespace]
    claims = [each for each in store.objects(resources.RESOURCE_CLAIMS) if _namespace(each) == namespace]
    for each in quotas:
        hard = each["spec"]["hard"]
        used = {key: str(_used(key, claims)) for key in hard}
        if used != each["status"].get("used"):
            store.put(each | {"status": {"hard": hard, "used": used}})


def _used(key: str, claims: list[Object]) -> int:
    if key == CLAIMS:
        return len(claims)
    device_class = key.removesuffix(_DEVICES)
    return sum(
        request["exactly"]["count"]
        for claim in claims
        for request in claim["spec"]["devices"]["requests"]
        if request["exactly"]["deviceClassName"] == device_class
    )


def _namespace(obj: Object) -> str:
    return str(obj["metadata"]["namespace"])
