"""Which names of settings say that their value is a secret: ``redis.password``, ``HF_TOKEN``, ``密码``. Pure.

Rather too much than too little, but ``max_tokens``, ``pad_token_id`` and ``num_key_value_heads`` are no secrets.
"""

from __future__ import annotations

import re

# redisPassword → redis_Password, APIKey → API_Key
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# what stands between the words of a name: "x-auth-token", "spring.datasource.password", "token-2"
_BETWEEN = re.compile(r"[\W_]+")

# anywhere in a name, also without a seam: dbpassword, client_secret_2
_INSIDE = re.compile(
    "password|passwd|passphrase|passcode|secret|credential|apikey|accesskey|privatekey|authtoken|accesstoken"
    "|authorization|requirepass|masterauth|密码|口令|密钥|秘钥|私钥|授权码|访问码|提取码|凭证|凭据|密匙|验证码"
)
# as a word of its own: mysql_pwd, set-cookie, bearer
_WORDS = frozenset(("pwd", "cookie", "cookies", "bearer", "jwt", "psk", "sas", "webhook", "webhooks", "mnemonic"))
# as the last word: redis_auth, obs_ak
_LAST = frozenset(("auth", "ak", "sk", "session", "sessionid", "otp"))
# api_key, AWS_ACCESS_KEY_ID, encKey, ssh_keys
_KEYS = re.compile(
    r"(?:^|_)(?:api|access|secret|private|enc|encrypt|encryption|dec|decrypt|decryption|crypto|cipher|sign|signing"
    r"|account|storage|shared|ssh|rsa|aes|hmac|license|app|auth|master|client|service|deploy|subscription|session"
    r"|wandb|swanlab|openai|anthropic|obs|aws|s3|oss|cos|gcp|hf|huggingface|modelscope|bot|webhook)_?keys?(?:_id)?(?:_|$)"
)
# user_pass=…, but forward_pass takes 12 ms
_PASS = re.compile(r"(?:^|_)(?:db|redis|mysql|pg|postgres|user|smtp|mail|root|ssh|ftp|admin|proxy|ssl|key|sudo)_?pass$")
# of a model, not of a person: eos_token, next_token
_OF_TEXT = frozenset(
    (
        *("pad", "eos", "bos", "unk", "mask", "cls", "sep", "eod", "eot", "eom", "boi", "eoi", "image", "audio"),
        *("video", "special", "stop", "start", "end", "begin", "first", "last", "next", "per", "num", "max", "min"),
        *("drop", "each", "by", "of", "new", "text", "input", "output", "prompt", "generated", "sub", "decoder"),
        *("bot", "think", "tool", "fim", "prefix", "suffix", "middle", "ignore", "mean", "total", "avg"),
    )
)
# whose next word makes any token one of a person: access_token_2, hf_tokens
_OF_PEOPLE = re.compile(
    r"(?:^|_)(?:access|auth|api|refresh|bearer|id|hf|hub|huggingface|github|gitlab|gitee|git|modelscope|openai|wandb"
    r"|swanlab|user|session|security|private|personal|service|admin|login|job|slack|bot|jupyter|csrf|xsrf|oauth|pat)"
    r"_?tokens?(?:_|$)"
)
# None   True   "" – nothing that anybody could use, as is ***, what a collector has masked, and ${HF_TOKEN}
_NOTHING = re.compile(r"\s*(?:none|null|nil|true|false|yes|no|\*+|•+|\$\{\w{1,64}\}|<unset>)?\s*", re.IGNORECASE)
# 4096   1e-05   </s>   <|endoftext|>   [PAD]   7,000
_PLAIN = re.compile(r"\s*(?:[+-]?\d[\d_.,]{0,30}(?:[eE][+-]?\d{1,5})?%?|<[^<>\s]{1,40}>|\[[A-Z_]{1,20}\])\s*")
# a key of anything else tells by its value: Zk9xQ2vT7mPwZk9x, but not layers.0.attention.wq nor loss
_RANDOM = re.compile(r"(?=[^0-9]{0,200}[0-9])(?=[^A-Za-z]{0,200}[A-Za-z])[A-Za-z0-9+/=_-]{16,}")
# 令牌：… or 用户令牌
_CHINESE_TOKEN = re.compile(r"令牌$")


def is_secret(name: str, value: str) -> bool:
    """Whether ``value``, under a dotted name, is one to be masked."""
    if _NOTHING.fullmatch(value):
        return False
    if surely(name):
        return not (name in ("PWD", "OLDPWD") and value.startswith("/"))  # a shell's directory
    if possibly(name):
        return not _PLAIN.fullmatch(value)
    return anything(name) and _RANDOM.fullmatch(value) is not None


def surely(name: str) -> bool:
    """Whether whatever is below such a name is a secret, a number too."""
    snake = _snake(name)
    words = snake.split("_")
    return bool(_INSIDE.search(snake) or _PASS.search(snake) or not _WORDS.isdisjoint(words))


def possibly(name: str) -> bool:
    """Whether a value of such a name is a secret unless it is a plain number or a token of a text."""
    snake = _snake(name.rpartition(".")[2])
    words = snake.split("_")
    if _KEYS.search(snake) or _OF_PEOPLE.search(snake) or words[-1] in _LAST or _CHINESE_TOKEN.search(snake):
        return True
    return words[-1] == "token" and (len(words) == 1 or words[-2] not in _OF_TEXT)


def anything(name: str) -> bool:
    """Whether a value of such a name is a secret where it looks like one: ``key``, ``some_key``, ``pass``."""
    return _snake(name.rpartition(".")[2]).split("_")[-1] in ("key", "pass", "pw", "passwort", "login")


def _snake(name: str) -> str:
    """``redis.authToken`` → ``redis_auth_token``."""
    return _BETWEEN.sub("_", _CAMEL.sub("_", name)).strip("_").lower()
