"""How gunicorn serves the application; ``gunicorn -c python:app.serving`` reads these names and no file of its own.

One process, many threads: an open page holds one thread with its stream, and one process reads Redis once for all.
"""

worker_class = "gthread"
workers = 1
threads = 128
graceful_timeout = 1  # seconds; open streams never end by themselves, and a page reconnects within two
control_socket_disable = True  # several dashboards of one person would fight for the one path
loglevel = "warning"
forwarded_allow_ips = ""  # no proxy is trusted unless it is named
proc_name = "tidewatch-web"
