"""What can be wrong with a device selector; every message is one line for a person."""


class SelectorError(ValueError):
    """The base of all."""

    prefix = ""

    def __init__(self, reason: str) -> None:
        super().__init__(self.prefix + reason)
        self.reason = reason


class CompileError(SelectorError):
    """An API server refuses such an expression, and a scheduler that meets it gives up on the Pod."""


class EvaluationError(SelectorError):
    """The expression fails on this device, and the scheduler gives up its attempt at the Pod."""


class UnsupportedError(SelectorError):
    """We cannot say what the scheduler would find: never guessed."""

    prefix = "cannot simulate: "
