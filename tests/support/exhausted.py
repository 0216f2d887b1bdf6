"""Takes every inotify instance that this user may have, says so, and holds them until its standard input ends."""

from __future__ import annotations

import ctypes
import errno
import resource
import sys

if __name__ == "__main__":
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    library = ctypes.CDLL(None, use_errno=True)
    count = 0
    while library.inotify_init() >= 0:
        count += 1
    print(errno.errorcode[ctypes.get_errno()], count, flush=True)
    sys.stdin.read()
