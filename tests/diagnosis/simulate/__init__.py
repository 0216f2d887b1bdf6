"""Training runs that never were: healthy ones under all sorts of noise, and ones in which something goes wrong at a
known step. They are wider than any recorded set of cases, and exist so that rules are not fitted to one."""
