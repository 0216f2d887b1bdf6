"""What each class of trouble means, where it usually comes from, and what to do about it: for pages and messages.

Causes are in the order in which they are worth looking at, steps in the order in which they are worth taking. What can
be copied is in ``app.words.copies``, what parts of the rules about ranks mean in ``app.words.rank_remedies``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask_babel.speaklater import LazyString

from app.diagnosis.signal import Class
from app.language import lazy_gettext as _

Texts = tuple[LazyString, ...]


@dataclass(frozen=True, slots=True)
class Remedy:
    """``name`` is what the class is called, ``meaning`` one sentence."""

    name: LazyString
    meaning: LazyString
    causes: Texts
    steps: Texts


REMEDIES: Mapping[Class, Remedy] = {
    "nan_inf": Remedy(
        _("NaN or Inf"),
        _("A loss or a gradient is no finite number any more: the weights are spoilt, or will be at the next step."),
        (
            _("exploding gradients: the norm rose in the steps before"),
            _("overflow in FP16: the loss scale fell, or overflow marks stand before it"),
            _("a learning rate that is too high, or a warm-up that is too short"),
            _("a batch with broken input or labels"),
        ),
        (
            _("Look at the first step and the first rank that were not finite, and at the gradient norm just before."),
            _("Go back to the newest healthy checkpoint before the onset; do not trust what was saved after it."),
            _("Compute in BF16 instead of FP16; keep LayerNorm, Softmax and router in FP32."),
            _("Lower the learning rate or lengthen the warm-up, and see that gradients are clipped."),
            _("Let training stop itself at the first NaN, and find the first overflowing operator with a dump."),
        ),
    ),
    "loss_spike": Remedy(
        _("Loss spike"),
        _("The loss jumped far above its course within a few steps."),
        (
            _("a batch of unusual or broken data"),
            _("a single large gradient: see the gradient norm of the steps before"),
            _("a learning rate that is high for this stage"),
        ),
        (
            _("If it has come back by itself, note it and go on."),
            _("If it stays high, go back about 100 steps before the spike and skip the next 200 to 500 batches."),
            _("Decode the batch of the first step and look at the data."),
            _("Skip batches whose gradient norm is extreme, or clip more tightly."),
        ),
    ),
    "divergence": Remedy(
        _("Divergence"),
        _("The loss has been rising, or stays far above where it was, for longer than noise can explain."),
        (
            _("a learning rate that is too high for this stage"),
            _("a spike from which training did not recover"),
            _("the second moments of the optimizer lag behind (β2 of 0.999)"),
            _("numerical trouble, or silent data corruption on a card"),
        ),
        (
            _("Stop: each further step moves away from the best weights."),
            _("Go back to a healthy checkpoint before the onset."),
            _("Go on with 0.5 to 0.9 of the learning rate, tighter clipping and β2 = 0.95."),
            _("If it happens again at the same step, look at the data; if elsewhere, at the hardware."),
        ),
    ),
    "jitter": Remedy(
        _("Violent jitter"),
        _("The loss scatters from row to row far more than it did in this run."),
        (
            _("a global batch that is too small, or gradients accumulated wrongly"),
            _("a learning rate that is too high"),
            _("data that is noisy or not shuffled"),
            _("the printed loss is one card's, not the average"),
        ),
        (
            _("See whether the printed loss is the reduced one: one card's loss scatters by nature."),
            _("Enlarge the global batch; check the steps of gradient accumulation and how the loss is normalised."),
            _("Lower the learning rate."),
            _("Clean and shuffle the data."),
        ),
    ),
    "plateau": Remedy(
        _("Plateau"),
        _("The loss does not fall any more although it is still high and the learning rate is not small."),
        (
            _("the learning rate does not take effect, or is far too low"),
            _("frozen parameters, or weights that were not loaded"),
            _("wrong labels, loss mask or attention mask"),
            _("data that repeats itself"),
        ),
        (
            _("Compare the printed learning rate with what was configured."),
            _("See in the log which parameters are trained and which were loaded."),
            _("Decode one batch: input, labels and masks."),
            _("Raise the learning rate a little."),
        ),
    ),
    "overfit": Remedy(
        _("Overfitting"),
        _("The training loss still falls while the evaluation loss rises: the model learns its data by heart."),
        (
            _("too many epochs over too little data"),
            _("too little regularisation"),
            _("evaluation data of another kind than the training data"),
        ),
        (
            _("Use the weights of the step with the lowest evaluation loss."),
            _("Stop early, or evaluate more often so that the turning point is known."),
            _("Add more varied data, weight decay or dropout, or train fewer epochs."),
        ),
    ),
    "grad_explode": Remedy(
        _("Gradient explosion"),
        _("The gradient norm is many times what it usually is in this run; the loss often follows a few steps later."),
        (
            _("a learning rate that is too high, or a warm-up that is too short"),
            _("a batch of unusual or broken data"),
            _("initialisation, or a layer that is not normalised"),
        ),
        (
            _("See that gradients are clipped, and clip more tightly."),
            _("Lower the learning rate or lengthen the warm-up."),
            _("Find the layer with the local norms, and look at the batch of the first step."),
        ),
    ),
    "grad_vanish": Remedy(
        _("Vanishing gradient"),
        _("The gradient norm is a tiny part of what it was: hardly anything is learnt."),
        (
            _("a learning rate of 0, or frozen layers"),
            _("underflow: the loss scale is too small for FP16"),
            _("masks that hide all labels"),
            _("normalisation or activations that saturate"),
        ),
        (
            _("Check the learning rate, the frozen layers and the loss mask."),
            _("Check the loss scale, or compute in BF16."),
            _("Find the layer in which the gradient is lost with the local norms."),
        ),
    ),
    "loss_scale": Remedy(
        _("Loss scale falls"),
        _("The loss scale keeps being halved: FP16 overflows so often that steps are thrown away."),
        (
            _("activations or gradients that are too large for FP16"),
            _("a learning rate that is too high; divergence often follows within some dozens of steps"),
            _("a window after which the scale grows again that is too short"),
        ),
        (
            _("Compute in BF16: it needs no loss scale."),
            _("Lower the learning rate."),
            _("Keep LayerNorm, Softmax and router in FP32."),
            _("Find the overflowing operator with a dump, and check the growth window of the scale."),
        ),
    ),
    "rank_outlier": Remedy(
        _("A rank differs"),
        _("One rank's values differ lastingly from those of the ranks that do the same work on other data."),
        (
            _("its shard of the data: see that num_shards and shard_id are right"),
            _("the card: silent data corruption or a numerical fault"),
            _("no fault at all: losses of different tensor-parallel ranks are not reduced, and may not be compared"),
        ),
        (
            _("Make sure that the ranks compared are in the same data-parallel group."),
            _("Read that rank's worker log around the step."),
            _("Swap the data shards of two ranks: if the fault moves along, it is the data; if it stays, the card."),
            _("Test the card under stress, and take it out if it fails."),
        ),
    ),
    "tb_missing": Remedy(
        _("No summaries"),
        _("The console prints losses, but no scalar has come in event files."),
        (
            _("the summary directory is another one than the one that is followed"),
            _("no summary is configured: tensorboard, monitor_config or SummaryMonitor"),
            _("the rank that writes is on another host: in PyNative mode only the last rank writes"),
            _("the directory is not writable, not mounted, or another user's"),
            _("just not flushed yet: tensorboardX holds points back for up to two minutes"),
        ),
        (
            _("Compare the directory in the log's line “Set tensorboard path to …” with the followed one."),
            _("Look for event files on the hosts of all ranks, and at their owner and permissions."),
            _("Add the settings below; until then the curves come from the log, rounded as printed."),
        ),
    ),
    "stall": Remedy(
        _("Stalled"),
        _("No step has been logged for far longer than this run ever paused."),
        (
            _("a rank hangs or has died, and the others wait for it in a collective operation"),
            _("storage: saving a checkpoint or reading data blocks"),
            _("the first step of a large graph, which compiles for long"),
        ),
        (
            _("See whether all processes live, and what each rank's worker log says last."),
            _("Look for HCCL timeouts in the logs below ~/ascend/log; the rank that is missing there is the cause."),
            _("Take the stack of a rank that waits and of one that does not."),
            _("Restart from the newest healthy checkpoint without the host that hangs."),
        ),
    ),
    "throughput": Remedy(
        _("Slower steps"),
        _("Steps take lastingly longer than they did in this run."),
        (
            _("a slow card: lower clock, heat, or a neighbour on the same host"),
            _("the network, or one of its links"),
            _("data loading or storage"),
            _("a monitor that prints or dumps at each step"),
        ),
        (
            _("Profile two to five steps, and see whether the cards are busy or wait."),
            _("Compare the ranks' own compute times: the slowest one holds all others back."),
            _("If it began with a restart, try other hosts first."),
        ),
    ),
    "step_regress": Remedy(
        _("Went back"),
        _("Training went on from an earlier step: what lies between is done again."),
        (
            _("a restart from a checkpoint: planned, or after a failure"),
            _("a resume that found only an older checkpoint"),
        ),
        (
            _("See that the loaded step is the newest healthy checkpoint's."),
            _("See that the position in the data and the learning rate went back with it."),
            _("If it happens several times a day, look for what ends the job."),
        ),
    ),
    "lr_anomaly": Remedy(
        _("Learning rate off schedule"),
        _("The learning rate jumped or fell in a way that no schedule does."),
        (
            _("a resume that began the schedule or its warm-up again"),
            _("total or warm-up steps that do not fit this run"),
            _("a change on purpose that nobody told"),
        ),
        (
            _("Compare type, warm-up and total steps of the schedule with those of the run before."),
            _("See that the resume restored the step of the schedule, not the weights alone."),
            _("If it was on purpose, acknowledge this."),
        ),
    ),
    "custom": Remedy(
        _("Your rule"),
        _("A rule of your own configuration holds."),
        (),
        (_("See the rule in the configuration of alerts for what it watches and why."),),
    ),
}
