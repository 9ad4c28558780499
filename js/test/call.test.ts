import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AttributeError,
  CallError,
  ConditionError,
  DisposedError,
  getKernel,
  InputError,
  NoVariantError,
  TunableError,
  type Kernel,
} from "../src/index.js";
import { fakeDevice, load, loadManifest, variant } from "./memory.js";

const x = (length: number) => ({ x: { data: new Float32Array(length), shape: [length] } });
const packages = new URL("../../test/packages/", import.meta.url);

function prefixSum(device = fakeDevice()): Promise<Kernel> {
  return getKernel(new URL("prefix-sum", packages), { version: 1, device });
}

function scan(steps: number, channels: number) {
  return {
    initial_state: { shape: [channels], dtype: "float32" as const },
    scan_input: { shape: [steps, channels], dtype: "float32" as const },
  };
}

test("outputs follow from the manifest", async () => {
  const kernel = await prefixSum();
  assert.deepEqual(kernel.outputs(scan(5, 3)), {
    final_state: { shape: [3], dtype: "float32" },
    scan_output: { shape: [5, 3], dtype: "float32" },
  });
  const columns = await getKernel(new URL("column-mean", packages), { device: fakeDevice() });
  assert.deepEqual(columns.outputs({ x: { shape: [4, 7], dtype: "float32" } }), {
    mean: { shape: [7], dtype: "float32" },
  });
});

test("inputs that do not fit are refused, with the input's name, before any GPU work", async () => {
  const kernel = await prefixSum();
  const state = { data: new Float32Array(2), shape: [2] };
  const rows = { data: new Float32Array(6), shape: [3, 2] };
  const wrong: [Parameters<Kernel>[0], string, RegExp][] = [
    [{ scan_input: rows }, "initial_state", /missing/],
    [
      { initial_state: state, scan_input: rows, more: rows },
      "more",
      /no such input; there are "initial_state", "scan_input"/,
    ],
    [{ initial_state: state, scan_input: { ...rows, shape: [6] } }, "scan_input", /rank must be 2/],
    [{ initial_state: state, scan_input: { ...rows, shape: [2, 2] } }, "scan_input", /has 4 elements, the data 6/],
    [{ initial_state: state, scan_input: { ...rows, shape: [2, 3] } }, "initial_state", /must be \[3\] .*not \[2\]/],
    [{ initial_state: state, scan_input: { ...rows, shape: [-3, -2] } }, "scan_input", /whole numbers/],
    [{ initial_state: state, scan_input: { ...rows, shape: [1.5, 4] } }, "scan_input", /whole numbers/],
    [
      { initial_state: state, scan_input: { data: new Int32Array(6), shape: [3, 2] } },
      "scan_input",
      /int32, but T is float32/,
    ],
    [{ initial_state: { data: new BigInt64Array(2), shape: [2] }, scan_input: rows }, "initial_state", /BigInt64Array/],
    [
      { initial_state: { ...state, dtype: "float16" }, scan_input: rows },
      "initial_state",
      /float16 comes in a Uint16Array or Float16Array, not a Float32Array/,
    ],
    [
      { initial_state: { ...state, dtype: "bool" }, scan_input: rows },
      "initial_state",
      /must be float32 or float16 or int32 or uint32, not bool/,
    ],
  ];
  for (const [inputs, name, message] of wrong) {
    await assert.rejects(
      kernel(inputs),
      (thrown: unknown) => thrown instanceof InputError && thrown.input === name && message.test(thrown.message),
      String(message),
    );
  }
  await assert.rejects(kernel(scan(3, 2) as never), /neither data nor a buffer/);
});

test("attributes are checked", async () => {
  const kernel = await prefixSum();
  assert.throws(
    () => kernel.explain(scan(3, 2), { attrs: { reversed: 1 } }),
    (thrown: unknown) =>
      thrown instanceof AttributeError && /no such attribute; there are "reverse"/.test(thrown.message),
  );
  for (const reverse of [2, -1, true, "1", [1]])
    assert.throws(() => kernel.explain(scan(3, 2), { attrs: { reverse } }), /not one of 0, 1/);
  assert.ok(kernel.explain(scan(3, 2), { attrs: { reverse: undefined } }).selected);
  const count = await getKernel(new URL("count-up", packages), { device: fakeDevice() });
  assert.throws(() => count.outputs({}), /it is missing/);
  assert.throws(() => count.outputs({}, { attrs: { count: -1 } }), /not a number from 0 to ∞/);
});

test("tunables are checked", async () => {
  const kernel = await prefixSum();
  assert.throws(() => kernel.explain(scan(3, 2), { tunables: { SIZE: 1 } }), TunableError);
  assert.throws(() => kernel.explain(scan(3, 2), { tunables: { WORKGROUP_SIZE: 33 } }), /not one of 32, 64, 128/);
});

test("a condition of the manifest that does not hold is an error", async () => {
  const columns = await getKernel(new URL("column-mean", packages), { device: fakeDevice() });
  assert.throws(
    () => columns.outputs({ x: { shape: [0, 7], dtype: "float32" } }),
    (thrown: unknown) => thrown instanceof ConditionError && thrown.condition === "rows > 0",
  );
});

test("variants are tried by priority, demoted ones last, and the reasons are told", async () => {
  const kernel = await prefixSum();
  const chosen = (steps: number, channels: number, options = {}) =>
    kernel.explain(scan(steps, channels), options).selected;
  assert.equal(chosen(127, 1), "serial");
  assert.equal(chosen(128, 1), "workgroup");
  assert.equal(chosen(128, 33), "serial");
  assert.equal(chosen(64, 1, { tunables: { WORKGROUP_SIZE: 32 } }), "workgroup");
  assert.deepEqual(kernel.explain(scan(128, 33)).variants, [
    {
      id: "serial",
      priority: 0,
      demoted: false,
      selected: true,
      reason: "it comes first of those whose needs are met",
    },
    {
      id: "workgroup",
      priority: 10,
      demoted: true,
      selected: false,
      reason: "it could run, but is demoted; serial comes first",
    },
  ]);
  const short = kernel.explain(scan(3, 1)).variants;
  assert.deepEqual(
    short.map(({ id, reason }) => `${id}: ${reason}`),
    [
      'workgroup: "steps >= 2 * tunables.WORKGROUP_SIZE" does not hold',
      "serial: it comes first of those whose needs are met",
    ],
  );
  const small = await prefixSum(fakeDevice([], { maxComputeInvocationsPerWorkgroup: 32 }));
  assert.match(
    small.explain(scan(128, 1)).variants[0]?.reason ?? "",
    /needs maxComputeInvocationsPerWorkgroup 64, the device has 32/,
  );
});

test("when no variant can run, the error lists each with its reason", async () => {
  const kernel = await loadManifest({
    variants: [
      variant("wide", { priority: 2, requires: { features: ["subgroups"], limits: { maxBufferSize: 1 } } }),
      variant("odd", { when: ["shapes.x[0] % 2 == 1"] }),
      variant("greedy", { requires: { limits: { maxUnicorns: 1 } } }),
      variant("big", { intermediates: [{ id: "i", dtype: "f32", shape: "[2 ** 28]" }] }, { bindings: ["x", "i"] }),
    ],
  });
  await assert.rejects(kernel(x(2)), (thrown: unknown) => {
    assert.ok(thrown instanceof NoVariantError);
    assert.deepEqual(
      thrown.variants.map(({ id, reason }) => `${id}: ${reason}`),
      [
        "wide: the device lacks the feature subgroups",
        'odd: "shapes.x[0] % 2 == 1" does not hold',
        "greedy: the device has no limit maxUnicorns",
        "big: i takes 1073741824 bytes, the device's maxStorageBufferBindingSize is 134217728",
      ],
    );
    assert.ok(thrown.variants.every(({ id, reason }) => thrown.message.includes(`${id}: ${reason}`)));
    return true;
  });
});

test("limits on buffers and dispatches pass a variant over", async () => {
  const many = Array.from({ length: 9 }, () => "x");
  const cases: [object, RegExp][] = [
    [variant("a", {}, { bindings: many }), /binds 9 buffers, the device's maxStorageBuffersPerShaderStage is 8/],
    [variant("a", {}, { dispatch: { x: "65536" } }), /65536 workgroups along x/],
    [variant("a", {}, { dispatch: { z: "65536" } }), /65536 workgroups along z/],
    [variant("a", {}, { bindings: [{ name: "h", struct: [{ name: "v", type: "f16", value: "1" }] }] }), /shader-f16/],
  ];
  for (const [only, message] of cases) {
    const kernel = await loadManifest({ variants: [only] });
    assert.match(kernel.explain(x(2)).variants[0]?.reason ?? "", message);
  }
});

test("expressions see the device", async () => {
  const condition =
    "device.features.has('subgroups') and device.adapterInfo.subgroupMaxSize == 32 and device.limits.maxComputeInvocationsPerWorkgroup == 256";
  const only = { variants: [variant("a", { when: [condition] })] };
  assert.equal((await loadManifest(only, { device: fakeDevice(["subgroups"]) })).explain(x(2)).selected, "a");
  assert.equal((await loadManifest(only)).explain(x(2)).selected, undefined);
});

test("an array that two types may come in takes the one that the inputs agree on", async () => {
  const kernel = await loadManifest({
    typeConstraints: { T: ["bool", "uint32"] },
    inputs: { x: { dtype: "T" }, w: { dtype: "T" } },
  });
  const word = { data: new Uint32Array(1), shape: [1] };
  const byte = { data: new Uint8Array(1), shape: [1] };
  assert.equal(kernel.outputs({ x: word, w: word })["y"]?.dtype, "uint32");
  assert.equal(kernel.outputs({ x: word, w: byte })["y"]?.dtype, "bool");
});

test("an output's type may be an expression", async () => {
  const kernel = await loadManifest({
    outputs: { y: { dtype: "attrs.to", shape: "shapes.x" } },
    attributes: { to: { default: "int32" } },
  });
  assert.equal(kernel.outputs(x(2))["y"]?.dtype, "int32");
  assert.equal(kernel.outputs(x(2), { attrs: { to: "float16" } })["y"]?.dtype, "float16");
  assert.throws(() => kernel.outputs(x(2), { attrs: { to: "float99" } }), /its type does not follow/);
});

test("options that contradict each other are refused", async () => {
  const kernel = await load();
  await assert.rejects(kernel(x(2), { encoder: {} as GPUCommandEncoder, output: "cpu" } as never), CallError);
  await assert.rejects(kernel(x(2), { output: "disk" } as never), CallError);
  await assert.rejects(kernel(undefined as never), CallError);
});

test("after dispose() the kernel refuses everything", async () => {
  const kernel = await load();
  kernel.dispose();
  await assert.rejects(kernel(x(2)), DisposedError);
  assert.throws(() => kernel.explain(x(2)), DisposedError);
  await assert.rejects(kernel.warmup(x(2)), DisposedError);
});

test("bindings are declared in the pass's order, in the forms that manifests use", async () => {
  const bindings = {
    vectors: { arg: "x", name: "quads", elementType: "vec4<T>" },
    chosen: { arg: "x", elementType: "dtypes.x if attrs.plain else 'vec2<u32>'" },
    braced: { arg: "y", elementType: "array<{{ T }}, 2>" },
    derived: { arg: "i", elementType: "WORD" },
    fixed: { arg: "x", buffer: "uniform", elementType: "vec4<f32>", length: "shapes.x[0] / 4" },
    params: {
      struct: {
        name: "Sizes",
        fields: [
          { name: "n", type: "u32", value: "numel(shapes.x)" },
          { name: "words", type: "vec2<u32>", value: "[1, 2]" },
        ],
      },
    },
  };
  const only = variant(
    "a",
    { derive: { WORD: "'atomic<u32>'" }, intermediates: [{ id: "i", dtype: "T", shape: "3" }] },
    { bindings: ["params", "fixed", "derived", { key: "vectors", buffer: "storage" }, "chosen", "braced"] },
  );
  const kernel = await loadManifest(
    { bindings, attributes: { plain: 0 }, variants: [only] },
    {},
    "{{ raise_exception(env.wgsl.resourceDeclarations) }}",
  );
  const said = await kernel(x(8)).catch((thrown: Error) => thrown.message);
  assert.equal(
    said,
    `main.wgsl.jinja: struct Sizes {
  n: u32,
  words: vec2<u32>,
}
@group(0) @binding(0) var<uniform> params: Sizes;
@group(0) @binding(1) var<uniform> fixed: array<vec4<f32>, 2>;
@group(0) @binding(2) var<storage, read_write> derived: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> quads: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> chosen: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> braced: array<array<f32, 2>>;`,
  );
  const plain = await kernel(x(8), { attrs: { plain: 1 } }).catch((thrown: Error) => thrown.message);
  assert.match(String(plain), /chosen: array<f32>;/);
});

test("conditions see the types by ONNX's names and by WGSL's", async () => {
  const when = ["tensorDtypes.x == 'float32'", "dtypes.x == 'f32'", "tensorDtypes.y == 'float32'"];
  const kernel = await loadManifest({ when });
  assert.equal(kernel.explain({ x: { shape: [1], dtype: "float32" } }).selected, "only");
  assert.throws(() => kernel.explain({ x: { shape: [1], dtype: "int32" } }), /tensorDtypes.x == 'float32'/);
  await assert.rejects(loadManifest({ when: ["tensorDtypes.z == 'float32'"] }), /unknown name "z" in tensorDtypes/);
});
