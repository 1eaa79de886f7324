"""Certificates made on the spot with the openssl command."""

import ssl
import subprocess
from pathlib import Path

_CONFIG = """
[req]
distinguished_name = name
prompt = no
[name]
CN = Sliceboard test
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[leaf]
basicConstraints = critical, CA:FALSE
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = {names}
"""


class Authority:
    """A CA in a folder of its own, which signs certificates for any names."""

    def __init__(self, folder: Path) -> None:
        self.certificate = folder / "authority.crt"
        self._key = folder / "authority.key"
        self._folder = folder
        self._make("authority", self.certificate, self._key, "IP:127.0.0.1", [])

    def sign(self, label: str, names: str) -> tuple[Path, Path]:
        """A certificate and its key; `names` as openssl spells them: IP:127.0.0.1, DNS:example.com."""
        certificate, key = self._folder / f"{label}.crt", self._folder / f"{label}.key"
        self._make("leaf", certificate, key, names, ["-CA", str(self.certificate), "-CAkey", str(self._key)])
        return certificate, key

    def _make(self, extensions: str, certificate: Path, key: Path, names: str, signer: list[str]) -> None:
        config = self._folder / f"{certificate.stem}.cnf"
        config.write_text(_CONFIG.format(names=names))
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        files = [
            "-config",
            str(config),
            "-extensions",
            extensions,
            "-keyout",
            str(key),
            "-out",
            str(certificate),
        ]
        command = ["openssl", "req", "-x509", "-days", "2", *curve, *files, *signer]
        subprocess.run(command, check=True, capture_output=True, timeout=30)


def server_context(certificate: Path, key: Path, clients_of: Path | None = None) -> ssl.SSLContext:
    """With `clients_of`, only clients with a certificate of that CA are let in."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if clients_of:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients_of)
    return context
