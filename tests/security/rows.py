"""The 51 attack cases: what happened to others, and how grave it would be here (0: before the first release).

A test of a row has its name in its own: ``test_a1_…`` attacks as A1 did. ``test_register.py`` reads this table.
"""

from __future__ import annotations

from dataclasses import dataclass

OPTIONAL = 2  # a row of this priority may be without a test


@dataclass(frozen=True, slots=True)
class Row:
    """One attack: where it was seen, and what it came to."""

    name: str
    priority: int
    seen: str
    what: str


def _rows(text: str) -> tuple[Row, ...]:
    cells = (line.split("|") for line in text.strip().splitlines())
    return tuple(Row(name.strip(), int(grave), seen.strip(), what.strip()) for name, grave, seen, what in cells)


ROWS = _rows("""
A1  | 0 | Grafana CVE-2021-43798 | `../` in the address of an asset read any file
A2  | 0 | MLflow CVE-2023-1177, CVE-2023-2780 | a source given as a local address, `file://./etc`
A3  | 0 | MLflow CVE-2024-1483, CVE-2024-2928, CVE-2024-3848 | `#` hid a traversal from what looked for it
A4  | 0 | MLflow CVE-2023-3765 | an absolute path was taken
A5  | 0 | Jupyter CVE-2026-5422, CVE-2026-35397 | a root checked by its first letters let a sibling be read
A6  | 0 | ClearML CVE-2025-8917 | links were followed out of the directory
A7  | 0 | Aim CVE-2024-6396 | a parameter named the file that was written
A8  | 0 | Aim CVE-2024-6851 | a pattern of a user's matched what was others'
A9  | 1 | Jupyter CVE-2022-29241 | the file with the token was served
A10 | 2 | Werkzeug before 3.1.4 | a name of a Windows device blocked the worker
B1  | 0 | Prometheus CVE-2026-40179 | HTML in a metric's name ran in the tooltip
B2  | 0 | Prometheus CVE-2026-44903 | labels of a heat map ran
B3  | 0 | Aim CVE-2024-6578 | a log was shown as HTML
B4  | 1 | Aim CVE-2024-8863 | what was searched for was shown as HTML
B5  | 0 | Grafana CVE-2020-11110 | a stored address in a snapshot became a link to a script
B6  | 1 | Grafana CVE-2021-41174 | a template in the address was executed before the login
B7  | 0 | Dash CVE-2024-21485 | a stored view had a link to a script
B8  | 0 | Alertmanager CVE-2023-40577 | an alert's field ran
B9  | 1 | Grafana CVE-2025-4123 | a path in the browser led to another site
B10 | 1 | Gradio CVE-2024-47872 | what was uploaded was shown instead of downloaded
B11 | 1 | Jupyter CVE-2026-44727 | a user's document had the rights of the page
B12 | 1 | ClearML CVE-2024-24594 | samples of an experiment ran
B13 | 1 | Superset GHSA-9f88-wg5r-947j | HTML in markdown ran
B14 | 1 | Aim CVE-2025-51464 | stored code was executed in the reader's browser
C1  | 0 | MLflow CVE-2026-2652, CVE-2026-0545 | routes of a second framework needed no login
C2  | 0 | ClearML CVE-2024-24592 | the server of files needed no login
C3  | 0 | MLflow CVE-2026-2635 | a password that everybody has
C4  | 0 | Superset CVE-2023-27524 | a key that everybody has, and cookies made with it
C5  | 1 | Jupyter CVE-2026-40934 | a cookie outlived the password
C6  | 0 | Aim CVE-2024-7760, GHSA-99w2-67h8-5948; ClearML CVE-2024-24593 | any site could write
C7  | 0 | Gradio CVE-2024-47084, CVE-2024-47165, CVE-2024-1727 | the origin of a request was not looked at
C8  | 0 | Jupyter CVE-2026-40110 | the pattern of an origin matched others
C9  | 0 | rebinding of names | a page of another name reached a server on loopback
C10 | 1 | Jupyter GHSA-r726-vmfq-j9j3, CVE-2020-26232 | behind the login was another site
C11 | 1 | JupyterLab CVE-2024-22421 | a link told others the token
C12 | 0 | Jupyter CVE-2022-24758 | cookies in the log
C13 | 1 | Flask CVE-2023-30861 | a proxy kept one user's answer for another
C14 | 0 | Werkzeug CVE-2024-34069 | the debugger was reachable
C15 | 1 | MLflow CVE-2026-118624 to 118626 | a low role reached what is others'
C16 | 1 | uvicorn CVE-2020-7694, CVE-2020-7695 | control characters in logs and headers
D1  | 0 | Grafana CVE-2021-39226 | a word in place of a key opened a snapshot
D2  | 0 | Grafana CVE-2026-21722 | what a share was bound to did not bind all of it
D3  | 0 | Grafana CVE-2026-27877 | a public page carried passwords
D4  | 0 | Grafana CVE-2026-28380, GO-2024-2697 | others deleted snapshots
D5  | 1 | Grafana CVE-2019-15043 | anybody could make snapshots without end
D6  | 1 | MLflow CVE-2024-3099 | another spelling of a name stood for it
E1  | 0 | MLflow CVE-2026-64849, CVE-2026-2393; Metabase CVE-2026-22805 | a webhook led inside
F1  | 0 | Kibana 91994, Kimai CVE-2021-43515, json-2-csv GHSA-g27c-q7cp-mhx6 | formulae in an export
F2  | 0 | Aim CVE-2024-2195; Metabase CVE-2023-38646 | a search was executed
F3  | 0 | Aim CVE-2024-12778; Prometheus GO-2026-5264; Werkzeug CVE-2023-25577 | too much of anything stalled all
F4  | 0 | ClearML CVE-2024-24590; Redis CVE-2025-49844, CVE-2025-21605 | a pickle, or a script in Redis, was executed
""")
