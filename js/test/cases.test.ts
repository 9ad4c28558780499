// test.json and bench.json: tensors decoded, results compared. Expected values are written here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CaseTensors } from "../src/case_tensor.js";
import { readBenchmarks, readTests } from "../src/cases.js";
import { summary, timed, type Clock } from "../src/clock.js";
import { compare } from "../src/compare.js";
import { PackageFormatError } from "../src/errors.js";
import { float16Bits, float16Value } from "../src/float16.js";
import { Json } from "../src/json.js";
import type { HostTensor } from "../src/tensor.js";
import { safetensors } from "./memory.js";

const weights = safetensors({ w: { dtype: "F32", shape: [2], bytes: Float32Array.of(1.5, -2) } });
const tensors = new CaseTensors(async (name) => (name === "weights.safetensors" ? weights : undefined));
const json = (value: unknown): Json => new Json("test.json", "x", value);
const decoded = (value: object): Promise<HostTensor> => tensors.tensor(json(value));
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

async function values(value: object): Promise<(number | bigint)[]> {
  return Array.from((await decoded(value)).data as unknown as ArrayLike<number | bigint>);
}

test("tensors in lists", async () => {
  assert.deepEqual(await values({ dtype: "float32", shape: [4], data: [0.1, "NaN", "Infinity", "-Infinity"] }), [
    Math.fround(0.1),
    NaN,
    Infinity,
    -Infinity,
  ]);
  assert.deepEqual(await values({ dtype: "float16", shape: [3], data: [1, -2, "Infinity"] }), [0x3c00, 0xc000, 0x7c00]);
  assert.deepEqual(await values({ dtype: "bool", shape: [2, 1], data: [1, 0] }), [1, 0]);
  assert.deepEqual(await values({ dtype: "int64", shape: [2], data: [-3, 9007199254740991] }), [
    -3n,
    9007199254740991n,
  ]);
  assert.deepEqual(await values({ dtype: "uint8", shape: [], data: [255] }), [255]);
  assert.ok((await decoded({ dtype: "uint64", shape: [1], data: [7] })).data instanceof BigUint64Array);
});

test("tensors in base64 and in files", async () => {
  assert.deepEqual(await values({ dtype: "float32", shape: [2], base64: "AACAPwAAAMA=" }), [1, -2]);
  assert.deepEqual(await values({ dtype: "int64", shape: [1], base64: "/v////////8=" }), [-2n]);
  assert.deepEqual(await values({ dtype: "bool", shape: [3], base64: "AQAB" }), [1, 0, 1]);
  assert.deepEqual(await values({ dtype: "float32", shape: [2], file: "weights.safetensors", tensor: "w" }), [1.5, -2]);
});

test("tensors by a rule", async () => {
  const uniform = { kind: "uniform", seed: 1, low: 0, high: 16777216 };
  assert.deepEqual(
    await values({ dtype: "float32", shape: [4], generate: uniform }),
    [3141468, 10651663, 2594507, 13399178],
  );
  assert.deepEqual(
    await values({ dtype: "int32", shape: [2, 2], generate: uniform }),
    [3141468, 10651663, 2594507, 13399178],
  );
  // 3141468 / 2^24 is 0.187…, 10651663 / 2^24 is 0.634….
  assert.deepEqual(await values({ dtype: "bool", shape: [2], generate: { ...uniform, high: 2 } }), [0, 1]);
  assert.deepEqual(await values({ dtype: "int32", shape: [2], generate: { ...uniform, low: -2, high: 2 } }), [-2, 0]);
  const ramp = { kind: "ramp", first: 1, step: 0.5, axis: 0 };
  assert.deepEqual(await values({ dtype: "float32", shape: [3, 2], generate: ramp }), [1, 1, 1.5, 1.5, 2, 2]);
  assert.deepEqual(
    await values({ dtype: "float32", shape: [2, 3], generate: { ...ramp, axis: 1 } }),
    [1, 1.5, 2, 1, 1.5, 2],
  );
  const down = { kind: "ramp", first: 0, step: -1, axis: 0 };
  assert.deepEqual(await values({ dtype: "uint32", shape: [2], generate: down }), [0, 4294967295]);
  assert.deepEqual(await values({ dtype: "int64", shape: [2], generate: { kind: "constant", value: 3 } }), [3n, 3n]);
});

test("a tensor that is wrong is refused, with its place", async () => {
  const float = { dtype: "float32", shape: [2] };
  for (const [wrong, words] of [
    [{ ...float }, "it needs data, base64, file or generate"],
    [{ ...float, data: [1] }, "x.data: it has 1 numbers, [2] has 2"],
    [{ ...float, data: [1, "one"] }, "x.data[1]: a number is needed"],
    [{ dtype: "int32", shape: [1], data: [0.5] }, "0.5 is not int32"],
    [{ dtype: "float64", shape: [1], data: [0] }, "float64 is not a supported type"],
    [{ dtype: "float32", shape: [-1], data: [] }, "x.shape[0]: a whole number from 0 is needed, not -1"],
    [{ ...float, base64: "AAAA" }, "it has 3 bytes, float32[2] takes 8"],
    [{ ...float, base64: "?" }, "it is not base64"],
    [{ ...float, file: "../w.safetensors", tensor: "w" }, "is not a safetensors file of the package"],
    [{ ...float, file: "other.safetensors", tensor: "w" }, "the package has no other.safetensors"],
    [{ ...float, file: "weights.safetensors", tensor: "v" }, 'there is no tensor "v"'],
    [{ dtype: "float32", shape: [1], file: "weights.safetensors", tensor: "w" }, "is float32[2], not float32[1]"],
    [{ ...float, generate: { kind: "sine" } }, '"sine" is not one of constant, uniform, ramp'],
    [{ ...float, generate: { kind: "ramp", first: 0, step: 1, axis: 1 } }, "the tensor has rank 1"],
  ] as const) {
    await assert.rejects(
      decoded(wrong),
      (thrown: unknown) => thrown instanceof PackageFormatError && thrown.message.includes(words),
      words,
    );
  }
});

test("a safetensors file that is wrong is refused", async () => {
  const read = (content: Uint8Array<ArrayBuffer>): Promise<HostTensor> =>
    new CaseTensors(async () => content).tensor(
      json({ dtype: "float32", shape: [2], file: "w.safetensors", tensor: "w" }),
    );
  const long = weights.slice();
  long[6] = 1;
  await assert.rejects(read(weights.slice(0, 7)), /too short/);
  await assert.rejects(read(long), /its header takes/);
  await assert.rejects(read(weights.slice(0, -4)), /does not hold the 8 bytes/);
});

test("half precision there and back", () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const value = float16Value(bits);
    if (!Number.isNaN(value)) assert.equal(float16Bits(value), bits);
  }
  assert.ok(Number.isNaN(float16Value(0x7e00)));
  assert.equal(float16Value(0x3555), 0.333251953125);
});

const tensor = (
  data: HostTensor["data"],
  dtype: HostTensor["dtype"] = "float32",
  shape = [data.length],
): HostTensor => ({
  data,
  dtype,
  shape,
});

function problem(got: HostTensor, want: HostTensor, tolerance?: { rtol: number; atol: number }): string | undefined {
  return compare("y", got, want, tolerance).problem;
}

test("what is right and what is not", () => {
  const float = (...numbers: number[]): HostTensor => tensor(Float32Array.from(numbers));
  const within = { rtol: 0.1, atol: 0.5 };
  assert.equal(problem(float(1, NaN, Infinity, -0), float(1, NaN, Infinity, 0)), undefined);
  assert.match(problem(float(1, 2.5), float(1, 2)) ?? "", /^y\[1\] is 2.5, not 2 exactly$/);
  assert.equal(problem(float(10, 11.5), float(10, 10), within), undefined);
  assert.match(problem(float(11.625), float(10), within) ?? "", /within 0.5 \+ 0.1/);
  assert.match(problem(float(NaN), float(1), within) ?? "", /is NaN, not 1/);
  assert.match(problem(float(1), float(NaN), within) ?? "", /is 1, not NaN/);
  assert.match(problem(float(3e38), float(Infinity), within) ?? "", /not Infinity/);
  assert.match(problem(float(-Infinity), float(Infinity), within) ?? "", /is -Infinity, not Infinity/);
  assert.match(problem(float(1, 2, 3), float(0, 2, 0)) ?? "", /y\[0\] is 1, not 0 exactly; 2 of 3 elements differ/);
  const square = (...numbers: number[]): HostTensor => tensor(Float32Array.from(numbers), "float32", [2, 2]);
  assert.match(problem(square(1, 2, 3, 4), square(1, 2, 3, 5)) ?? "", /y\[1, 1\]/);
  assert.match(problem(square(1, 2, 3, 4), float(1, 2, 3, 4)) ?? "", /y is float32\[2, 2\], not float32\[4\]/);
  assert.match(
    problem(tensor(BigInt64Array.of(1n), "int64"), tensor(BigInt64Array.of(2n), "int64")) ?? "",
    /is 1, not 2/,
  );
  const half = (...bits: number[]): HostTensor => tensor(Uint16Array.from(bits), "float16");
  assert.equal(problem(half(0x3c01), half(0x3c00), { rtol: 1e-3, atol: 0 }), undefined);
  assert.match(problem(half(0x3c02), half(0x3c00), { rtol: 1e-3, atol: 0 }) ?? "", /1.001953125, not 1/);
  assert.equal(compare("y", float(1, 2.5, Infinity), float(1, 2, Infinity), within).largestError, 0.5);
});

test("files of cases that are wrong are refused, with their place", () => {
  const good = { name: "a", inputs: {}, expected: { y: { dtype: "float32", shape: [0], data: [] } } };
  const file = (cases: unknown, format = "pawl-package-test/1"): Uint8Array => bytes({ format, cases });
  assert.equal(readTests(file([good])).cases[0]?.name, "a");
  for (const [wrong, words] of [
    [file([good], "other/1"), 'format: "other/1" is not known'],
    [file([]), "cases: there are none"],
    [file([{ ...good, expected: {} }]), "cases[0].expected: a case must expect something"],
    [file([{ ...good, attrs: { a: {} } }]), "cases[0].attrs.a"],
    [file([{ ...good, tolerances: { y: { rtol: 1 } } }]), "cases[0].tolerances.y.atol: a number is needed"],
    [file([{ ...good, inputs: { x: { dtype: "int16", shape: [] } } }]), "cases[0].inputs.x.dtype: int16 is not"],
    [new TextEncoder().encode("{"), "test.json: it is not JSON"],
  ] as const) {
    assert.throws(
      () => readTests(wrong),
      (thrown: unknown) => thrown instanceof PackageFormatError && thrown.message.includes(words),
      words,
    );
  }
  const bench = { name: "a", at: { T: 3 }, inputs: {}, bytes: 12 };
  assert.deepEqual(readBenchmarks(file([bench], "pawl-package-bench/1"))[0]?.at, { T: 3 });
  assert.throws(() => readBenchmarks(file([{ ...bench, bytes: "12" }], "pawl-package-bench/1")), /cases\[0\].bytes/);
  assert.throws(() => readBenchmarks(file([bench])), /is not known/);
});

test("median, minimum and spread of samples", () => {
  assert.deepEqual(summary([5, 1, 2, 4, 3], 7), { median: 3, min: 1, spread: 2 / 3, samples: 5, repeat: 7 });
  assert.deepEqual(summary([1, 2], 1), { median: 1.5, min: 1, spread: 0.5 / 1.5, samples: 2, repeat: 1 });
});

test("short work is repeated until a sample is long enough for the clock", async () => {
  const repeats: number[] = [];
  const clock: Clock = {
    kind: "timestamp",
    measure: async (_, repeat) => {
      repeats.push(repeat);
      return Math.floor((repeat * 30e-6) / 100e-6) * 100e-6; // 30 µs, on a clock that ticks every 100 µs.
    },
    dispose() {},
  };
  const times = await timed(clock, () => {}, 0.05);
  assert.equal(times.repeat, 256);
  assert.ok(Math.abs(times.median - 30e-6) < 1e-6, String(times.median));
  assert.ok(times.samples >= 3);
  assert.deepEqual(repeats.slice(0, 2), [1, 1]);
});
