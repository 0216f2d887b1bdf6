"""What the event strip and the attempt ribbon say."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _
from app.words.states import DERIVED, EVENTS

WORDS: Mapping[str, LazyString] = {
    **{f"event_{kind}": word.text for kind, word in {**EVENTS, **DERIVED}.items()},
    "event_with_health": _("{what}, {health}"),
    "health_healthy": _("healthy"),
    "health_unhealthy": _("unhealthy"),
    "health_unknown": _("health not known"),
    "at_step": _("step {step}"),
    "at_steps": _("steps {first} to {last}"),
    "at_rank": _("rank {rank}"),
    "at_ranks": _("{count} ranks"),
    "events_here": _("{count} events"),
    "events_more": _("Only the newest events are shown; older ones are left out."),
    "tip_zoom": _("Click or Enter to zoom in"),
    "tip_log": _("Click or Enter for the log"),
    "eval_loss": _("eval loss {loss}"),
    "took": _("took {time}"),
    "lr_warmup_end": _("warm-up ends"),
    "lr_decay_start": _("decay begins"),
    "lr_constant": _("constant from here"),
    "lr_restart": _("starts again"),
    "lr_drop": _("is lowered"),
    "lr_rise": _("is raised"),
    "comma": _(", "),
    "attempt_number": _("Attempt {attempt}"),
    "attempt_begins": _("attempt {attempt} begins"),
    "began_at": _("began at {step}"),
    "resumed_at": _("resumed at {step}"),
    "from_to": _("{from} to {to}"),
    "steps_redone": _("{steps} steps done again"),
    "down_for": _("no step for {time}"),
    "why_end": _("the end of training"),
    "why_nan_stop": _("NaN in the loss"),
    "why_norm_stop": _("a gradient norm beyond its threshold"),
    "why_traceback": _("a traceback"),
    "why_error": _("an error"),
    "why_unknown": _("something that no line tells"),
    "done_twice": _("{steps} steps had been done before"),
    "done_twice_time": _("{twice}, about {time}"),
    "it_ended": _("ended by {why}"),
    "after": _("after {why}"),
}
