"""Text in an address: deflated, and written with letters that need no escape there."""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

# Without a header: the address is no file.
_RAW = -zlib.MAX_WBITS


class PackingError(ValueError):
    """Nothing that was packed here; the message says what is wrong with it."""


def packed(text: str) -> str:
    deflate = zlib.compressobj(zlib.Z_BEST_COMPRESSION, wbits=_RAW)
    body = deflate.compress(text.encode(errors="replace")) + deflate.flush()
    return urlsafe_b64encode(body).rstrip(b"=").decode()


def unpacked(text: str, longest: int) -> str:
    """Of at most `longest` bytes: a few letters may stand for a great deal of text. Raises PackingError."""
    inflate = zlib.decompressobj(wbits=_RAW)
    try:
        body = inflate.decompress(urlsafe_b64decode(text + "=" * (-len(text) % 4)), longest + 1)
    except (ValueError, zlib.error) as error:
        raise PackingError("it is damaged") from error
    if len(body) > longest:
        raise PackingError(f"it stands for more than {longest // 1024} KiB")
    if not inflate.eof or inflate.unused_data:
        raise PackingError("it is damaged")
    return body.decode(errors="replace")
