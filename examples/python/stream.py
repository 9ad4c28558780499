#!/usr/bin/env python3
"""A language model over bytes writes, one byte per call; its states stay inside of the stream.

stream.py [MODEL] [BYTES]
"""

import sys
import time

import numpy as np

import pawl

DEFAULT = "examples/charlm_mamba/model.onnx"
PROMPT = b"The process "

sess = pawl.InferenceSession(sys.argv[1] if len(sys.argv) > 1 else DEFAULT)
count = int(sys.argv[2]) if len(sys.argv) > 2 else 200

stream = sess.stream(states={"conv_state_out": "conv_state", "ssm_state_out": "ssm_state"})
logits = stream(tokens=np.frombuffer(PROMPT, np.uint8).astype(np.int64)[None])["logits"]
print(PROMPT.decode(), end="")
begin = time.perf_counter()
for _ in range(count):
    byte = int(logits[0, -1].argmax())
    print(chr(byte), end="", flush=True)
    logits = stream(tokens=np.array([[byte]]))["logits"]
seconds = time.perf_counter() - begin
print(f"\n\n{count / seconds:.0f} bytes per second", file=sys.stderr)
