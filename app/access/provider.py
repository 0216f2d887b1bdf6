"""An OpenID Connect provider, asked through Authlib: where people log in, and who has come back from there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from app.access.team import Provider, is_safe

DISCOVERY = ".well-known/openid-configuration"
SIGNED = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
LEEWAY = 60  # seconds by which clocks may differ
FRESH = 3_600.0  # seconds for which discovery and keys are kept
AGAIN = 60.0  # seconds before keys are read anew because of one that is not among them
ASK_SECONDS = 10
LARGEST = 1_000_000  # bytes of what is read of a provider
Claims = Mapping[str, Any]  # Any: what a provider tells


class NotBelieved(Exception):
    """What came back is not of this provider, for this dashboard, in this login; the text says why, for the log."""


class ProviderAway(Exception):
    """The provider does not answer, or not as OpenID Connect has it."""


class Team:
    """One provider; safe to share between threads."""

    def __init__(
        self, provider: Provider, secret: Callable[[], str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Nothing is asked before the first login. ``secret`` gives the client's, ``clock`` seconds."""
        self._provider, self._secret, self._clock = provider, secret, clock
        self._lock = threading.Lock()
        self._known: tuple[float, Claims, Claims] | None = None  # since when, discovery, keys

    def address(self, back: str, state: str, nonce: str, verifier: str) -> str:
        """Where a browser is sent to log in; it comes to ``back`` then. Raises ProviderAway."""
        discovery, _keys = self._read()
        made, _state = self._session(back).create_authorization_url(
            discovery["authorization_endpoint"], state=state, nonce=nonce, code_verifier=verifier
        )
        return str(made)

    def who(self, back: str, code: str, nonce: str, verifier: str) -> Claims:
        """What the provider says of who has come back with ``code``. Raises NotBelieved, ProviderAway."""
        discovery, _keys = self._read()
        session = self._session(back)
        token = self._token(session, discovery, code, verifier)
        claims = self._claims(token, nonce)
        return {**self._more(session, discovery, claims), **claims}

    def _session(self, back: str) -> Any:
        named = self._provider
        session = OAuth2Session(
            named.client_id,
            self._secret(),
            scope=named.scope,
            redirect_uri=back,
            code_challenge_method="S256",
            default_timeout=ASK_SECONDS,
            leeway=0,  # a token is used at once
        )
        session.max_redirects = 0
        return session

    # ---- what it says of itself ----

    def _read(self, *, anew: bool = False) -> tuple[Claims, Claims]:
        with self._lock:
            age = self._clock() - self._known[0] if self._known else FRESH
            if self._known is None or age >= FRESH or (anew and age >= AGAIN):
                discovery = self._get(f"{self._provider.issuer.rstrip('/')}/{DISCOVERY}")
                self._check(discovery)
                self._known = self._clock(), discovery, self._get(discovery["jwks_uri"])
            return self._known[1], self._known[2]

    def _check(self, discovery: Claims) -> None:
        if str(discovery.get("issuer", "")).rstrip("/") != self._provider.issuer.rstrip("/"):
            raise ProviderAway(f"the provider calls itself {discovery.get('issuer')!r}, not as TIDEWATCH_OIDC_ISSUER")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not is_safe(str(discovery.get(name, ""))):
                raise ProviderAway(f"the provider's {name} is no https address")

    def _get(self, address: str, session: Any = None) -> Claims:
        asked = session or self._session("")
        try:
            answer = asked.request("GET", address, withhold_token=session is None, allow_redirects=False)
            found = answer.json() if answer.status_code == 200 and len(answer.content) <= LARGEST else None
        except (OSError, ValueError, AuthlibBaseError) as error:
            raise ProviderAway(f"{address} does not answer ({type(error).__name__})") from error
        if not isinstance(found, dict):
            raise ProviderAway(f"{address} answers {answer.status_code}, and not with an object of JSON")
        return found

    # ---- who it is ----

    def _token(self, session: Any, discovery: Claims, code: str, verifier: str) -> Claims:
        known = discovery.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        if "client_secret_basic" not in known:
            session.token_endpoint_auth_method = "client_secret_post"  # nosec B105 # the name of a method
        try:
            token: Claims = session.fetch_token(
                discovery["token_endpoint"],
                code=code,
                code_verifier=verifier,
                grant_type="authorization_code",
                allow_redirects=False,
            )
        except AuthlibBaseError as error:
            raise NotBelieved(f"the provider takes the code for none of its own ({error.error})") from error
        except (OSError, ValueError) as error:
            raise ProviderAway(f"the token does not come ({type(error).__name__})") from error
        return token

    def _claims(self, token: Claims, nonce: str) -> Claims:
        """Those of the token, once all that makes it one of this login is sure."""
        discovery, _keys = self._read()
        mine = self._provider.client_id
        wanted = {
            "iss": {"essential": True, "value": discovery["issuer"]},
            "aud": {"essential": True, "value": mine},
        }
        try:
            found = self._decoded(str(token.get("id_token", "")))
            beside = {"nonce": nonce, "client_id": mine, "access_token": token.get("access_token")}
            claims = CodeIDToken(found.claims, found.header, wanted, beside)
            claims.validate(leeway=LEEWAY)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise NotBelieved(f"the token is not believed ({type(error).__name__}: {error})") from error
        return dict(claims)

    def _decoded(self, text: str) -> Any:
        try:
            return _decoded(text, self._read()[1])
        except InvalidKeyIdError:  # it has a new key
            return _decoded(text, self._read(anew=True)[1])

    def _more(self, session: Any, discovery: Claims, claims: Claims) -> Claims:
        """What the provider tells only when it is asked, if it is of the same person."""
        wanted = (self._provider.groups_claim, "name", "email")
        address = str(discovery.get("userinfo_endpoint", ""))
        if all(one in claims for one in wanted) or not is_safe(address):
            return {}
        try:
            found = self._get(address, session)
        except ProviderAway:
            return {}  # it told enough to know who it is
        return found if found.get("sub") == claims.get("sub") else {}


def _decoded(text: str, keys: Any) -> Any:
    return jwt.decode(text, KeySet.import_key_set(keys), algorithms=SIGNED)
