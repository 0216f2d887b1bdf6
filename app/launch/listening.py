"""The socket of the page: bound before anything is started, so that a port in use is known at once."""

from __future__ import annotations

import errno
import http.client
import socket

from app.launch.options import BadUse

EVERY = "0.0.0.0"  # nosec B104 # compared with: what is bound to is what a person named
ANY = (EVERY, "::", "")
ELSEWHERE = "192.0.2.1"  # an address that exists nowhere (RFC 5737): asking for the way there sends nothing


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; BadUse names the port or address that cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except socket.gaierror:
        raise BadUse(f"--host {host} is no address of this machine: give one, or 127.0.0.1.") from None
    except OSError as error:
        raise BadUse(refusal(host, port, error)) from None


def refusal(host: str, port: int, error: OSError) -> str:
    """Why a socket could not be bound, in one sentence."""
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use; choose another with --port (make run PORT={port + 1})."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"--host {host} is no address of this machine: give one, or 127.0.0.1."
    return f"Port {port} on {host} cannot be used ({error.strerror}); choose another with --port."


def names(host: str) -> list[str]:
    """Under which names a browser may ask for pages of this server: for a wildcard all that this machine answers to."""
    if host not in ANY:
        return [f"[{host}]" if ":" in host else host]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((ELSEWHERE, 9))
            outside = [str(probe.getsockname()[0])]
        except OSError:
            outside = []  # no network at all
    return [*dict.fromkeys([*outside, socket.gethostname().lower()])]


def page_answers(address: str, port: int, path: str) -> bool:
    """Whether the page is there: asked as a browser would, over loopback where the server is bound to everything."""
    target = ("::1" if address == "::" else "127.0.0.1") if address in ANY else address
    connection = http.client.HTTPConnection(target, port, timeout=0.5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status < 400
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
