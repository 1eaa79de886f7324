"""The web server: uvicorn, with the options that are right here, in as many processes as are asked for."""

import uvicorn

from dashboard.supervisor.address import Address


def serve(address: Address, processes: int, grace_seconds: int) -> None:
    """Until a signal comes; then what is being answered has so long to end."""
    uvicorn.run(
        "dashboard.asgi:application",
        host=address.host,
        port=address.port,
        workers=processes,
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="on",
        # Lines like all others, and one for each request only: our own, with its id.
        log_config=None,
        access_log=False,
        server_header=False,
        # What a proxy says of the client counts where Django is told so, and nowhere else.
        proxy_headers=False,
        timeout_graceful_shutdown=grace_seconds,
        # A process that is starting does not answer yet, and may take long where much else is done.
        timeout_worker_healthcheck=30,
    )
