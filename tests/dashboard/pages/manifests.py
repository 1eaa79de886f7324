"""Manifests of HAMi as people paste them, and the page that they are pasted into."""

from hashlib import sha256

from django.test import Client

from dashboard.pages.packing import packed

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: embed-0
  namespace: team-nlp
  annotations:
    nvidia.com/use-gputype: A100
spec:
  containers:
  - name: app
    image: registry.example/embed:4
    resources:
      limits:
        cpu: "4"
        nvidia.com/gpu: 1
        nvidia.com/gpumem: 8192
"""
# What means the same before and after.
SAME = """\
apiVersion: v1
kind: Pod
metadata:
  name: small
spec:
  containers:
  - name: app
    image: registry.example/small:1
    resources:
      limits:
        nvidia.com/gpu: 1
        nvidia.com/gpumem: 8192
        nvidia.com/gpucores: 30
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: serve
spec:
  template:
    metadata:
      labels:
        app: serve
    spec:
      containers:
      - name: web
        image: registry.example/web:2
        resources:
          limits:
            huawei.com/Ascend310P: 1
            huawei.com/Ascend310P-memory: 8192
            huawei.com/Ascend310P-core: 50
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: serve
spec:
  ports:
  - port: 80
"""
BROKEN = "kind: [Pod\n"


def together(*documents: str) -> str:
    return "---\n".join(documents)


def too_long_for_an_address(document: str = POD) -> str:
    """Comments that no deflating makes short."""
    noise = (sha256(str(number).encode()).hexdigest() for number in range(150))
    return document + "".join(f"# {line}\n" for line in noise)


def at(manifest: str, **asked: str) -> str:
    more = "".join(f"&{name}={value}" for name, value in asked.items())
    return f"/convert/?m={packed(manifest)}{more}"


def post(client: Client, manifest: str, status: int = 200, path: str = "/convert/", **fields: object) -> str:
    answer = client.post(path, {"manifest": manifest, **fields}, follow=True)
    assert answer.status_code == status, answer.content.decode()
    return answer.content.decode()
