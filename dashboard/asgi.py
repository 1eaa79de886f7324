import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

_answer = get_wsgi_application()

# What uses models can be imported from here on.
from dashboard.serving.threads import Threads  # noqa: E402
from dashboard.stream.hub import hub  # noqa: E402

application = Threads(
    _answer,
    settings.SLICEBOARD_WEB_THREADS,
    longest=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    before_stopping=hub.end_all,
)
