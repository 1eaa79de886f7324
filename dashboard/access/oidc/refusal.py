class SignInError(Exception):
    """Somebody cannot be signed in; the message is for him, `cause` for the log of operators."""

    def __init__(self, told: str, *, cause: str, status: int = 403) -> None:
        super().__init__(told)
        self.cause = cause
        self.status = status
