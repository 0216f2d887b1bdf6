"""Sentences that tell what happens to a run (texts: mindformers 0.3 to 2.1, msrun, reference 1.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """One kind of event; ``pattern`` may name the step in a group of that name."""

    kind: str
    pattern: re.Pattern[bytes]


def _sentence(kind: str, pattern: bytes) -> Sentence:
    return Sentence(kind, re.compile(pattern.replace(b"STEP", rb"(?P<step>\d{1,18})")))


# first match wins; each line below is followed by what it matches
SENTENCES = (
    # Traceback (most recent call last):
    _sentence("traceback", rb"Traceback \(most recent call last\)"),
    # .........Build Callbacks For Train..........   Start training loop...
    _sentence("start", rb"\.Build Callbacks For Train|\.Starting Init Train Model|Start training loop\.\.\."),
    # .............Start resume training from checkpoint..................   Loading checkpoint from: ./ckpt
    _sentence("resume", rb"\.Start (?:resume training|load resume context) from|Loading checkpoint from:"),
    # .........Model Compiling, Please Wait a Moment...........
    _sentence("compile", rb"\.Model Compiling, Please Wait"),
    # .........Starting Training Model..........
    _sentence("train", rb"\.Starting Training Model"),
    # .........Training Over!.............   Training completed. Final checkpoint saved.
    _sentence("end", rb"\.Training Over!|Training completed\."),
    # All workers successfully exit!
    _sentence("end", rb"All workers successfully exit"),
    # Finish saving ckpt of epoch 1 step 500 using 2.123 seconds
    _sentence("checkpoint", rb"Finish saving \w{1,20} of epoch \d{1,18} step STEP using"),
    # ......Saving ckpt......   Checkpoint saved at step 500 to ./ckpt (async=False, remove_redundancy=False)
    _sentence("checkpoint", rb"\.Saving ckpt\.|Checkpoint saved at step STEP"),
    # Load healthy checkpoint: ./ckpt/rank_0/llama_rank_0-300_1.ckpt
    _sentence("resume", rb"Load healthy checkpoint: "),
    # Eval result: {'PerplexityMetric': {'loss': 4.2, 'PPL': 66.7}}, eval time is 1.500000 s.
    _sentence("eval", rb"Eval result: |\.Starting Evaluate Model|\.Evaluate Over!"),
    # [SkipStepOnNaN] Global gradient norm is nan at step 12, skipping the optimizer update (consecutive skipped: 1, …
    _sentence("skip", rb"\[SkipStepOnNaN\][^\[]{0,99} at step STEP, skipping the optimizer update"),
    # opt_global_step: 29, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]
    _sentence("skip", rb"is_skip: {0,9}\[ {0,9}True"),
    # ValueError: Current global norm [47.3] of step 2 has been 2 consecutive times greater than threshold 3.0, stop …
    _sentence("norm_stop", rb"of step STEP has been [^\n]{0,80}, stop training\.\.\."),
    # Current global norm 51.5 is greater equal than threshold 3.0, stop training...   RuntimeError: TREError occurred
    _sentence("norm_stop", rb", stop training\.\.\.|\bTREError occurred"),
    # Current global norm [51.5] of step 30 has been 1 consecutive times greater than threshold: 10.0
    _sentence("norm_spike", rb"global norm [^\n]{1,40} of step STEP (?:has been \d|is still greater)"),
    # ValueError: There is nan in loss with value nan, terminate training.
    _sentence("nan_stop", rb", terminate training|\[SkipStepOnNaN\] The global grad"),
    # SilentCheck detect SDC at step: 12   Start CheckSum at step: 12   Checking device logs at step: 12...
    _sentence("sdc", rb"(?:SilentCheck detect SDC|(?:Start|Stop) CheckSum|Checking device logs) at step: STEP"),
    # CheckSum detects SDC on rank 3   Detect SDC by SilentCheck and CheckSum   SDC 3 strikes and out on rank: 3
    _sentence("sdc", rb"CheckSum detects SDC|Detect SDC by SilentCheck|SDC \d{1,9} strikes and out"),
    # STRESS TEST FAILED at step 40   STRESS TEST PASSED. ALL Results aligned at step 40
    _sentence("stress", rb"STRESS TEST [^\n]{0,60}at step:? ?STEP"),
    # Start to stress detect   Stress detection failed with error code: 174003   Voltage recovery failed
    _sentence(
        "stress", rb"Start to stress detect|Stress detection |Voltage recovery failed|S(?:TRESS TEST|tress tests ended)"
    ),
    # [expert load] iter 3: R, layer 2, load: min 0.12   layer: 1, drop_rate: 0.01230   switch hot experts spent time is
    _sentence("moe", rb"\[expert load\]|layer: \d{1,9}, drop_rate: |switch hot experts spent time"),
    # Worker process 4711 exit with exception. Error code: 1.   There's worker exits with exception, kill all other …
    _sentence("error", rb"Worker process \d{1,18} exit with exception|worker exits with exception"),
    # RuntimeError: Distributed job exited with exception. Please check logs in directory: ./msrun_log.
    _sentence("error", rb"Distributed job exited with exception"),
    # Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 5e-324   overflow, still update
    _sentence("overflow", rb"Gradient overflow\. |OVERFLOW! [^\n]{0,40}Skipping step|\boverflow, still update"),
    # Error in training step 5.
    _sentence("error", rb"Error in training step STEP"),
    # 2025-06-01 10:00:00,000 - mindformers[base_trainer.py:9] - ERROR - No space left.   [ERROR] DEVICE(7,…):…
    _sentence("error", rb" - ERROR - |\[ERROR\]|Error saving checkpoint: "),
)
# what the sentences are found by; each is looked for by its first seven bytes, so those should be rare
NEEDLES = (
    b"Traceback (most",
    b"Callbacks For Train",
    b"Init Train Model",
    b"Start training loop...",
    b"Start resume training",
    b"Start load resume context",
    b"Loading checkpoint from:",
    b"Compiling, Please",
    b"Starting Training Model",
    b"Training Over!",
    b"Training completed.",
    b"workers successfully",
    b"Finish saving",
    b"Saving ckpt.",
    b"Checkpoint saved at",
    b"healthy checkpoint: ",
    b"Eval result: ",
    b"Starting Evaluate",
    b"Evaluate Over!",
    b"[SkipStepOnNaN]",
    b"is_skip: ",
    b" consecutive times greater",
    b"still greater or equal",
    b", stop training...",
    b"terminate training",
    b"TREError occurred",
    b"detect SDC",
    b"Detect SDC",
    b"CheckSum at step",
    b"CheckSum detects",
    b"strikes and out",
    b"Checking device logs",
    b"stress detect",
    b"Stress detection",
    b"Voltage recovery",
    b"STRESS TEST",
    b"Stress tests ended",
    b"[expert load]",
    b", drop_rate: ",
    b"switch hot experts",
    b"Worker process ",
    b"worker exits with",
    b"Distributed job exited",
    b"Gradient overflow.",
    b"OVERFLOW!",
    b"overflow, still",
    b"Error in training step",
    b"Error saving checkpoint",
    b"- ERROR -",
    b"[ERROR]",
)


def sentence_of(line: bytes) -> tuple[Sentence, int | None] | None:
    """What a line tells, and the step that it names."""
    for sentence in SENTENCES:
        if match := sentence.pattern.search(line):
            step = match.groupdict().get("step")
            return sentence, None if step is None else int(step)
    return None
