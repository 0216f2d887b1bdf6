"""What must not leave the training host: values whose name says that they are secret, and secrets inside of texts.

Masked is rather too much than too little: the price is a setting that cannot be compared.
"""

from __future__ import annotations

import re

MASK = "***"

# anything below a name with one of these words
_ALWAYS = {
    *("password", "passwords", "passwd", "pwd", "passphrase", "secret", "secrets", "credential", "credentials"),
    *("authorization", "cookie", "webhook", "webhooks", "apikey", "accesskey", "secretkey"),
}
# only the last word of the last name, and only of what may be one: max_tokens, pad_token and use_key are none
_LAST = {"token", "tokens", "key", "keys", "ak", "sk", "auth", "bearer"}
_PLAIN_TOKENS = {
    *("pad", "eos", "bos", "unk", "mask", "cls", "sep", "eod", "eot", "image", "audio", "video"),
    *("special", "stop", "start", "end", "max", "num"),
}
# None   True   2048   1e-05
_HARMLESS = re.compile(r"\s*(?:None|null|True|False|true|false|[+-]?\d[\d_.]*(?:[eE][+-]?\d+)?)?\s*")
# hubToken → hub Token
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[A-Za-z0-9]+")
_NOTHING = ("", "None", "null", "True", "False", "true", "false")

# https://user:password@host/   redis://:password@host
_URL_USER = re.compile(r"(?<=://)[^\s/@'\"]{1,200}(?=@)")
# ?access_token=abc   &sign=abc
_URL_QUERY = re.compile(
    r"(?<=[?&])([\w-]{0,40}(?:token|key|secret|password|passwd|sign|signature|sig)=)[^&\s'\"]+", re.IGNORECASE
)
# https://open.feishu.cn/open-apis/bot/v2/hook/0c0f…   https://hooks.slack.com/services/T0/B0/x
_HOOK = re.compile(r"((?:/bot/v\d/hook|hooks\.slack\.com/services)/)[\w/-]+")
# hf_…   ghp_…   github_pat_…   sk-…   AKIA…   LTAI…   xoxb-…   glpat-…
_KNOWN = re.compile(
    r"\b(?:hf_\w{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|sk-[\w-]{16,}|AKIA[0-9A-Z]{12,}|LTAI\w{12,}|xox[abprs]-[\w-]{8,}"
    r"|glpat-[\w-]{16,})"
)
# eyJhbGciOi.eyJzdWIiOi.c2lnbmF0   token-eyJ….….…: looked for once in each stretch of such characters, from its
# beginning on; from every eyJ of a long one on it would take the square of its length
_JWT = re.compile(r"(?<![\w-])(?=[\w-]++\.[\w-]{8,}+\.[\w-]{4})([\w-]*?)\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+")
# Bearer abc
_BEARER = re.compile(r"\b(Bearer\s{1,4})[\w.~+/=-]{8,}", re.IGNORECASE)
# 'hub_token': 'hf_x'   password: abc   api_key=abc
_PAIR = re.compile(
    r"""(?<![\w.-])(['"]?)([A-Za-z_][\w.-]{0,99})\1(\s{0,9}[:=]\s{0,9})"""
    r"""('(?:[^'\\\n]|\\.){0,500}'|"(?:[^"\\\n]|\\.){0,500}"|[^\s,'"{}\[\]()]+)"""
)


def is_secret(path: str, text: str) -> bool:
    """Whether the value ``text`` at a dotted path is one to be masked."""
    if text.strip() in _NOTHING:
        return False
    words = [word.lower() for word in _WORD.findall(_CAMEL.sub(" ", path))]
    if not _ALWAYS.isdisjoint(words):
        return True
    last = [word.lower() for word in _WORD.findall(_CAMEL.sub(" ", path.rpartition(".")[2]))]
    if not last or last[-1] not in _LAST or _HARMLESS.fullmatch(text):
        return False
    return len(last) == 1 or last[-2] not in _PLAIN_TOKENS


def without_secrets(text: str) -> str:
    """The text with the secrets masked that tell by their form: users of URLs, signed queries, web hooks, tokens."""
    if "://" in text:
        text = _HOOK.sub(rf"\1{MASK}", _URL_QUERY.sub(rf"\1{MASK}", _URL_USER.sub(MASK, text)))
    if "eyJ" in text:
        text = _JWT.sub(rf"\1{MASK}", text)
    return _BEARER.sub(rf"\1{MASK}", _KNOWN.sub(MASK, text))


def without_named(text: str) -> str:
    """The same, and the values too whose name in the text says that they are secret: ``password: ***``."""
    return _PAIR.sub(_pair, without_secrets(text))


def _pair(match: re.Match[str]) -> str:
    quote, name, colon, value = match[1], match[2], match[3], match[4]
    bare = value[1:-1] if value[:1] in ("'", '"') else value
    if not is_secret(name, bare):
        return match[0]
    mark = value[:1] if value[:1] in ("'", '"') else ""
    return f"{quote}{name}{quote}{colon}{mark}{MASK}{mark}"
