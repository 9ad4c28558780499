import assert from "node:assert/strict";
import { test } from "node:test";
import { float16Bits } from "../src/float16.js";
import { packStruct } from "../src/struct.js";

function words(bytes: Uint8Array): number[] {
  return [...new Uint32Array(bytes.buffer)];
}

test("fields are padded to a multiple of four words", () => {
  const packed = packStruct(
    "Params",
    [
      { name: "a", type: "u32", value: 7 },
      { name: "b", type: "i32", value: -1 },
      { name: "c", type: "f32", value: 1.5 },
      { name: "d", type: "u32", value: true },
      { name: "e", type: "u32", value: 4294967295 },
    ],
    "params",
  );
  assert.deepEqual(words(packed.bytes), [7, 0xffffffff, 0x3fc00000, 1, 0xffffffff, 0, 0, 0]);
  assert.match(
    packed.declaration,
    /^struct Params \{\n {2}a: u32,\n[^]*_pad0: u32,\n {2}_pad1: u32,\n {2}_pad2: u32,\n\}$/,
  );
});

test("vectors are aligned as WGSL aligns them", () => {
  const packed = packStruct(
    "P",
    [
      { name: "a", type: "u32", value: 1 },
      { name: "v", type: "vec3<u32>", value: [2, 3, 4] },
      { name: "b", type: "u32", value: 5 },
      { name: "w", type: "vec2f", value: [1, 2] },
    ],
    "p",
  );
  assert.deepEqual(words(packed.bytes), [1, 0, 0, 0, 2, 3, 4, 5, 0x3f800000, 0x40000000, 0, 0]);
});

test("values that do not fit are refused", () => {
  for (const [type, value] of [
    ["u32", -1],
    ["u32", 1.5],
    ["u32", 2 ** 32],
    ["i32", 2 ** 31],
    ["u32", "3"],
    ["vec2<u32>", 3],
    ["bool", 1],
    ["mat2x2f", 1],
  ] as const) {
    assert.throws(() => packStruct("P", [{ name: "a", type, value }], "params"), /params\.a/);
  }
});

test("half precision rounds to the nearest even", () => {
  // Source: IEEE 754 binary16.
  const bits: [number, number][] = [
    [0, 0],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65520, 0x7c00],
    [2 ** -24, 1],
    [2 ** -25, 0],
    [3 * 2 ** -25, 2],
    [2 ** -14, 0x0400],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [2047.5, 0x6800],
    [Infinity, 0x7c00],
    [NaN, 0x7e00],
  ];
  for (const [value, expected] of bits) assert.equal(float16Bits(value), expected, String(value));
});
