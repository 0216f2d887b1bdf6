"""The fields of a record of a program other than MindFormers, taken strictly: what is no field makes it a sentence.

``loss:0.08, overflow:False, step cost:182ms``, ``loss is 4.34``, ``Dloss:  2.22       Gloss:  1.15``,
``loss: nan (nan)  loss_box_reg: 0.0000 (nan)``, ``consumed samples: 64 | lm loss: 6.5E+00 |``.
"""

from __future__ import annotations

import re

from collector.parse.log.value import NUMBER, UNIT, Reading, reading

LONGEST_RECORD = 4096  # bytes; a longer line is a dump
_MOST = 200  # fields

_SEPARATORS = re.compile(rb"[\s,;|.})\]]*")
# step cost:   loss is   fps per card:   TFLOP/s/device:   elapsed time per iteration (ms):
_KEY = re.compile(
    rb"([A-Za-z_][\w./()%@#-]{0,49}(?: [A-Za-z(][\w./()%@#-]{0,29}){0,5}?)(?: {0,4}[:=]\s{0,20}| is (?=[-+.\dni]))"
)
_ENDS = rb"\.?(?=\s*\Z|\s*[,;|}]|\s{2}|\t|\s[A-Za-z_{\[])"
# 182ms   nan (nan)   4.47 img/s
_NUMBER = re.compile(rb"(?:%s)(?: ?\((?:%s)\))?(?: ?%s)?%s" % (NUMBER, NUMBER, UNIT, _ENDS))
# [5.258/5.258]   (1.250000e-06,1.250000e-06,)
_WRAPPED = re.compile(rb"(?:\[[^\[\]\n]{0,78}\]|\([^()\n]{0,78}\))" + _ENDS)
# 1 day, 19:57:40   0:01:02
_TIME = re.compile(rb"(?:\d+ days?, )?\d+:\d\d(?::\d\d)?" + _ENDS)
# False   unavailable
_WORD = re.compile(rb"[A-Za-z_][\w.-]{0,40}" + _ENDS)
# imgsize (640, 640)
_REMARK = re.compile(rb"[A-Za-z_]\w{0,40} ?\([^()\n]{0,80}\)" + _ENDS)
_MEASURES = re.compile(
    rb"loss|\blr\b|lr\b|learn|acc|norm|mse|mae|ppl|perplex|reward|scale|fps|throughput|time|cost", re.IGNORECASE
)


def fields_of(text: bytes) -> list[tuple[str, Reading]] | None:
    """The names and numbers of a record's fields, in order; None when it is no record: when something in it is no
    field, or nothing in it is a measure that anybody trains by."""
    found: list[tuple[str, Reading]] = []
    at = _skip(text, 0)
    while at < len(text) and len(found) < _MOST:
        key = _KEY.match(text, at)
        end = _value_end(text, key.end()) if key else None
        if key is None or end is None:
            remark = _REMARK.match(text, at)
            if remark is None:
                return None
            at = _skip(text, remark.end())
            continue
        if value := reading(text[key.end() : end]):
            found.append((key[1].decode(), value))
        at = _skip(text, end)
    return found if any(_MEASURES.search(name.encode()) for name, _ in found) else None


def _skip(text: bytes, at: int) -> int:
    match = _SEPARATORS.match(text, at)
    return match.end() if match else at


def _value_end(text: bytes, at: int) -> int | None:
    for form in (_TIME, _NUMBER, _WRAPPED, _WORD):
        if match := form.match(text, at):
            return match.end()
    return None
