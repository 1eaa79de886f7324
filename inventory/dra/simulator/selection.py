"""Which devices a request selects: by its class first, then by its own selectors; all must hold."""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from inventory.dra.cel.errors import CompileError, EvaluationError, UnsupportedError
from inventory.dra.cel.reads import Read
from inventory.dra.cel.selectors import compiled
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.claims import Claim, Request
from inventory.dra.simulator.refusals import CannotSimulateError, MissingClassError, SelectorRefusedError
from inventory.dra.simulator.rejections import Check, Rejection
from inventory.kube.objects import Capacity

# The CEL expressions of a class, or why they are not known.
ClassSelectors = tuple[str, ...] | ValueError

# Expressions whose answers are kept for the next question about the same devices.
_KEPT = 64


Answers = WeakKeyDictionary[Candidate, bool]


class Matches:
    """Answers of selectors about devices, each as long as the device stays what it is.

    Threads share them; what two of them find out at once is the same.
    """

    def __init__(self) -> None:
        self._of: OrderedDict[str, Answers] = OrderedDict()
        self._lock = Lock()

    def of(self, expression: str) -> Answers:
        with self._lock:
            known = self._of.setdefault(expression, WeakKeyDictionary())
            self._of.move_to_end(expression)
            while len(self._of) > _KEPT:
                self._of.popitem(last=False)
            return known


class Selector:
    """One selector of a class or a claim, with the answers that are known."""

    def __init__(self, expression: str, where: str, source: str, known: Answers) -> None:
        self.expression, self.where, self.known = expression, where, known
        self.rejection = Rejection(Check.SELECTOR, expression, detail=source)

    def holds(self, candidate: Candidate) -> bool:
        found = self.known.get(candidate)
        if found is None:
            found = self.known[candidate] = self._evaluated(candidate)
        return found

    def _evaluated(self, candidate: Candidate) -> bool:
        try:
            return compiled(self.expression).matches(candidate.subject)
        except CompileError as error:
            raise SelectorRefusedError(f"{self.where}: CEL compile error: {error}") from error
        except EvaluationError as error:
            message = f"{self.where}: CEL runtime error: {error}"
            raise SelectorRefusedError(message, device=str(candidate.id)) from error
        except UnsupportedError as error:
            raise CannotSimulateError(f"cannot simulate: {self.expression}: {error.reason}") from error


class Selection:
    """The selectors of the classes and of the requests, as far as one question needs them."""

    def __init__(self, classes: Mapping[str, ClassSelectors], matches: Matches) -> None:
        """`classes`: of each device class of the cluster, its CEL expressions."""
        self._classes, self._matches = classes, matches
        # By the identity of a request, which the question holds on to.
        self._selectors: dict[int, list[Selector]] = {}

    def rejection(self, claim: Claim, request: Request, candidate: Candidate) -> Rejection | None:
        """The first selector that does not hold, None if all do.

        Raises SelectorRefusedError and CannotSimulateError.
        """
        for selector in self.of(claim, request):
            if not selector.holds(candidate):
                return selector.rejection
        return None

    def values_read(self, expression: str, candidate: Candidate) -> str:
        """What a selector reads of a device, in words: `productName is 310P3`."""
        described = candidate.device
        found = []
        for read in compiled(expression).reads:
            published = described.attributes if read.of == "attributes" else described.capacity
            found.append(f"{read.name} {_text(published or {}, candidate.id.driver, read)}")
        return ", ".join(found)

    def of(self, claim: Claim, request: Request) -> list[Selector]:
        """Raises MissingClassError, and CannotSimulateError for a class that cannot be read."""
        found = self._selectors.get(id(request))
        if found is None:
            found = self._selectors[id(request)] = self._made(claim, request)
        return found

    def _made(self, claim: Claim, request: Request) -> list[Selector]:
        name = request.device_class
        found = self._classes.get(name)
        if found is None:
            raise MissingClassError(
                f"claim {claim}, request {request.name}: could not retrieve device class {name}"
            )
        if isinstance(found, ValueError):
            raise CannotSimulateError(str(found))
        of_class = [
            (text, f"class {name}: selector #{index}", f"class {name}") for index, text in enumerate(found)
        ]
        own = [
            (text, f"claim {claim}: selector #{index}", f"request {request.result_name}")
            for index, text in enumerate(request.selectors)
        ]
        return [
            Selector(text, where, source, self._matches.of(text)) for text, where, source in (*of_class, *own)
        ]


def _text(published: Mapping[str, Any], driver: str, read: Read) -> str:
    found = published.get(f"{read.domain}/{read.name}")
    if found is None and read.domain == driver:
        found = published.get(read.name)
    if found is None:
        return "is missing"
    if isinstance(found, Capacity):
        return f"is {found.value}"
    return f"is {next(iter(found.values()), '')}" if isinstance(found, Mapping) else f"is {found}"
