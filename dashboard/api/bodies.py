"""What a question says in its body: JSON of one type, and nothing that the type does not know."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

import msgspec
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.parsers import BaseParser

from inventory.kube.manifests import LONGEST_BYTES

# JSON escapes what a manifest has as it is.
_LONGEST_BODY = 2 * LONGEST_BYTES
_FIELD = re.compile(r"(?:unknown field `|at `\$\.)(\w+)")


class TooLarge(APIException):
    status_code = 413
    default_detail = f"The body is longer than {_LONGEST_BODY // 1024} KiB."


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
        except msgspec.DecodeError as error:
            raise ParseError(f"The body is no JSON: {error}") from error
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
