"""Why there is no answer about devices: the scheduler gives up, or we cannot say."""


class RefusedError(ValueError):
    """The scheduler gives up on the Pod with this message, whatever other nodes have."""


class MissingClassError(RefusedError):
    """A request names a device class that is not there."""


class SelectorRefusedError(RefusedError):
    """A selector cannot be compiled, or fails on a `device`: the scheduler gives up on the Pod."""

    def __init__(self, message: str, *, device: str = "") -> None:
        super().__init__(message)
        self.device = device


class CannotSimulateError(ValueError):
    """It cannot be told here what the scheduler would do; the message says what stands in the way."""


class TooLongError(CannotSimulateError):
    """The search was not finished within its bounds."""
