"""A conversion as a file to apply, or to keep in a repository."""

from django.http import HttpResponse

from inventory.kube.untrusted import printable
from inventory.queries.conversion.files import What, file_of
from inventory.queries.conversion.rows import ConversionsRow

_LONGEST_NOTICE = 400


def answer(rows: ConversionsRow, what: What) -> HttpResponse:
    """What is to be known of it stands at the top, as comments."""
    file = file_of(rows, what)
    notices = "".join(f"# {printable(f'{one.grade}: {one.text}', _LONGEST_NOTICE)}\n" for one in file.notices)
    response = HttpResponse(notices + file.text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="converted-{what}.yaml"'
    response["Cache-Control"] = "no-store"
    return response
