"""The benchmark families by name.

Arrays have time on their first axis. Results are computed in float64, for whole sequences where there is such a formula and
else step by step; where they must be exact (maxima, positions of maxima), in the element type itself.
"""

import attention
import cells
import rows
import searches
from family import Draw

FAMILIES = {
    "cumsum": rows.cumsum,
    "affine": rows.affine,
    "ema": rows.ema,
    "mingru": cells.mingru,
    "mamba1": attention.mamba1,
    "gru": cells.gru,
    "lstm": cells.lstm,
    "biquad": rows.biquad,
    "viterbi": searches.viterbi,
    "pairwise": searches.pairwise,
    "linattn": attention.linattn,
    "runmax": rows.runmax,
    "rnn": cells.rnn,
    "forward": searches.forward,
    "deltanet": attention.deltanet,
    "linattn_f16": attention.linattn_f16,
}


def make(family, sizes, dtype, seed):
    return FAMILIES[family](Draw(seed, dtype), **sizes)
