"""``python -m tests.support.unprivileged COMMAND …``: a command that file modes bind, even when root runs the tests."""

from __future__ import annotations

import ctypes
import os
import sys

PR_CAPBSET_DROP = 24  # prctl(2)
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2  # capabilities(7)

if __name__ == "__main__":
    if os.geteuid() == 0:
        library = ctypes.CDLL(None, use_errno=True)
        for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            if library.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "prctl(PR_CAPBSET_DROP)")
    os.execv(sys.argv[1], sys.argv[1:])
