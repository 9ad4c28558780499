"""Threads, forks, signals, and what many runs leave behind."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ENDLESS, session

import pawl

FOREVER = {"go": np.True_, "s": np.float32(1)}
START = np.float32([1, 2])
X = np.arange(6, dtype=np.float32).reshape(3, 2)


def forever():
    options = pawl.RunOptions()
    options.max_steps = 2**62
    return options


def test_two_threads_at_once(sums):
    problems = []

    def work(first):
        start = np.full(2, first, np.float32)
        for _ in range(500):
            total = sums.run(["total"], {"start": start, "x": X})[0]
            if not np.array_equal(total, start + X.sum(0)):
                problems.append(total)

    threads = [threading.Thread(target=work, args=(first,)) for first in (10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_the_lock_is_released_while_a_model_runs():
    sess = session(ENDLESS)
    options = forever()
    caught = []

    def work():
        try:
            sess.run(None, FOREVER, options)
        except pawl.Interrupted as interrupted:
            caught.append(interrupted.code)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.05)
    options.terminate = True  # not reached while the lock is held
    thread.join(10)
    assert caught == ["interrupted"]
    with pytest.raises(pawl.Interrupted):
        sess.run(None, FOREVER, options)
    options.terminate = False
    options.max_steps = 100
    with pytest.raises(pawl.Limit):
        sess.run(None, FOREVER, options)


def test_control_c_stops_a_run():
    sess = session(ENDLESS)
    handler = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sess.run(None, FOREVER, forever())
    assert time.monotonic() - begin < 10
    timer.join()
    assert signal.getsignal(signal.SIGINT) is handler
    assert sess.run is not None
    # The next run is not stopped by the same signal.
    options = pawl.RunOptions()
    options.max_steps = 100
    with pytest.raises(pawl.Limit):
        sess.run(None, FOREVER, options)


def test_control_c_stops_a_loop_that_was_short_before():
    sess = session(ENDLESS)
    options = forever()
    options.max_steps = 2**62
    for _ in range(5):
        sess.run(None, {"go": np.False_, "s": np.float32(1)})
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sess.run(None, FOREVER, options)
    assert not options.terminate
    assert sess.run(None, {"go": np.False_, "s": np.float32(1)}, options)[0] == 1


def test_a_handler_of_the_scripts_own_is_called():
    sess = session(ENDLESS)
    calls = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(pawl.Interrupted):
            sess.run(None, FOREVER, forever())
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls == [signal.SIGINT]


LARGE = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N, N] a, float[N] s, float[T, N] x) => (float[N, N] b, float[T, N] y, float[N] z) {
  b = MatMul(a, a)
  z, y = Scan <num_scan_inputs = 1, body = step (float[N] h, float[N] v) => (float[N] k, float[N] o) {
    t = Add(h, v)  k = Tanh(t)  o = Identity(k) }> (s, x) }"""


def test_the_child_of_a_fork_runs_too():
    sess = session(LARGE)
    feeds = {"a": np.full((512, 512), 0.01, np.float32), "s": np.zeros(512, np.float32), "x": np.full((256, 512), 0.5, np.float32)}
    want = sess.run(None, feeds)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = all(np.array_equal(a, b) for a, b in zip(sess.run(None, feeds), want))
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_many_runs_leave_nothing_behind(sums):
    wrong = {"start": START, "x": X[:, 0]}
    strings = session('<ir_version: 8, opset_import: ["" : 17]> g (string[N] x) => (string[N] y) { y = Identity(x) }')
    words = np.array(["one", "a longer one that is kept elsewhere"], dtype=object)

    def runs(count):
        for _ in range(count):
            sums.run(None, {"start": START, "x": X})
            strings.run(None, {"x": words})
            try:
                sums.run(None, wrong)
            except pawl.BadShape:
                pass

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    runs(2000)
    before = resident()
    blocks = sys.getallocatedblocks()
    references = sys.getrefcount(words)
    runs(10000)
    assert resident() < before + 1_000_000
    assert sys.getallocatedblocks() < blocks + 200
    assert sys.getrefcount(words) == references


def test_the_process_ends_well_right_after_a_run(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, numpy as np\n"
        f"sys.path[:0] = {sys.path!r}\n"
        "from test_process import LARGE\nfrom conftest import session\n"
        "sess = session(LARGE)\n"
        "out = sess.run(None, {'a': np.ones((512, 512), np.float32), 's': np.zeros(512, np.float32),"
        " 'x': np.ones((64, 512), np.float32)})\nprint(out[2].shape)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "(512,)\n", "")
