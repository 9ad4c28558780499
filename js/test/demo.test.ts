// What the page of demo/ computes, without a browser: designs of filters, blocks with carried states, axes of charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { biquadKinds, designed, gainAt } from "../demo/biquad.js";
import { BlockFilter } from "../demo/block_filter.js";
import { axisOf, chartData, isWide, shownCount } from "../demo/chart_data.js";
import { filterRoles, type FilterRoles } from "../demo/filter_roles.js";
import { drawn, generated, generators } from "../demo/signal.js";
import { readTests, type Case } from "../src/cases.js";
import { getKernel, type BenchResult, type Kernel } from "../src/index.js";
import { openDevice } from "./adapter.js";
import { testPackage } from "./packages.js";

const { device: opened, skip } = await openDevice();
const device = opened as GPUDevice;
const rate = 8000;
const near = (got: number, want: number, words: string): void =>
  assert.ok(Math.abs(got - want) < 1e-6, `${words}: ${got}, not ${want}`);

test("filters do at their frequencies what their names say", () => {
  const gain = (kind: (typeof biquadKinds)[number], frequency: number): number =>
    gainAt(designed(kind, 300, Math.SQRT1_2, rate), frequency, rate);
  near(gain("low-pass", 0), 1, "low-pass at 0");
  near(gain("low-pass", 300), Math.SQRT1_2, "low-pass at its frequency");
  near(gain("low-pass", rate / 2), 0, "low-pass at the highest");
  near(gain("high-pass", 0), 0, "high-pass at 0");
  near(gain("high-pass", 300), Math.SQRT1_2, "high-pass at its frequency");
  near(gain("high-pass", rate / 2), 1, "high-pass at the highest");
  near(gain("band-pass", 300), 1, "band-pass at its frequency");
  near(gain("band-pass", 0), 0, "band-pass at 0");
  near(gain("notch", 300), 0, "notch at its frequency");
  near(gain("notch", 0), 1, "notch at 0");
  for (const kind of biquadKinds)
    for (const frequency of [20, 3800, 5000]) {
      const { a1, a2 } = designed(kind, frequency, 12, rate);
      assert.ok(Math.abs(a2) < 1 && Math.abs(a1) < 1 + a2, `${kind} at ${frequency} is stable`);
    }
});

test("signals go on from block to block", () => {
  for (const [name, sample] of Object.entries(generators)) {
    const [blocks, whole] = [generated(sample), generated(sample)];
    const parts = [blocks.next(100), blocks.next(156)].flatMap((block) => [...(block ?? [])]);
    assert.deepEqual(parts, [...(whole.next(256) ?? [])], name);
    assert.ok(Math.max(...parts.map(Math.abs)) <= 1, name);
  }
  const period = drawn(Float32Array.of(1, 2, 3));
  assert.deepEqual([...(period.next(4) ?? []), ...(period.next(2) ?? [])], [1, 2, 3, 1, 2, 3]);
});

test("axes and lines of charts", () => {
  const times = (gigabytesPerSecond: number): NonNullable<BenchResult["kernel"]> => ({
    median: 1,
    min: 1,
    spread: 0,
    samples: 3,
    repeat: 1,
    gigabytesPerSecond,
  });
  const result = (at: Record<string, number>, speed: number | undefined): BenchResult => ({
    name: "",
    at,
    status: "measured",
    problem: undefined,
    variant: "v",
    bytes: 1,
    kernel: speed === undefined ? undefined : times(speed),
    copy: speed === undefined ? undefined : times(2 * speed),
  });
  const results = [
    result({ dim: 1, steps: 4096 }, 3),
    result({ dim: 1, steps: 256 }, 1),
    result({ dim: 33, steps: 256 }, 2),
    result({ dim: 33, steps: 1000 }, undefined),
  ];
  assert.equal(axisOf(results), "steps");
  assert.equal(axisOf([]), undefined);
  assert.equal(axisOf([{ at: { T: 1, C: 1 } }, { at: { T: 1, C: 2 } }]), "C");
  assert.equal(axisOf([{ at: { C: 1, T: 1 } }, { at: { C: 2, T: 2 } }, { at: { C: 3, T: 2 } }]), "T");
  assert.equal(chartData([]), undefined);
  const data = chartData(results);
  assert.deepEqual(data, {
    axis: "steps",
    series: [
      {
        name: "dim 1",
        kernel: [
          { x: 256, y: 1 },
          { x: 4096, y: 3 },
        ],
        copy: [
          { x: 256, y: 2 },
          { x: 4096, y: 6 },
        ],
      },
      { name: "dim 33", kernel: [{ x: 256, y: 2 }], copy: [{ x: 256, y: 4 }] },
    ],
    isScattered: false,
  });
  assert.ok(data !== undefined && !isWide(data));
  const scattered = chartData([9, 5, 3, 7, 1].map((dim) => result({ steps: 64 * dim, dim }, dim * dim)));
  assert.equal(scattered?.isScattered, true);
  assert.deepEqual(
    scattered.series.map(({ kernel }) => kernel.map(({ label, x, y }) => `${label}: ${x} ${y}`)),
    [["dim 1: 64 1", "dim 3: 192 9", "dim 5: 320 25", "dim 7: 448 49", "dim 9: 576 81"]],
  );
  assert.ok(isWide(scattered));
  assert.deepEqual([1, 1000, 1024, 65536, 1 << 20, 1536].map(shownCount), [
    "1",
    "1,000",
    "1 Ki",
    "64 Ki",
    "1 Mi",
    "1,536",
  ]);
});

async function openPackage(name: string): Promise<{ kernel: Kernel; cases: readonly Case[] }> {
  const kernel = await getKernel(testPackage(name), { device });
  return { kernel, cases: readTests((await kernel.file("test.json")) ?? new Uint8Array()).cases };
}

async function rolesOf(name: string): Promise<FilterRoles | undefined> {
  const { kernel, cases } = await openPackage(name);
  return filterRoles(kernel, cases);
}

test("which packages are filters", { skip }, async () => {
  const biquad = await rolesOf("biquad-rows");
  assert.deepEqual([biquad?.signal, biquad?.filtered, biquad?.channels], ["x", "y", 1]);
  assert.deepEqual(biquad?.states, [
    { input: "s10", output: "s1" },
    { input: "s20", output: "s2" },
  ]);
  assert.deepEqual(biquad?.parameters, [{ key: "b0_b1_b2_a1_a2", names: ["b0", "b1", "b2", "a1", "a2"] }]);
  assert.deepEqual(biquad?.shapes(7)["x"]?.shape, [7, 1]);
  assert.deepEqual(biquad?.shapes(7)["b0_b1_b2_a1_a2"]?.shape, [5, 1]);
  const sum = await rolesOf("prefix-sum");
  assert.deepEqual(sum?.states, [{ input: "initial_state", output: "final_state" }]);
  assert.deepEqual(sum?.parameters, []);
  for (const name of ["column-mean", "count-up", "half-double", "optional-bias"])
    assert.equal(await rolesOf(name), undefined, name);
});

test("a signal in blocks is filtered like the whole signal", { skip }, async () => {
  const { kernel, cases } = await openPackage("biquad-rows");
  const roles = filterRoles(kernel, cases);
  assert.ok(roles !== undefined);
  const filter = await BlockFilter.make(kernel, roles, 64);
  const signal = generated(generators["noise"] ?? (() => 0));
  for (let round = 0; round < 2; round++) {
    // The difference equation in float64; after the third block the filter is another one, and its states stay.
    const [low, high] = [designed("low-pass", 300, 2, rate), designed("high-pass", 1000, 0.7, rate)];
    let [s1, s2] = [0, 0];
    for (let index = 0; index < 6; index++) {
      const k = index < 3 ? low : high;
      filter.set({ ...k });
      const block = signal.next(64) ?? new Float32Array();
      const got = await filter.next(block);
      block.forEach((x, i) => {
        const y = k.b0 * x + s1;
        s1 = k.b1 * x - k.a1 * y + s2;
        s2 = k.b2 * x - k.a2 * y;
        assert.ok(Math.abs((got[i] ?? NaN) - y) < 1e-4, `block ${index}, sample ${i}: ${got[i]}, not ${y}`);
      });
    }
    filter.reset();
  }
  filter.dispose();
});
