"""Runs of many ranks in the files that MindFormers 2.1 writes in graph mode, from eight ranks to ten thousand, with the
faults that are asked for: `python -m tests.generate DIR --ranks 64 --layout dp=16,tp=4 --steps 500 [--live]`.
"""
