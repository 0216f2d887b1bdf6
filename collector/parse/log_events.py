"""Sentences that tell what happens to a run, and facts about it (texts: mindformers 0.3 to 2.1, reference 1.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from collector.parse.log_memory import LogMemory
from collector.parse.log_prefix import clock, message
from collector.parse.log_text import Line, line_at, shown


@dataclass(frozen=True, slots=True)
class Sentence:
    """One kind of event; ``pattern`` may name the step in a group of that name."""

    kind: str
    pattern: re.Pattern[bytes]


# first match wins; each line below is followed by what it matches
SENTENCES = (
    # Traceback (most recent call last):
    Sentence("traceback", re.compile(rb"Traceback \(most recent call last\)")),
    # .........Build Callbacks For Train..........   Start training loop...
    Sentence(
        "start", re.compile(rb"\.Build Callbacks For Train|\.Starting Init Train Model|Start training loop\.\.\.")
    ),
    # .............Start resume training from checkpoint..................   Loading checkpoint from: ./ckpt
    Sentence("resume", re.compile(rb"\.Start (?:resume training|load resume context) from|Loading checkpoint from:")),
    # .........Model Compiling, Please Wait a Moment...........
    Sentence("compile", re.compile(rb"\.Model Compiling, Please Wait")),
    # .........Starting Training Model..........
    Sentence("train", re.compile(rb"\.Starting Training Model")),
    # .........Training Over!.............   Training completed. Final checkpoint saved.
    Sentence("end", re.compile(rb"\.Training Over!|Training completed\.")),
    # ......Saving ckpt......   Checkpoint saved at step 500 to ./ckpt (async=False, remove_redundancy=False)
    Sentence("checkpoint", re.compile(rb"\.Saving ckpt\.|Checkpoint saved at step (?P<step>\d{1,18})")),
    # Eval result: {'PerplexityMetric': {'loss': 4.2, 'PPL': 66.7}}, eval time is 1.500000 s.
    Sentence("eval", re.compile(rb"Eval result: ")),
    # opt_global_step: 29, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]
    Sentence("skip", re.compile(rb"is_skip: *\[ *True|\[SkipStepOnNaN\][^\[]* skipping the optimizer update")),
    # ValueError: There is nan in loss with value nan, terminate training.
    Sentence("nan_stop", re.compile(rb", terminate training|, stop training\.\.\.|\[SkipStepOnNaN\] The global grad")),
    # 2025-06-01 10:00:00,000 - mindformers[base_trainer.py:9] - ERROR - No space left.   [ERROR] DEVICE(7,…):…
    Sentence("error", re.compile(rb" - ERROR - |\[ERROR\]|Error saving checkpoint: |\bTREError occurred")),
)
EVENT_NEEDLES = (
    b".....",
    b"Traceback (most",
    b"Start training loop",
    b"Loading checkpoint from:",
    b"Checkpoint saved at",
    b"Training completed.",
    b"Eval result: ",
    b"is_skip: ",
    b"[SkipStepOnNaN]",
    b"e training.",  # terminate training.
    b"stop training..",
    b"ERROR",
    b"Error saving",
    b"TREError",
)

# ValueError: There is nan in loss with value nan, terminate training.   KeyboardInterrupt
_EXCEPTION = re.compile(rb"[A-Za-z_][\w.]*(?::|\Z)")
_LONGEST_TRACEBACK = 500  # lines, after which its last line is no longer waited for


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: what to look for, and the pattern that begins with it and whose group is the fact's text."""

    name: str
    needle: bytes
    pattern: re.Pattern[bytes]


FACTS = (
    # pipeline stages: 2 > 1, the loss on the last card is valid.
    Fact("pipeline_stages", b"pipeline stages: ", re.compile(rb"pipeline stages: *(\d+) *>")),
    # When zero_bubble_v is enabled, loss is valid only on rank 0
    Fact("zero_bubble_v", b"zero_bubble_v is", re.compile(rb"zero_bubble_v is (enabled)")),
    # Set tensorboard path to './tensorboard'
    Fact("tensorboard_dir", b"tensorboard path to '", re.compile(rb"tensorboard path to '([^']*)'")),
    # Network Parameters: 7505.2 M.   Network Parameters: 3407872.
    Fact("parameters", b"Network Parameters: ", re.compile(rb"Network Parameters: *(\d+(?:\.\d+)?(?: M)?)")),
    # Calculate global_batch_size=64, num_accumulation_steps=8.
    Fact("global_batch_size", b"global_batch_size=", re.compile(rb"global_batch_size=(\d+)")),
    # global_batch_size = batch_size * data_parallel * gradient_accumulation_steps = 32 = 32 * 1 * 1
    Fact("global_batch_size", b"global_batch_size = ", re.compile(rb"global_batch_size = [^=]*= *(\d+)")),
    # Create train dataset finish, dataset size:535
    Fact("steps_per_epoch", b"train dataset finish,", re.compile(rb"train dataset finish, dataset size: *(\d+)")),
)


def read_fact(memory: LogMemory, fact: Fact, text: bytes, line: Line) -> None:
    """The fact that a line tells; the newest wins."""
    at, _, stop = line
    if match := fact.pattern.match(text, at, stop):
        memory.facts[fact.name] = match[1].decode("utf-8", "replace")


def sentence_of(line: bytes) -> tuple[Sentence, int | None] | None:
    """What a line tells, and the step that it names."""
    for sentence in SENTENCES:
        if match := sentence.pattern.search(line):
            step = match.groupdict().get("step")
            return sentence, None if step is None else int(step)
    return None


def told(line: bytes) -> str:
    """What a line says, for people: without the logger's prefix and the dots that frame MindFormers' life cycle."""
    text = shown(message(line))
    return text.strip(". ") if text.startswith("...") else text


def keep_event(memory: LogMemory, sentence: Sentence, line: bytes, step: int | None) -> None:
    """Keep what a line tells; a traceback is kept when its last line is found."""
    wall = clock(line, 0, len(line))
    if sentence.kind == "traceback":
        memory.traceback = 1
    else:
        memory.event(sentence.kind, wall, told(line), step)


def end_traceback(memory: LogMemory, text: bytes, at: int, end: int) -> int:
    """Look for the exception that ends an open traceback, from ``at`` on; if it is not here yet, it is waited for.

    The lines before the returned offset are quoted source code, which tells nothing of the run.
    """
    while memory.traceback and at < end:
        start, stop = line_at(text, at, end)
        line = text[start:stop]
        at = stop + 1
        memory.traceback += 1
        if _EXCEPTION.match(line):
            memory.event("traceback", float("nan"), shown(line))
            memory.traceback = 0
            return start
        if memory.traceback > _LONGEST_TRACEBACK:
            memory.traceback = 0
    return at
