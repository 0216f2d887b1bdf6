"""A small OpenID Connect provider in a process of its own: it lets whoever comes in at once, signs with a real key, and
can be told to be wrong in one thing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.support.growing import PROJECT

CLIENT, SECRET = "tidewatch", "the secret that both know"
PERSON = {"sub": "4711", "name": "夜班", "email": "li@example.org", "email_verified": True, "groups": ["writers"]}


def spelled(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unsigned(head: Mapping[str, Any], claims: Mapping[str, Any]) -> str:
    """A token before its signature."""
    return f"{spelled(json.dumps(head).encode())}.{spelled(json.dumps(claims).encode())}"


class World:
    """What it knows; ``wrong`` says what it is to do wrongly, ``person`` who comes."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "first"})
        self.other = RSAKey.generate_key(2048, {"kid": "first"})
        self.codes: dict[str, dict[str, str]] = {}
        self.wrong = ""
        self.person: dict[str, Any] = dict(PERSON)
        self.told: dict[str, Any] = {}  # only when it is asked for more
        self.issuer = ""

    def discovery(self) -> dict[str, Any]:
        issuer = "https://other.example" if self.wrong == "discovery" else self.issuer
        found = {
            "issuer": issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        }
        return found | ({"token_endpoint": "http://example.org/token"} if self.wrong == "plain" else {})

    def claims(self, asked: Mapping[str, str]) -> dict[str, Any]:
        now = int(time.time())
        found = {
            **self.person,
            "iss": "https://evil.example" if self.wrong == "issuer" else self.issuer,
            "aud": "another" if self.wrong == "audience" else CLIENT,
            "iat": now,
            "exp": now - 3_600 if self.wrong == "expired" else now + 300,
            "nonce": "another" if self.wrong == "nonce" else asked["nonce"],
        }
        if self.wrong == "party":
            found |= {"aud": [CLIENT, "another"], "azp": "another"}
        if self.wrong == "no nonce":
            del found["nonce"]
        return found

    def token(self, asked: Mapping[str, str]) -> str:
        claims = self.claims(asked)
        if self.wrong == "none":
            return unsigned({"alg": "none"}, claims) + "."
        if self.wrong == "public key as secret":
            said = unsigned({"alg": "HS256", "kid": self.key.kid}, claims)
            return f"{said}.{spelled(hmac.digest(self.key.as_pem(private=False), said.encode(), 'sha256'))}"
        key = self.other if self.wrong == "signature" else self.key
        return jwt.encode({"alg": "RS256", "kid": key.kid or "first"}, claims, key)

    def answer(self, form: Mapping[str, str], authorization: str) -> tuple[int, Any]:
        """What the token endpoint says."""
        mine = base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '+')}".encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization not in (f"Basic {mine}", f"Basic {plain}"):
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if (
            asked is None
            or spelled(digest) != asked["code_challenge"]
            or form.get("redirect_uri") != asked["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        if self.wrong == "no token":
            return 200, {"access_token": "a", "token_type": "Bearer"}
        return 200, {"access_token": "a", "token_type": "Bearer", "expires_in": 60, "id_token": self.token(asked)}


WORLD = World()


class Handler(BaseHTTPRequestHandler):
    """The addresses of a provider, and one by which a test says what it wants."""

    def do_GET(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        match urlsplit(self.path).path:
            case "/.well-known/openid-configuration":
                self.say(200, WORLD.discovery())
            case "/keys":
                self.say(200, {"keys": [WORLD.key.as_dict(private=False, use="sig")]})
            case "/userinfo":
                self.say(200, {"sub": WORLD.person["sub"], **WORLD.told})
            case "/authorize":
                self.lead(asked)
            case _:
                self.say(404, {})

    def lead(self, asked: Mapping[str, str]) -> None:
        """Back with a code, as if somebody had given a password here."""
        code = secrets.token_urlsafe(8)
        WORLD.codes[code] = dict(asked)
        told = {"error": "access_denied"} if WORLD.wrong == "denied" else {"code": code}
        state = "another" if WORLD.wrong == "state" else asked["state"]
        self.send_response(302)
        self.send_header("Location", asked["redirect_uri"] + "?" + urlencode({**told, "state": state}))
        self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/wish":
            wish = json.loads(body)
            WORLD.wrong, WORLD.person, WORLD.told = wish["wrong"], {**PERSON, **wish["person"]}, wish["told"]
            for name in [name for name, value in WORLD.person.items() if value is None]:
                del WORLD.person[name]
            if wish["new_key"]:
                WORLD.key = RSAKey.generate_key(2048, {"kid": secrets.token_hex(4)})
            return self.say(200, {})
        form = {name: values[0] for name, values in parse_qs(body).items()}
        return self.say(*WORLD.answer(form, self.headers.get("Authorization", "")))

    def say(self, status: int, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Nothing: what a test wants to know it asks."""


@dataclass(frozen=True)
class Provider:
    """One that runs."""

    issuer: str

    def wish(
        self, wrong: str = "", *, told: Mapping[str, Any] | None = None, new_key: bool = False, **person: Any
    ) -> None:
        """Be wrong in one thing, or let somebody else in; a claim of None is left out."""
        body = json.dumps({"wrong": wrong, "person": person, "told": told or {}, "new_key": new_key}).encode()
        with urlopen(Request(f"{self.issuer}/wish", body, method="POST"), timeout=10) as answer:
            assert answer.status == 200


@contextmanager
def provider() -> Iterator[Provider]:
    """On a free port of loopback, in a process of its own."""
    command = [sys.executable, "-m", "tests.support.oidc_provider"]
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Provider(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait(timeout=10)
        if process.stdout is not None:
            process.stdout.close()


def serve() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    WORLD.issuer = f"http://127.0.0.1:{server.server_port}"
    print(WORLD.issuer, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve()
