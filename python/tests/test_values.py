"""Values in and out: layouts, types, sequences, maps, DLPack."""

import ctypes

import numpy as np
import pytest
from conftest import session

import pawl

START = np.float32([0, 0])


def identity(declared, opset=18):
    return session(f'<ir_version: 10, opset_import: ["" : {opset}]> g ({declared} x) => ({declared} y) {{ y = Identity(x) }}')


def same(sess, x):
    return sess.run(None, {"x": x})[0]


X = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize(
    "x",
    [
        np.asfortranarray(X),
        X.T.copy().T,
        np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2],
        X[::-1, ::-1],
        np.broadcast_to(np.float32([1, 2, 3]), (4, 3)),
        X.astype(">f4"),
        np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(np.float32).reshape(4, 3),
    ],
    ids=["fortran", "transposed", "gaps", "reversed", "broadcast", "big-endian", "unaligned"],
)
def test_arrays_of_any_layout_are_read(x):
    np.testing.assert_array_equal(same(identity("float[A, B]"), x), np.ascontiguousarray(x).astype(np.float32))


def test_strides_that_are_no_multiple_of_an_element():
    packed = np.zeros(4, dtype=[("pad", "i1"), ("value", "f4")])
    packed["value"] = [1, 2, 3, 4]
    np.testing.assert_array_equal(same(identity("float[N]"), packed["value"]), [1, 2, 3, 4])


def test_copies_that_had_to_be_made_live_as_long_as_the_run():
    x = np.arange(2**22)
    y = same(identity("float[N]"), x.astype(">f4"))  # large: memory that is freed is gone at once
    np.testing.assert_array_equal(y, x)


def test_inputs_are_never_written_to_and_may_be_read_only():
    sess = session(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[N] x) => (float[N] y, float[N] z) { y = Add(x, x)  z = Identity(x) }"""
    )
    x = np.float32([1, 2, 3])
    x.flags.writeable = False
    y, z = sess.run(None, {"x": x})
    y[:] = 9
    z[:] = 9
    np.testing.assert_array_equal(x, [1, 2, 3])


def test_results_own_their_memory():
    sess = identity("float[N]")
    x = np.float32([1, 2, 3])
    y = same(sess, x)
    del sess
    x[:] = 0
    np.testing.assert_array_equal(y, [1, 2, 3])
    assert y.flags.writeable and y.flags.c_contiguous and y.flags.aligned


@pytest.mark.parametrize(
    "declared, dtype",
    [
        ("float", np.float32), ("double", np.float64), ("float16", np.float16), ("int8", np.int8), ("int16", np.int16),
        ("int32", np.int32), ("int64", np.int64), ("uint8", np.uint8), ("uint16", np.uint16), ("uint32", np.uint32),
        ("uint64", np.uint64), ("bool", np.bool_), ("complex64", np.complex64), ("complex128", np.complex128),
    ],
)  # fmt: skip
def test_types_of_numpy(declared, dtype):
    for x in (np.array([0, 1, 1], dtype), np.zeros((2, 0, 3), dtype), np.array(1, dtype)):
        y = same(identity(f"{declared}[]"), x)
        assert y.dtype == dtype and y.shape == x.shape
        np.testing.assert_array_equal(y, x)


def test_long_and_longlong_are_int64():
    assert same(identity("int64[N]"), np.array([1], np.longlong)).dtype == np.int64
    assert same(identity("uint64[N]"), np.array([1], np.ulonglong)).dtype == np.uint64


@pytest.mark.parametrize("declared, width", [("bfloat16", 2), ("float8e4m3fn", 1), ("float8e5m2", 1), ("int4", 1)])
def test_types_that_numpy_does_not_have(declared, width):
    dtype = pawl.numpy_dtype(declared)
    assert dtype.itemsize == width
    x = np.zeros(3, dtype)
    x.view(np.uint8)[::width] = [1, 2, 3]
    y = same(identity(f"{declared}[N]", 21), x)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y.view(np.uint8), x.view(np.uint8))
    if dtype.names:
        assert dtype.names == (declared,)
    with pytest.raises(pawl.BadType):
        same(identity(f"{declared}[N]", 21), np.zeros(3, np.uint16))


@pytest.mark.parametrize(
    "declared, kind", [("bfloat16", "bfloat16"), ("float8e4m3fn", "float8_e4m3fn"), ("float8e5m2fnuz", "float8_e5m2fnuz")]
)
def test_types_of_ml_dtypes(declared, kind):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([0, 1, -2.5], getattr(ml_dtypes, kind))
    y = same(identity(f"{declared}[N]", 21), x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y.astype(np.float32), x.astype(np.float32))


def test_arithmetic_in_bfloat16():
    sess = session('<ir_version: 8, opset_import: ["" : 17]> g (bfloat16[N] x) => (bfloat16[N] y) { y = Add(x, x) }')
    bits = np.float32([1, -2.5]).view(np.uint32) >> 16
    y = same(sess, bits.astype(np.uint16).view(pawl.numpy_dtype("bfloat16")))
    np.testing.assert_array_equal((y.view(np.uint16).astype(np.uint32) << 16).view(np.float32), [2, -5])


def test_strings_are_arrays_of_objects():
    sess = identity("string[A, B]")
    x = np.array([["plain", "ümläut"], ["", "a\0b"]], dtype=object)
    y = same(sess, x)
    assert y.dtype == object and y.shape == (2, 2)
    assert y.tolist() == x.tolist()
    assert same(sess, np.array([["one", "three"]])).tolist() == [["one", "three"]]
    assert same(sess, np.array([[b"one", b"two"]])).tolist() == [["one", "two"]]
    assert same(sess, np.array([[b"\xff"]], dtype=object)).tolist() == [["\udcff"]]
    assert same(sess, same(sess, np.array([[b"\xff"]], dtype=object))).tolist() == [["\udcff"]]
    with pytest.raises(pawl.BadType, match="strings are str or bytes, not int"):
        same(sess, np.array([["one", 3]], dtype=object))


def test_numbers_and_lists_become_what_is_declared():
    assert same(identity("float"), 1.5) == np.float32(1.5)
    assert same(identity("int64[N]"), [1, 2]).tolist() == [1, 2]
    assert same(identity("float[A, B]"), [[1, 2], [3, 4]]).dtype == np.float32
    assert same(identity("float"), np.float32(2)).shape == ()
    assert same(identity("string[N]"), ["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(pawl.BadValue, match='input "x": expected float\\[A,B\\]'):
        same(identity("float[A, B]"), [[1, 2], [3]])


@pytest.mark.parametrize("wrong", [(i for i in range(3)), object(), {1: 2}, {1, 2}, lambda: 0, float])
def test_what_is_no_value_is_one_clear_exception(wrong):
    with pytest.raises(pawl.BadType, match='input "x": expected float\\[N\\], found an object of type'):
        same(identity("float[N]"), wrong)


def test_dates_are_no_tensors():
    with pytest.raises(pawl.BadType, match="found an array of datetime64"):
        same(identity("int64[N]"), np.array(["2020-01-01"], "datetime64[D]"))


def test_sequences_are_lists():
    sess = identity("seq(float[?])")
    items = [np.float32([1, 2]), np.float32([3])]
    for x in (items, tuple(items)):
        y = same(sess, x)
        assert isinstance(y, list)
        np.testing.assert_array_equal(y[1], [3])
    assert same(sess, []) == []
    with pytest.raises(pawl.BadType):
        same(sess, [np.int64([1])])
    with pytest.raises(pawl.BadType):
        same(sess, np.float32([1]))


def test_an_optional_without_an_element_is_none():
    sess = identity("optional(float[2])")
    assert same(sess, None) is None
    np.testing.assert_array_equal(same(sess, np.float32([1, 2])), [1, 2])
    has = session(
        """<ir_version: 8, opset_import: ["" : 18]>
        g (optional(float[2]) x) => (bool y) { y = OptionalHasElement(x) }"""
    )
    assert not same(has, None) and same(has, np.float32([1, 2]))


def test_maps_are_dicts():
    scores = session(
        """<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 1]>
        g (float[N, 2] x) => (seq(map(int64, float)) y) { y = ai.onnx.ml.ZipMap <classlabels_int64s = [3, 7]> (x) }"""
    )
    assert scores.get_outputs()[0].type == "seq(map(int64,tensor(float)))"
    assert same(scores, np.float32([[0.5, 0.25], [0, 1]])) == [{3: 0.5, 7: 0.25}, {3: 0.0, 7: 1.0}]
    table = session(
        """<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 1]>
        g (map(string, float) x) => (float[1, 3] y) { y = ai.onnx.ml.DictVectorizer <string_vocabulary = ["b", "a", "c"]> (x) }"""
    )
    assert same(table, {"c": 3.0, "b": 2.0}).tolist() == [[2, 0, 3]]
    with pytest.raises(pawl.BadType):
        same(table, [1])


class Foreign:
    """What another framework's tensor shows of itself."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


def test_dlpack_tensors_are_viewed():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(same(identity("float[A, B]"), Foreign(x)), x)
    np.testing.assert_array_equal(same(identity("float[A, B]"), Foreign(x.T)), x.T)
    with pytest.raises(pawl.BadType, match="found int64"):
        same(identity("float[N]"), Foreign(np.int64([1])))


def test_dlpack_memory_is_given_back():
    import gc
    import weakref

    class Array(np.ndarray):
        pass

    x = np.zeros(4, np.float32).view(Array)
    alive = weakref.ref(x)
    same(identity("float[N]"), Foreign(x))
    del x
    gc.collect()
    assert alive() is None


def test_results_go_out_through_dlpack():
    y = same(identity("float[N]"), np.float32([1, 2, 3]))
    z = np.from_dlpack(y)
    np.testing.assert_array_equal(z, y)
    assert np.shares_memory(y, z)


class DlTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("id", ctypes.c_int32), ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p), ("release", ctypes.c_void_p),
    ]  # fmt: skip


class Made:
    """A tensor of a type and a device that NumPy does not have."""

    def __init__(self, device, code, bits):
        self.memory = (ctypes.c_uint16 * 2)(0x3F80, 0x4000)  # 1 and 2 in bfloat16
        self.shape = (ctypes.c_int64 * 1)(2)
        self.tensor = DlTensor(ctypes.addressof(self.memory), device, 0, 1, code, bits, 1, self.shape, None, 0, None, None)

    def __dlpack__(self, stream=None):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


def test_dlpack_types_and_devices():
    sess = session('<ir_version: 8, opset_import: ["" : 17]> g (bfloat16[N] x) => (float[N] y) { y = Cast <to = 1> (x) }')
    assert same(sess, Made(1, 4, 16)).tolist() == [1, 2]
    with pytest.raises(pawl.BadArgument, match="memory of a device"):
        same(sess, Made(2, 4, 16))
    with pytest.raises(pawl.BadType, match="code 9"):
        same(sess, Made(1, 9, 16))


def test_bytes_that_are_no_bool():
    with pytest.raises(pawl.BadValue, match='input "x"'):
        same(identity("bool[N]"), np.uint8([0, 1, 2]).view(np.bool_))
