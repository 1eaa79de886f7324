# One image for web, worker, beat and `prepare`; PostgreSQL and Redis come from elsewhere.
FROM python:3.13-slim AS packages

WORKDIR /app
COPY requirements/core.txt requirements/core.txt
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/core.txt


FROM python:3.13-slim

ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    SLICEBOARD_STATE=/state \
    SLICEBOARD_STATIC_ROOT=/app/staticfiles

WORKDIR /app
COPY --from=packages /venv /venv
COPY manage.py LICENSE ./
COPY inventory inventory
COPY dashboard dashboard
COPY templates templates
COPY static static
COPY locale locale

# The state folder is all that is written besides /tmp: the root file system may be read-only.
RUN SLICEBOARD_SECRET_KEY=for-this-step-only python manage.py collectstatic --noinput --verbosity 0 \
    && python -m compileall -q inventory dashboard \
    && install --directory --owner 10001 --group 10001 --mode 0700 /state
USER 10001:10001
VOLUME /state
EXPOSE 8000

CMD ["python", "manage.py", "serve", "--bind=0.0.0.0:8000"]
