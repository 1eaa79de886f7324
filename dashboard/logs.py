"""Log lines as key=value pairs on one line, in UTC."""

import logging
import time

_CONTROL = {code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}


class PairsFormatter(logging.Formatter):
    """Messages quote what clusters say: a line break in one must not look like another line."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__(
            "time=%(asctime)s level=%(levelname)s logger=%(name)s request=%(request_id)s %(message)s",
            "%Y-%m-%dT%H:%M:%SZ",
            defaults={"request_id": "-"},
        )

    def formatMessage(self, record: logging.LogRecord) -> str:
        return super().formatMessage(record).translate(_CONTROL)
