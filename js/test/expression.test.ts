import assert from "node:assert/strict";
import { test } from "node:test";
import { ExpressionError } from "../src/errors.js";
import { derivedScope, expression, type Scope } from "../src/expression.js";
import { functions, type Value } from "../src/functions.js";

const scope: Scope = Object.assign(Object.create(null) as Record<string, Value>, functions, {
  n: 10,
  T: "f32",
  shapes: { x: [2, 3, 4], gone: undefined },
  attrs: { reverse: 1, mode: "linear" },
  device: { features: { has: (name: Value) => name === "subgroups" }, limits: { maxBufferSize: 1024 } },
});

function value(source: unknown): Value {
  return expression(source, "test").evaluate(scope);
}

const cases: [unknown, Value][] = [
  ["1 + 2 * 3", 7],
  ["(1 + 2) * 3", 9],
  ["7 / 2", 3.5],
  ["7 // 2", 3],
  ["7 % 4", 3],
  ["2 ** 10", 1024],
  ["-n + 1", -9],
  ["n - 1", 9],
  ["not (n > 3 and n < 5)", true],
  ["n == 10 or missing_is_not_read", true],
  ["1 if attrs.reverse else 2", 1],
  ["1 if n > 20 else 2 if n > 5 else 3", 2],
  ["'lin' in attrs.mode", true],
  ["n in [1, 10]", true],
  ["n not in [1, 10]", false],
  ["[n, n + 1] + [3]", [10, 11, 3]],
  ["shapes.x[0]", 2],
  ["shapes.x[-1]", 4],
  ["shapes.x[1:]", [3, 4]],
  ["shapes.x[:-1] + [9]", [2, 3, 9]],
  ["shapes['x'] == [2, 3, 4]", true],
  ["shapes.x[7] is defined or shapes.x[7] == 1", false],
  ["T == 'f32'", true],
  ["true and not false", true],
  ["none is none", true],
  ["shapes.gone is defined", false],
  ["shapes.gone | default([1])", [1]],
  ["unknown | default(4) + 1", 5],
  ["attrs.nothing.more | default(5)", 5],
  ["unknown is defined", false],
  ["n is defined", true],
  ["n is not even", false],
  ["shapes.x | length", 3],
  ["ceil(2.1) + floor(2.9)", 5],
  ["min(3, 1, 2) + max([4, 6])", 7],
  ["pow(2, 3)", 8],
  ["ceilDiv(10, 4)", 3],
  ["ceilDiv(0, 4)", 0],
  ["[pow2ceil(1), pow2ceil(5), pow2ceil(64)]", [1, 8, 64]],
  ["numel(shapes.x)", 24],
  ["numel([])", 1],
  ["rank(shapes.x)", 3],
  ["dim(shapes.x, 1) * dim(shapes.x, -1)", 12],
  ["has(attrs, 'reverse') and not has(attrs, 'nothing') and not has(shapes, 'gone')", true],
  ["[dtypeBytes('float16'), dtypeBytes(T), dtypeBytes('u32')]", [2, 4, 4]],
  ["device.features.has('subgroups') and not device.features.has('shader-f16')", true],
  ["device.limits.maxBufferSize", 1024],
  ["{{ n * 2 }}", 20],
  [
    ["n", 3, "shapes.x[0]"],
    [10, 3, 2],
  ],
  [5, 5],
  [true, true],
];

for (const [source, expected] of cases) {
  test(`${JSON.stringify(source)} is ${JSON.stringify(expected)}`, () => assert.deepEqual(value(source), expected));
}

const failures: [string, RegExp, string?][] = [
  ["n + missing", /unknown name "missing"/, "missing"],
  ["attrs.revers", /unknown name "revers"/, "revers"],
  ["frobnicate(3)", /unknown name "frobnicate"/, "frobnicate"],
  ["n | frobnicate", /unknown name "frobnicate"/, "frobnicate"],
  ["n is frobnicated", /unknown name "frobnicated"/, "frobnicated"],
  ["n /", /does not parse/],
  ["n n", /does not parse/],
  ["", /does not parse/],
  ["1 / 0", /division by zero/],
  ["1 % 0", /division by zero/],
  ["ceilDiv(n, 0)", /division by zero/],
  ["'a' < 1", /needs two numbers or two strings/],
  ["'a' - 1", /needs numbers/],
  ["dim(shapes.x, 3)", /no dimension 3/],
  ["shapes.x[7] + 1", /needs numbers, not undefined/],
  ["shapes.gone[0]", /no value to read/],
  ["n()", /not a function/],
  ["range(10 ** 9)", /at most 65536/],
  ["dtypeBytes('float99')", /not a type/],
];

for (const [source, problem, unknown] of failures) {
  test(`${JSON.stringify(source)} is refused`, () => {
    assert.throws(
      () => value(source),
      (thrown: unknown) =>
        thrown instanceof ExpressionError &&
        problem.test(thrown.message) &&
        thrown.message.includes("test: ") &&
        thrown.unknownName === unknown,
    );
  });
}

test("derived names see those before them, and are computed only when they are read", () => {
  const derived = derivedScope(
    scope,
    ["a = n + 1", "b = a * 2", "bad = 1 / 0"].map((line) => {
      const [name = "", source] = line.split(" = ");
      return { name, expression: expression(source, name) };
    }),
  );
  assert.equal(derived["b"], 22);
  assert.throws(() => derived["bad"], ExpressionError);
});

test("an object's inherited members are no names", () => {
  assert.throws(() => value("toString"), /unknown name "toString"/);
  assert.throws(() => value("attrs.constructor"), /unknown name "constructor"/);
});
