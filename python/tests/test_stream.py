"""States that are carried from call to call."""

import threading
import time

import numpy as np
import pytest
from conftest import ENDLESS, PREFIX_SUM, ROOT, session

import pawl

X = np.arange(12, dtype=np.float32).reshape(6, 2)


def test_pieces_give_what_the_whole_gives(sums):
    stream = sums.stream(states={"total": "start"})
    pieces = [stream(x=X[:1])["sums"], stream(x=X[1:4])["sums"], stream(x=X[4:])["sums"]]
    np.testing.assert_array_equal(np.concatenate(pieces), X.cumsum(0))
    np.testing.assert_array_equal(stream.states["start"], X.sum(0))


def test_states_begin_as_zeros_or_as_given(sums):
    stream = sums.stream(states={"total": "start"}, initial={"start": np.float32([10, 20])})
    np.testing.assert_array_equal(stream(x=X[:1])["sums"], X[:1] + [10, 20])
    stream.reset()
    np.testing.assert_array_equal(stream(x=X[:1])["sums"], X[:1])
    given = np.float32([1, 1])
    stream.reset({"start": given})
    stream(x=X)
    np.testing.assert_array_equal(given, [1, 1])


def test_states_stay_in_place_and_views_of_them_do_not_change():
    sums = session(PREFIX_SUM)
    stream = sums.stream(states={"total": "start"})
    stream(x=X[:1])
    address = stream.states["start"].ctypes.data
    stream(x=X[1:2])
    if sums.kernel_report() == ["step: one kernel"]:
        assert stream.states["start"].ctypes.data == address
    held = stream.states["start"]
    before = held.copy()
    stream(x=X[2:3])
    np.testing.assert_array_equal(held, before)
    with pytest.raises(ValueError):
        held[0] = 1


def test_names_have_to_be_the_models(sums):
    for states, words in (({"nothing": "start"}, 'no output "nothing"'), ({"total": "nothing"}, 'no input "nothing"')):
        with pytest.raises(pawl.BadArgument, match=words):
            sums.stream(states=states)
    with pytest.raises(pawl.BadArgument, match="no state of this stream"):
        sums.stream(states={"total": "start"}, initial={"x": X})
    with pytest.raises(pawl.BadArgument, match="two pairs"):
        sums.stream(states={"total": "start", "sums": "start"})
    stream = sums.stream(states={"total": "start"})
    with pytest.raises(pawl.BadArgument, match='input "x" is missing'):
        stream()
    with pytest.raises(pawl.BadArgument, match='no input "y"'):
        stream(x=X, y=X)
    with pytest.raises(pawl.BadArgument, match="although the stream keeps it"):
        stream(x=X, start=X[0])
    np.testing.assert_array_equal(stream(x=X)["sums"], X.cumsum(0))


def test_a_call_that_fails_loses_the_states(sums):
    stream = sums.stream(states={"total": "start"})
    stream(x=X)
    with pytest.raises(pawl.BadShape):
        stream(x=np.zeros(3, np.float32))
    with pytest.raises(pawl.BadArgument, match="reset"):
        stream(x=X)
    stream.reset()
    np.testing.assert_array_equal(stream(x=X)["sums"], X.cumsum(0))


def test_one_thread_at_a_time():
    sess = session(ENDLESS)
    stream = sess.stream(states={"t": "s"}, initial={"s": np.float32(1)})
    options = pawl.RunOptions()
    options.max_steps = 2**62

    def work():
        with pytest.raises(pawl.Interrupted):
            stream(options, go=True)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    for _ in range(2):
        with pytest.raises(pawl.BadArgument, match="another thread"):
            stream(go=True)
        stream.reset({"s": np.float32(2)})
    options.terminate = True
    thread.join(10)
    stream(go=False)
    assert stream.states["s"] == 2


def test_extents_that_are_not_known_need_an_initial_value():
    sess = session(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[N] s, float x) => (float[N] t, float[N] y) { t = Add(s, x)  y = Identity(t) }"""
    )
    stream = sess.stream(states={"t": "s"})
    with pytest.raises(pawl.BadArgument, match='state "s" of type float\\[N\\] needs an initial value'):
        stream(x=np.float32(1))
    stream = sess.stream(states={"t": "s"}, initial={"s": np.float32([1, 2])})
    assert stream(x=np.float32(1))["y"].tolist() == [2, 3]
    assert stream(x=1.0)["y"].tolist() == [3, 4]


def test_the_language_model_streams_as_it_runs():
    sess = pawl.InferenceSession(ROOT / "examples/charlm_mamba/model.onnx")
    tokens = np.frombuffer(b"The process", np.uint8).astype(np.int64)[None]
    zeros = {arg.name: np.zeros(arg.shape, np.float32) for arg in sess.get_inputs()[1:]}
    whole = sess.run(["logits"], {"tokens": tokens, **zeros})[0]
    stream = sess.stream(states={"conv_state_out": "conv_state", "ssm_state_out": "ssm_state"})
    pieces = [stream(tokens=tokens[:, i : i + 1])["logits"] for i in range(tokens.shape[1])]
    np.testing.assert_allclose(np.concatenate(pieces, 1), whole, rtol=1e-3, atol=1e-3)
