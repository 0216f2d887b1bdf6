"""Secrets that tell by their form, whatever stands before them: keys of well-known services, users in URLs. Pure.

Each pattern takes time in proportion to the text: it begins with what is rare, and its parts have lengths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

MASK = "•••"

Replace = Callable[[re.Match[str]], str] | str

_WHOLE: Sequence[str] = (
    # hf_AbCdEfGhIjKlMnOp, api_org_AbCd…
    r"(?:hf|api_org)_[A-Za-z0-9]{16,}+",
    # ghp_…, gho_…, github_pat_11AB…, glpat-…, gitee's and npm's
    r"gh[pousr]_[A-Za-z0-9]{16,}+|github_pat_\w{16,}+|glpat-[\w-]{16,}+|npm_[A-Za-z0-9]{30,}+|pypi-[\w-]{16,}+",
    # sk-proj-AbC…, sk-ant-api03-…, sk_live_…
    r"sk-[\w-]{16,}+|[sr]k_(?:live|test)_\w{10,}+",
    # ms-0c0f1a2b-1111-2222-3333-444455556666 of ModelScope
    r"ms-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    # AKIAIOSFODNN7EXAMPLE, LTAI5t… of Alibaba, AKID… of Tencent
    r"A[KS]IA[0-9A-Z]{12,}+|LTAI[A-Za-z0-9]{12,}+|AKID[A-Za-z0-9]{13,}+",
    # AIzaSyD…, ya29.a0Af…, GOCSPX-…
    r"AIza[\w-]{30,}+|ya29\.[\w-]{16,}+|GOCSPX-[\w-]{16,}+",
    # 123456789:AAabc… of Telegram, xoxb-2222-3333-abc, SG.abc.def, dckr_pat_…, dop_v1_…
    r"[0-9]{8,10}:AA[\w-]{30,40}+|xox[abeprs]-[\w-]{8,}+|SG\.[\w-]{16,}+\.[\w-]{16,}+|dckr_pat_[\w-]{16,}+|dop_v1_[0-9a-f]{32,}+",
    # 0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp of Zhipu
    r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![\w.])",
    # HPUAABCDE1234567890F: an access key of OBS has 20 capitals and digits
    r"(?=[0-9]{0,19}[A-Z])(?=[A-Z]{0,19}[0-9])[A-Z0-9]{20}(?![\w-])",
    # 40 letters and digits of both cases, an AWS or OBS secret key; a commit's hash has one case
    r"(?=[a-z0-9]{0,39}[A-Z])(?=[A-Z0-9]{0,39}[a-z])(?=[A-Za-z]{0,39}[0-9])[A-Za-z0-9]{40}(?![\w+=-])",
)
_KNOWN = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(_WHOLE)})")
# eyJhbGciOi.eyJzdWIiOi.c2lnbmF0
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[\w-]{8,}+\.[\w-]{4,}+\.[\w-]{0,}+")
# Bearer abc.def-123; "bearer authentication failed" has no digit
_BEARER = re.compile(r"(?i)(\bBearer\s{1,4})(?=[a-z._~+/=-]{0,200}[0-9])[\w.~+/=-]{6,}+")
# rediss://user:p@ss@host, https://ghp_x@github.com
_USER = re.compile(r"(?<=://)[^\s/?#\"'<>`]{0,300}@")
# redis://user:pa/ss?wo#rd@host: what should have been written as %2F; http://host:8080/a@b has a port there
_ODD_USER = re.compile(r"(?<=://)(?![^\s:/@]{0,200}:\d{1,5}[/?#])[^\s:/@\"'<>`]{0,200}:[^\s@\"'<>`]{1,300}@")
# root:hunter2@10.0.0.5, user:pw@db.example:5432 without a scheme
_BARE_USER = re.compile(r"(?<![\w/:.@-])[\w.-]{1,64}+:[^\s:@/\"',]{1,128}@(?=[\w-]{1,64}[.:][\w-])")
# ?token=abc   &X-Amz-Signature=abc   ?key=abc of a web hook
_QUERY = re.compile(
    r"(?i)([?&](?:[\w.-]{0,40}(?:token|password|passwd|pwd|secret|signature|credential)|[\w-]{0,40}(?:api|access)_?key"
    r"(?:_?id)?|key|sig|sign|code|auth|jwt|ak|sk)=)[^&\s'\"<>`#]+"
)
# https://open.feishu.cn/open-apis/bot/v2/hook/0c0f…   https://hooks.slack.com/services/T0/B0/x
_HOOK = re.compile(r"((?:/bot/v\d/hook|hooks\.slack\.com/services|discord\.com/api/webhooks)/)[\w/-]+")
# curl -u user:hunter2   --proxy-user me:pw
_LOGIN = re.compile(r"((?<!\S)(?:-u|--user|--proxy-user)[ =]['\"]?[^\s:'\"]{0,64}:)[^\s'\"]+")
# mysql -uroot -phunter2
_ATTACHED = re.compile(r"(\bmysql(?:dump|admin)?\b[^\n|;]{0,200}?\s-p)[^\s'\"]+")
# wandb login 0123…, docker login -u me -p hunter2, machine x login y password z
# sshpass -p hunter2, redis-cli -h host -a hunter2, requirepass hunter2
_COMMAND = re.compile(
    r"(?i)((?:\b(?:wandb|swanlab|modelscope|huggingface-cli|hf|docker)\s{1,4}login(?:\s{1,4}--[\w-]{1,30}){0,4}"
    r"|\bdocker\s{1,4}login\b[^\n|;]{0,200}?\s-p|\blogin\s{1,4}\S{1,100}\s{1,4}password|\bsshpass\s{1,4}-p|\bredis-cli\b[^\n|;]{0,200}?\s-a|\b(?:requirepass|masterauth|identified\s{1,4}by))\s{1,4})"
    r"(?![-\s])('[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|[^\s'\"]+)"
)

SHAPES: Sequence[tuple[str, re.Pattern[str], Replace]] = (
    ("://", _USER, f"{MASK}@"),
    ("://", _ODD_USER, f"{MASK}@"),
    ("@", _BARE_USER, f"{MASK}@"),
    ("=", _QUERY, rf"\1{MASK}"),
    ("/", _HOOK, rf"\1{MASK}"),
    ("-", _LOGIN, rf"\1{MASK}"),
    ("mysql", _ATTACHED, rf"\1{MASK}"),
    (" ", _COMMAND, rf"\1{MASK}"),
    ("eyJ", _JWT, MASK),
    ("", _KNOWN, MASK),
    ("", _BEARER, rf"\1{MASK}"),
)


def without_shapes(text: str) -> str:
    """``text`` with what tells by its form masked. What a pattern cannot begin without is looked for first."""
    for needle, pattern, replacement in SHAPES:
        if needle in text:
            text = pattern.sub(replacement, text)
    return text
