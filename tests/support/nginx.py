"""A real nginx with deploy/nginx.conf, on free ports of loopback, with a certificate of its own, and a cache in it."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.growing import PROJECT
from tests.support.redis_cluster import free_ports
from tests.support.waiting import eventually
from tests.support.web_process import Answered, read

CONF = PROJECT / "deploy" / "nginx.conf"
AROUND = """
{user}pid {place}/nginx.pid;
error_log {place}/error.log warn;
events {{ worker_connections 256; }}
http {{
    log_format kept '$request_uri $status $upstream_cache_status';
    access_log {place}/access.log kept;
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    proxy_cache_path {place}/cache keys_zone=front:1m;
    proxy_cache front;
    proxy_cache_valid any 1h;
    include {place}/tidewatch.conf;
}}
"""


@dataclass
class Nginx:
    """``home`` is the address of the pages."""

    port: int
    plain_port: int
    place: Path

    @property
    def home(self) -> str:
        return f"https://127.0.0.1:{self.port}/mon/"

    def connect(self) -> ssl.SSLSocket:
        context = ssl.create_default_context(cafile=str(self.place / "certificate.pem"))
        return context.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), timeout=15), server_hostname="127.0.0.1"
        )

    def get(self, target: str, **headers: str) -> Answered:
        """GET of an address exactly as it is spelled; ``X_Y`` in ``headers`` is sent as ``X-Y``."""
        return self.ask("GET", target, **headers)

    def ask(self, method: str, target: str, body: bytes = b"", **headers: str) -> Answered:
        told = {"Host": "watch.example", "Connection": "close"} | ({"Content-Length": str(len(body))} if body else {})
        told |= {name.replace("_", "-"): text for name, text in headers.items()}
        lines = "".join(f"{name}: {text}\r\n" for name, text in told.items())
        with self.connect() as connection:
            connection.sendall(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode() + body)
            return read(connection)

    def cached(self, target: str) -> list[str]:
        """What the cache did with each request for an address so far."""
        lines = (one.split() for one in (self.place / "access.log").read_text().splitlines())
        return [found[2] for found in lines if found[0] == target]


def certify(place: Path) -> None:
    """A certificate of loopback that nobody else has."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "watch.example")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("watch.example")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    (place / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (place / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def configured(place: Path, port: int, plain_port: int, web_port: int) -> str:
    """The file of deploy/, with the ports and the certificate of this test alone in place of its own."""
    text = re.sub(r"^ *listen \[::\].*\n", "", CONF.read_text(), flags=re.MULTILINE)
    for before, after in (
        ("server 127.0.0.1:8050;", f"server 127.0.0.1:{web_port};"),
        ("listen 80;", f"listen 127.0.0.1:{plain_port};"),
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{port} ssl http2;"),
        ("/etc/ssl/certs/watch.example.pem", str(place / "certificate.pem")),
        ("/etc/ssl/private/watch.example.key", str(place / "key.pem")),
    ):
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


@contextmanager
def nginx(place: Path, web_port: int) -> Iterator[Nginx]:
    """Before a server on a port of loopback; with a cache that keeps for an hour whatever it may keep."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
    assert program, "nginx is missing: make test installs it"
    port, plain_port = free_ports(2)
    certify(place)
    (place / "tidewatch.conf").write_text(configured(place, port, plain_port, web_port))
    user = "user root;\n" if os.geteuid() == 0 else ""
    (place / "nginx.conf").write_text(AROUND.format(place=place, user=user))
    command = [program, "-p", str(place), "-c", str(place / "nginx.conf"), "-g", "daemon off;"]
    with (place / "printed").open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    found = Nginx(port, plain_port, place)
    try:
        eventually(lambda: process.poll() is not None or answers(port), seconds=15)
        assert process.poll() is None, (place / "printed").read_text()
        yield found
    finally:
        process.terminate()
        process.wait(timeout=15)


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
