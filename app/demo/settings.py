"""How the demonstration run was set up: its YAML, as MindFormers spells it in its log and in the event files."""

from __future__ import annotations

from app.demo import curves

PER_CARD = curves.BATCH // curves.RANKS

# top-level YAML keys, of which MindFormers makes one text summary each (utils/tensorboard.py)
SECTIONS: dict[str, object] = {
    "seed": 42,
    "output_dir": "./output",
    "run_mode": "train",
    "load_checkpoint": "",
    "resume_training": True,
    "use_parallel": True,
    "trainer": {"type": "CausalLanguageModelingTrainer", "model_name": "demonstration_1b"},
    "runner_config": {
        "epochs": curves.EPOCHS,
        "batch_size": PER_CARD,
        "sink_mode": True,
        "sink_size": 1,
        "gradient_accumulation_steps": 1,
    },
    "optimizer": {"type": "AdamW", "betas": [0.9, 0.95], "eps": 1e-08, "weight_decay": 0.1},
    "lr_schedule": {
        "type": "CosineWithWarmUpLR",
        "learning_rate": curves.PEAK_LR,
        "lr_end": 3e-05,
        "warmup_steps": curves.WARM_UP,
        "total_steps": -1,
    },
    "parallel": {"parallel_mode": 1, "full_batch": True, "enable_parallel_optimizer": True},
    "parallel_config": {
        "data_parallel": curves.RANKS,
        "model_parallel": 1,
        "context_parallel": 1,
        "expert_parallel": 1,
        "pipeline_stage": 1,
        "micro_batch_num": 1,
    },
    "model": {
        "model_config": {
            "type": "LlamaConfig",
            "seq_length": curves.SEQ_LENGTH,
            "hidden_size": 2048,
            "num_layers": 16,
            "num_heads": 16,
            "vocab_size": 60_000,
            "compute_dtype": "float16",
        },
        "arch": {"type": "LlamaForCausalLM"},
    },
    "runner_wrapper": {
        "type": "MFTrainOneStepCell",
        "scale_sense": {
            "type": "DynamicLossScaleUpdateCell",
            "loss_scale_value": int(curves.SCALE),
            "scale_factor": 2,
            "scale_window": curves.SCALE_WINDOW,
        },
        "use_clip_grad": True,
    },
    "callbacks": [
        {"type": "MFLossMonitor", "per_print_times": 1},
        {"type": "CheckpointMonitor", "prefix": curves.PREFIX, "save_checkpoint_steps": curves.CHECKPOINT_EVERY},
    ],
    "use_checkpoint_health_monitor": True,
    "do_eval": True,
    "eval_step_interval": curves.EVAL_EVERY,
    "monitor_config": {
        "monitor_on": True,
        "step_interval": 1,
        "local_loss_format": ["tensorboard"],
        "device_local_loss_format": ["tensorboard"],
        "device_local_norm_format": ["tensorboard"],
        "check_for_global_norm": True,
        "global_norm_spike_threshold": curves.NORM_THRESHOLD,
    },
    "tensorboard": {
        "tensorboard_dir": "./tensorboard",
        "tensorboard_queue_size": curves.QUEUE,
        "log_loss_scale_to_tensorboard": True,
        "log_timers_to_tensorboard": True,
    },
}
