"""What a question says in its body: JSON of one type, and nothing that the type does not know."""

import re
from collections.abc import Mapping
from decimal import Decimal
from io import BytesIO
from typing import Any, ClassVar

import msgspec
from django.http import HttpRequest
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.parsers import BaseParser

from inventory.kube.manifests import LONGEST_BYTES

# JSON escapes what a manifest has as it is.
_LONGEST_BODY = 2 * LONGEST_BYTES
_FIELD = re.compile(r"(?:unknown field `|at `\$\.)(\w+)")


class TooLarge(APIException):
    status_code = 413
    default_detail = f"The body is longer than {_LONGEST_BODY // 1024} KiB."


class WithoutLength(APIException):
    status_code = 411
    default_detail = "This server reads no bodies in chunks: send the body with its Content-Length."


def measure(request: HttpRequest) -> None:
    """A body in chunks comes without its length, and what has no length counts as empty.

    Raises WithoutLength where the server does not tell where such a body ends.
    """
    if not request.META.get("HTTP_TRANSFER_ENCODING"):
        return
    if not request.META.get("wsgi.input_terminated"):
        raise WithoutLength
    try:
        body = request.META["wsgi.input"].read(_LONGEST_BODY + 1)
    except Exception as error:
        # Each server has errors of its own for these.
        raise ParseError("The body cannot be read: it was cut off, or its chunks are malformed.") from error
    request.META["CONTENT_LENGTH"] = str(len(body))
    request._stream = BytesIO(body)


class BodyParser(BaseParser):
    """Numbers are never floats. Each question has a parser of its own, made by `of`."""

    media_type = "application/json"
    decoder: ClassVar[msgspec.json.Decoder[Any]]

    @classmethod
    def of(cls, question: type[msgspec.Struct]) -> "type[BodyParser]":
        decoder = msgspec.json.Decoder(question, float_hook=Decimal)
        return type(f"{question.__name__}Parser", (cls,), {"decoder": decoder})

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read(_LONGEST_BODY + 1)
        if len(body) > _LONGEST_BODY:
            raise TooLarge
        try:
            return self.decoder.decode(body)
        except msgspec.ValidationError as error:
            field = _FIELD.search(str(error))
            raise ValidationError({field[1]: [str(error)]} if field else [str(error)]) from error
        except (msgspec.DecodeError, ArithmeticError) as error:
            raise ParseError(f"The body is no JSON: {error}") from error
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
