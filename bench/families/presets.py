"""Sizes of the benchmark families, and how many times faster than ONNX Runtime's Scan each should be.

PRESETS[family][preset] = (sizes, goal with one thread, goal with two). VARIANTS are what the same families look like with odd
sizes, another order in memory, or another type; nobody has set goals for them.
"""

PRESETS = {
    "cumsum": {
        "small": (dict(T=128, C=64), 115, 123),
        "medium": (dict(T=2048, C=512), 15, 27),
        "large": (dict(T=8192, C=1024), 6.99, 9.97),
    },
    "affine": {
        "small": (dict(T=128, C=64), 159, 165),
        "medium": (dict(T=2048, C=512), 25, 43),
        "large": (dict(T=8192, C=1024), 9.00, 13),
    },
    "ema": {
        "small": (dict(T=1024, C=1), 774, 924),
        "medium": (dict(T=2048, C=512), 37, 60),
        "large": (dict(T=8192, C=1024), 15, 22),
    },
    "mingru": {
        "small": (dict(T=128, B=1, D=64, H=64), 32, 37),
        "medium": (dict(T=512, B=4, D=256, H=256), 1.83, 3.32),
        "large": (dict(T=2048, B=8, D=512, H=512), 1.48, 2.13),
    },
    "mamba1": {
        "small": (dict(T=128, B=1, D=64, N=16), 53, 55),
        "medium": (dict(T=512, B=1, D=768, N=16), 20, 44),
        "large": (dict(T=2048, B=2, D=1536, N=16), 18, 37),
    },
    "gru": {
        "small": (dict(T=128, B=1, I=64, H=64), 18, 19),
        "medium": (dict(T=256, B=4, I=256, H=256), 1.53, 3.10),
        "large": (dict(T=512, B=8, I=512, H=512), 1.39, 1.88),
    },
    "lstm": {
        "small": (dict(T=128, B=1, I=64, H=64), 8.23, 9.09),
        "medium": (dict(T=256, B=4, I=256, H=256), 1.37, 2.47),
        "large": (dict(T=512, B=8, I=512, H=512), 1.35, 1.72),
    },
    "biquad": {
        "small": (dict(T=512, C=8), 837, 876),
        "medium": (dict(T=4096, C=64), 261, 290),
        "large": (dict(T=8192, C=1024), 21, 34),
    },
    "viterbi": {
        "small": (dict(T=128, B=1, K=16), 130, 138),
        "medium": (dict(T=1024, B=1, K=64), 58, 58),
        "large": (dict(T=1024, B=4, K=128), 30, 53),
    },
    "pairwise": {
        "small": (dict(N=64, M=64, D=8), 142, 144),
        "medium": (dict(N=1024, M=512, D=32), 65, 181),
        "large": (dict(N=2048, M=2048, D=64), 56, 84),
    },
    "linattn": {
        "small": (dict(T=128, B=1, H=2, Dk=16, Dv=16), 117, 170),
        "medium": (dict(T=512, B=1, H=4, Dk=64, Dv=64), 19, 34),
        "large": (dict(T=2048, B=2, H=8, Dk=64, Dv=64), 12, 42),
    },
    "runmax": {
        "small": (dict(T=128, C=16), 273, 282),
        "medium": (dict(T=2048, C=256), 31, 58),
        "large": (dict(T=8192, C=1024), 7.99, 12),
    },
}

# Families that nobody has set goals for, and that no kernel was written for by hand.
MORE = {
    "rnn": {
        "small": dict(T=128, B=1, I=64, H=64),
        "medium": dict(T=256, B=4, I=256, H=256),
        "large": dict(T=512, B=8, I=512, H=512),
    },
    "forward": {
        "small": dict(T=128, B=1, K=16),
        "medium": dict(T=1024, B=1, K=64),
        "large": dict(T=1024, B=4, K=128),
    },
    "deltanet": {
        "small": dict(T=128, B=1, H=2, Dk=16, Dv=16),
        "medium": dict(T=512, B=1, H=4, Dk=64, Dv=64),
        "large": dict(T=2048, B=2, H=8, Dk=64, Dv=64),
    },
    "linattn_f16": {
        "small": dict(T=128, B=1, H=2, Dk=16, Dv=16),
        "medium": dict(T=512, B=1, H=4, Dk=64, Dv=64),
        "large": dict(T=2048, B=2, H=8, Dk=64, Dv=64),
    },
}
for family, sizes in MORE.items():
    PRESETS[family] = {preset: (each, None, None) for preset, each in sizes.items()}

FAMILIES = {"all": [family for family in PRESETS if family not in MORE], "more": list(MORE)}

# Which size of a family stands for its channels.
CHANNELS = dict(mingru="H", mamba1="D", rnn="H", gru="H", lstm="H", viterbi="K", forward="K", pairwise="M")
CHANNELS.update(linattn="Dv", deltanet="Dv", linattn_f16="Dv")

VARIANTS = {
    "c33": dict(base="small", channels=33),
    "c255": dict(base="small", channels=255),
    "t1": dict(base="medium", steps=1),
    "reversed": dict(base="small", reverse=True),
    "transposed": dict(base="small", axis=1),
    "f64": dict(base="small", dtype="float64"),
    "medium_reversed": dict(base="medium", reverse=True),
    "medium_transposed": dict(base="medium", axis=1),
    "medium_f64": dict(base="medium", dtype="float64"),
}

SETS = {
    "odd": ["c33", "c255", "t1", "reversed", "transposed", "f64"],
    "odd_medium": ["medium_reversed", "medium_transposed", "medium_f64"],
}


def steps_of(family):
    """The size that counts the steps of the Scan."""
    return "N" if family == "pairwise" else "T"


def look_up(family, preset):
    """What a preset or variant means: sizes, how they lie in memory, goals or None."""
    if preset in PRESETS[family]:
        sizes, one, two = PRESETS[family][preset]
        return dict(sizes=dict(sizes), reverse=False, axis=0, dtype="float32", goal=one and [one, two])
    variant = VARIANTS[preset]
    sizes = dict(PRESETS[family][variant["base"]][0])
    if "channels" in variant:
        sizes[CHANNELS.get(family, "C")] = variant["channels"]
    if "steps" in variant:
        sizes[steps_of(family)] = variant["steps"]
    return dict(
        sizes=sizes,
        reverse=variant.get("reverse", False),
        axis=variant.get("axis", 0),
        dtype=variant.get("dtype", "float32"),
        goal=None,
    )
