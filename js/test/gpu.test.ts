// Kernels on a real device: Dawn in Node. Expected values come from formulas written here.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  CallError,
  DeviceError,
  getKernel,
  GPUTensor,
  InputError,
  NoVariantError,
  releaseSharedDevices,
  ShaderError,
  type GetKernelOptions,
  type Kernel,
} from "../src/index.js";
import { float16Bits } from "../src/float16.js";
import { openDevice } from "./adapter.js";
import { loadManifest, variant } from "./memory.js";

const { gpu, device: opened, skip, name } = await openDevice();
const device = opened as GPUDevice;
// A suite that is skipped says nothing, and counts for nothing.
if (skip !== false) test("kernels on a device", { skip }, () => {});
const packages = new URL("../../test/packages/", import.meta.url);
const usage = { mapRead: 1, copySource: 4, copyTarget: 8, uniform: 64, storage: 128 };

function kernelOf(folder: string, options: GetKernelOptions = {}): Promise<Kernel> {
  return getKernel(new URL(folder, packages), { version: 1, device, ...options });
}

/** Whole numbers small enough for every sum to be exact, in any order. */
function counting(length: number, modulus = 7): number[] {
  return Array.from({ length }, (_, i) => ((i * 5 + 3) % modulus) - 2);
}

type Constructor = new (values: number[]) => Float32Array | Int32Array | Uint32Array;

function prefixSums(
  state: number[],
  rows: number[],
  steps: number,
  reverse: boolean,
): { last: number[]; sums: number[] } {
  const channels = state.length;
  const last = [...state];
  const sums = Array<number>(steps * channels).fill(0);
  for (let step = 0; step < steps; step++) {
    const row = reverse ? steps - 1 - step : step;
    for (let channel = 0; channel < channels; channel++) {
      const sum = (last[channel] ?? 0) + (rows[row * channels + channel] ?? 0);
      last[channel] = sum;
      sums[row * channels + channel] = sum;
    }
  }
  return { last, sums };
}

describe(`on ${name}`, { skip, concurrency: false }, () => {
  console.log(
    `the device: ${name}; shader-f16: ${device.features.has("shader-f16")}; subgroups: ${device.features.has("subgroups")}`,
  );
  let scan: Kernel;
  const complaints: string[] = [];
  before(async () => {
    if (skip !== false) return;
    scan = await kernelOf("prefix-sum");
    device.onuncapturederror = ({ error }) => {
      complaints.push(error.message);
    };
  });
  after(() => {
    if (skip !== false) return;
    assert.deepEqual(complaints, [], "no error reaches the device's handler");
    device.destroy();
  });

  test("the usage of the contract", async () => {
    const { final_state, scan_output } = await scan(
      {
        initial_state: { data: Float32Array.of(10), shape: [1] },
        scan_input: { data: Float32Array.of(1, 2, 3), shape: [3, 1] },
      },
      { attrs: { reverse: 1 } },
    );
    assert.deepEqual(final_state, { data: Float32Array.of(16), shape: [1], dtype: "float32" });
    assert.deepEqual(scan_output, { data: Float32Array.of(16, 15, 13), shape: [3, 1], dtype: "float32" });
  });

  test(
    "prefix sums of float16",
    { skip: opened?.features.has("shader-f16") ? false : "the device lacks shader-f16" },
    async () => {
      for (const [steps, channels, reverse] of [
        [5, 3, 0],
        [128, 1, 1],
        [300, 2, 0],
        [131, 33, 1],
      ] as const) {
        const [state, rows] = [counting(channels), counting(steps * channels)];
        const halves = (values: number[]) => Uint16Array.from(values, float16Bits);
        const results = await scan(
          {
            initial_state: { data: halves(state), shape: [channels] },
            scan_input: { data: halves(rows), shape: [steps, channels] },
          },
          { attrs: { reverse } },
        );
        const { last, sums } = prefixSums(state, rows, steps, reverse === 1);
        assert.deepEqual(results["final_state"]?.data, halves(last));
        assert.deepEqual(results["scan_output"]?.data, halves(sums));
      }
    },
  );

  test("kernels without a device of their own share one, until it is released", async () => {
    const options = { gpu: gpu as GPU };
    const [first, second] = await Promise.all([
      getKernel(new URL("prefix-sum", packages), options),
      getKernel(new URL("count-up", packages), options),
    ]);
    assert.equal(first.device, second.device);
    first.dispose();
    assert.deepEqual((await second({}, { attrs: { count: 3 } }))["y"]?.data, Uint32Array.of(0, 1, 2));
    await releaseSharedDevices();
    await second.device.lost;
    await assert.rejects(second({}, { attrs: { count: 3 } }), DeviceError);
    const third = await getKernel(new URL("count-up", packages), options);
    assert.notEqual(third.device, second.device);
    assert.deepEqual((await third({}, { attrs: { count: 2 } }))["y"]?.data, Uint32Array.of(0, 1));
    await releaseSharedDevices();
  });

  for (const [dtype, constructor] of [
    ["float32", Float32Array],
    ["int32", Int32Array],
    ["uint32", Uint32Array],
  ] as [string, Constructor][]) {
    for (const [steps, channels] of [
      [0, 3],
      [1, 1],
      [5, 3],
      [127, 2],
      [128, 1],
      [1000, 5],
      [300, 33],
    ] as const) {
      for (const reverse of [0, 1]) {
        test(`prefix sums of ${dtype} [${steps}, ${channels}]${reverse ? ", reversed" : ""}`, async () => {
          const offset = dtype === "uint32" ? 2 : 0;
          const state = counting(channels).map((value) => value + offset);
          const rows = counting(steps * channels, 11).map((value) => value + offset);
          const results = await scan(
            {
              initial_state: { data: new constructor(state), shape: [channels] },
              scan_input: { data: new constructor(rows), shape: [steps, channels] },
            },
            { attrs: { reverse } },
          );
          const { last, sums } = prefixSums(state, rows, steps, reverse === 1);
          assert.deepEqual(results["final_state"]?.data, new constructor(last));
          assert.deepEqual(results["scan_output"]?.data, new constructor(sums));
        });
      }
    }
  }

  test("several passes, an intermediate, and a uniform struct", async () => {
    const kernel = await kernelOf("column-mean");
    const [rows, columns] = [50, 37];
    const data = Float32Array.from(counting(rows * columns, 13));
    for (const scale of [1, -2.5]) {
      const { mean } = await kernel({ x: { data, shape: [rows, columns] } }, { attrs: { scale } });
      const expected = Array.from(
        { length: columns },
        (_, column) =>
          (scale / rows) *
          Array.from({ length: rows }, (_, row) => data[row * columns + column] ?? 0).reduce((a, b) => a + b),
      );
      assert.deepEqual(mean?.shape, [columns]);
      (mean?.data as Float32Array).forEach((value, i) =>
        assert.ok(Math.abs(value - (expected[i] ?? NaN)) < 1e-5, `column ${i}`),
      );
    }
  });

  test("optional inputs may be left out; bools come as bytes", async () => {
    const kernel = await kernelOf("optional-bias");
    const x = { data: Float32Array.of(1, -2, 3, -4, 5, -6), shape: [2, 3] };
    const bias = { data: Float32Array.of(10, 0, -10), shape: [3] };
    const keep = { data: Uint8Array.of(1, 0, 1, 0, 2, 1), shape: [2, 3] };
    const plain = await kernel({ x, bias: undefined, keep: null as never });
    assert.deepEqual(plain["y"]?.data, x.data);
    assert.deepEqual(plain["positive"], { data: Uint8Array.of(1, 0, 1, 0, 1, 0), shape: [2, 3], dtype: "bool" });
    assert.deepEqual((await kernel({ x, bias }))["y"]?.data, Float32Array.of(11, -2, -7, 6, 5, -16));
    assert.deepEqual((await kernel({ x, keep }))["y"]?.data, Float32Array.of(1, 0, 3, 0, 5, -6));
    assert.deepEqual((await kernel({ x, bias, keep }))["y"]?.data, Float32Array.of(11, 0, -7, 0, 5, -16));
    await assert.rejects(kernel({ x, bias: { data: new Float32Array(2), shape: [2] } }), NoVariantError);
  });

  test("half precision, with sizes that are no multiple of four bytes", async () => {
    const kernel = await kernelOf("half-double");
    for (const length of [1, 2, 3, 131]) {
      const values = counting(length).map((value) => value / 4);
      const x = { data: Uint16Array.from(values, float16Bits), shape: [length] };
      const expected = Uint16Array.from(values, (value) => float16Bits(2 * value));
      for (const form of device.features.has("shader-f16") ? ["native", "packed"] : ["packed"]) {
        const { y } = await kernel({ x }, { attrs: { form } });
        assert.deepEqual(y, { data: expected, shape: [length], dtype: "float16" });
      }
    }
    if (!device.features.has("shader-f16")) {
      await assert.rejects(
        kernel({ x: { data: new Uint16Array(2), shape: [2] } }, { attrs: { form: "native" } }),
        /native: the device lacks the feature shader-f16/,
      );
    }
  });

  test(
    "a Float16Array gives a Float16Array, where there is one",
    { skip: "Float16Array" in globalThis ? false : "this engine has no Float16Array" },
    async () => {
      const kernel = await kernelOf("half-double");
      const constructor = (globalThis as unknown as { Float16Array: { from(values: number[]): Uint16Array } })
        .Float16Array;
      const { y } = await kernel(
        { x: { data: constructor.from([1, 2, 3]), shape: [3] } },
        { attrs: { form: "packed" } },
      );
      assert.deepEqual(y?.data, constructor.from([2, 4, 6]));
    },
  );

  test("a dispatch of more than 65535 workgroups is folded", async () => {
    const kernel = await kernelOf("count-up");
    for (const count of [65535, 65536, 140001]) {
      const { y } = await kernel({}, { attrs: { count } });
      assert.deepEqual(
        y?.data,
        Uint32Array.from({ length: count }, (_, i) => i),
      );
    }
  });

  test("without DISPATCH_FOLD_WIDTH in the template, nothing is folded", async () => {
    const kernel = await loadManifest({ variants: [variant("a", {}, { dispatch: { x: "65536" } })] }, { device });
    await assert.rejects(kernel({ x: { data: new Float32Array(1), shape: [1] } }), NoVariantError);
  });

  test("when all outputs are empty nothing is dispatched", async () => {
    // This template does not compile: the call would fail.
    const kernel = await loadManifest({}, { device }, "this is not WGSL");
    const empty = { x: { data: new Float32Array(0), shape: [0] } };
    assert.deepEqual((await kernel(empty))["y"], { data: new Float32Array(0), shape: [0], dtype: "float32" });
    const { y } = await kernel(empty, { output: "gpu" });
    assert.deepEqual((await y?.read())?.data, new Float32Array(0));
    await assert.rejects(kernel({ x: { data: new Float32Array(1), shape: [1] } }), ShaderError);
  });

  test("results stay on the device, and feed the next call", async () => {
    const state = { data: Float32Array.of(0, 0), shape: [2] };
    const rows = counting(80 * 2, 5);
    const first = await scan(
      { initial_state: state, scan_input: { data: Float32Array.from(rows), shape: [80, 2] } },
      { output: "gpu" },
    );
    const again = await scan({ initial_state: state, scan_input: first["scan_output"] });
    const { sums } = prefixSums([0, 0], rows, 80, false);
    assert.deepEqual(again["scan_output"]?.data, Float32Array.from(prefixSums([0, 0], sums, 80, false).sums));
    assert.deepEqual((await first["scan_output"]?.read())?.data, Float32Array.from(sums));
    first["scan_output"]?.dispose();
    await assert.rejects(scan({ initial_state: state, scan_input: first["scan_output"] }), /disposed of/);
    await assert.rejects(async () => first["scan_output"]?.read(), /disposed of/);
  });

  test("buffers of the caller serve as inputs and outputs, and stay the caller's", async () => {
    const alignment = device.limits.minStorageBufferOffsetAlignment;
    const source = device.createBuffer({ size: alignment + 12, usage: usage.storage | usage.copyTarget });
    const target = device.createBuffer({ size: 12, usage: usage.storage | usage.copySource });
    device.queue.writeBuffer(source, alignment, Float32Array.of(1, 2, 3));
    const inputs = {
      initial_state: { data: Float32Array.of(1), shape: [1] },
      scan_input: { buffer: source, offset: alignment, shape: [3, 1], dtype: "float32" as const },
    };
    const into = { scan_output: { buffer: target, shape: [3, 1], dtype: "float32" as const } };
    const results = await scan(inputs, { into, output: "gpu" });
    assert.equal(results["scan_output"]?.buffer, target);
    results["scan_output"]?.dispose();
    assert.deepEqual((await new GPUTensor({ device, ...into.scan_output }).read()).data, Float32Array.of(2, 4, 7));
    assert.deepEqual((await scan(inputs, { into }))["scan_output"]?.data, Float32Array.of(2, 4, 7));
    const wrong: [object, object, RegExp][] = [
      [{ ...inputs.scan_input, offset: 4 }, {}, /multiple of/],
      [{ ...inputs.scan_input, shape: [9, 1] }, {}, /bytes from the offset on, 36 are needed/],
      [{ ...inputs.scan_input, dtype: "int32" }, {}, /int32/],
      [
        inputs.scan_input,
        { scan_output: { ...into.scan_output, shape: [1, 3] } },
        /its shape is \[1, 3\], the kernel's \[3, 1\]/,
      ],
      [inputs.scan_input, { scan_output: { ...into.scan_output, dtype: "uint32" } }, /its type is uint32/],
      [inputs.scan_input, { other: into.scan_output }, /no output "other"/],
      [{ ...inputs.scan_input, buffer: target, offset: 0 }, into, /share a buffer/],
      [
        { ...inputs.scan_input, buffer: device.createBuffer({ size: 12, usage: usage.uniform }), offset: 0 },
        {},
        /lacks the usage STORAGE/,
      ],
    ];
    for (const [scan_input, outputs, message] of wrong) {
      await assert.rejects(
        scan({ ...inputs, scan_input: scan_input as never }, { into: outputs as never }),
        (thrown: unknown) =>
          (thrown instanceof InputError || thrown instanceof CallError) && message.test(thrown.message),
        String(message),
      );
    }
  });

  test("several calls are recorded into one encoder of the caller", async () => {
    const state = { data: Int32Array.of(0), shape: [1] };
    const rows = counting(200);
    const encoder = device.createCommandEncoder();
    const first = await scan(
      { initial_state: state, scan_input: { data: Int32Array.from(rows), shape: [200, 1] } },
      { encoder },
    );
    const second = await scan(
      { initial_state: first["final_state"], scan_input: first["scan_output"] },
      { encoder, attrs: { reverse: 1 } },
    );
    device.queue.submit([encoder.finish()]);
    const once = prefixSums([0], rows, 200, false);
    const twice = prefixSums(once.last, once.sums, 200, true);
    assert.deepEqual((await second["scan_output"]?.read())?.data, Int32Array.from(twice.sums));
    assert.deepEqual((await second["final_state"]?.read())?.data, Int32Array.from(twice.last));
  });

  test("an array may change once the call was made", async () => {
    const kernel = await kernelOf("prefix-sum");
    const data = Float32Array.of(1, 1, 1);
    const pending = kernel({
      initial_state: { data: Float32Array.of(0), shape: [1] },
      scan_input: { data, shape: [3, 1] },
    });
    data.fill(100);
    assert.deepEqual((await pending)["scan_output"]?.data, Float32Array.of(1, 2, 3));
  });

  test("warmup() compiles, so that a call does not", async () => {
    const kernel = await kernelOf("prefix-sum");
    const create = device.createComputePipelineAsync;
    let compiled = 0;
    device.createComputePipelineAsync = (descriptor) => {
      compiled += 1;
      return create.call(device, descriptor);
    };
    try {
      await kernel.warmup({
        initial_state: { shape: [2], dtype: "float32" },
        scan_input: { shape: [4, 2], dtype: "float32" },
      });
      assert.equal(compiled, 1);
      await kernel({
        initial_state: { data: new Float32Array(2), shape: [2] },
        scan_input: { data: new Float32Array(8), shape: [4, 2] },
      });
      assert.equal(compiled, 1);
    } finally {
      device.createComputePipelineAsync = create;
    }
  });

  test("dispose() leaves the device alone", async () => {
    const kernel = await kernelOf("prefix-sum");
    const inputs = {
      initial_state: { data: Float32Array.of(1), shape: [1] },
      scan_input: { data: Float32Array.of(2), shape: [1, 1] },
    };
    const { final_state } = await kernel(inputs, { output: "gpu" });
    kernel.dispose();
    assert.deepEqual((await final_state?.read())?.data, Float32Array.of(3));
    assert.deepEqual((await scan(inputs))["final_state"]?.data, Float32Array.of(3));
  });

  test("a shader that does not compile is an error with the line", async () => {
    const kernel = await loadManifest(
      {},
      { device },
      "{{ env.wgsl.resourceDeclarations }}\n@compute @workgroup_size(1) fn main() { y[0] = unknown; }\n",
    );
    await assert.rejects(
      kernel.warmup({ x: { shape: [1], dtype: "float32" } }),
      (thrown: unknown) =>
        thrown instanceof ShaderError &&
        thrown.file === "main.wgsl.jinja" &&
        /line 3:\d+: .*unknown/.test(thrown.message) &&
        thrown.source.includes("y[0]"),
    );
    const other = await loadManifest(
      { variants: [variant("a", {}, { entryPoint: "other" })] },
      { device },
      "{{ env.wgsl.resourceDeclarations }}",
    );
    await assert.rejects(other.warmup({ x: { shape: [1], dtype: "float32" } }), ShaderError);
  });

  test("any byte but 0 is true, and the GPU sees 1", async () => {
    const template =
      "{{ env.wgsl.resourceDeclarations }}\n@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { y[id.x] = x[id.x]; }\n";
    const kernel = await loadManifest(
      { inputs: { x: { dtype: "bool" } }, outputs: { y: { dtype: "uint32", shape: "shapes.x" } } },
      { device },
      template,
    );
    assert.deepEqual(
      (await kernel({ x: { data: Uint8Array.of(0, 1, 2, 255), shape: [4] } }))["y"]?.data,
      Uint32Array.of(0, 1, 1, 1),
    );
  });

  test("calls whose attributes differ in numbers without JSON are told apart", async () => {
    const params = { name: "params", struct: [{ name: "value", type: "f32", value: "attrs.value" }] };
    const template =
      "{{ env.wgsl.resourceDeclarations }}\n@compute @workgroup_size(1) fn main() { y[0] = params.value + x[0] * 0; }\n";
    const manifest = { attributes: { value: 0 }, variants: [variant("a", {}, { bindings: ["x", "y", params] })] };
    const kernel = await loadManifest(manifest, { device }, template);
    const inputs = { x: { data: Float32Array.of(1), shape: [1] } };
    for (const value of [Infinity, -Infinity, 0, 2.5]) {
      assert.deepEqual((await kernel(inputs, { attrs: { value } }))["y"]?.data, Float32Array.of(value));
    }
  });

  test("a pass without workgroups is left out", async () => {
    const {
      passes: [pass],
    } = variant("a") as { passes: object[] };
    const template =
      "{{ env.wgsl.resourceDeclarations }}\n@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { y[id.x] = x[id.x]; }\n";
    const passes = [pass, { ...pass, id: "none", entryPoint: "nothing", dispatch: { x: "shapes.x[0] - 2" } }];
    const kernel = await loadManifest({ variants: [{ id: "a", passes }] }, { device }, template);
    assert.deepEqual(
      (await kernel({ x: { data: Float32Array.of(1, 2), shape: [2] } }))["y"]?.data,
      Float32Array.of(1, 2),
    );
    await assert.rejects(kernel({ x: { data: new Float32Array(3), shape: [3] } }), ShaderError);
  });

  test("integers of 64 bits are narrowed, or refused", async () => {
    const template =
      "{{ env.wgsl.resourceDeclarations }}\n@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { y[id.x] = x[id.x] - 1; }\n";
    const kernel = await loadManifest({ typeConstraints: { T: ["int64"] } }, { device }, template);
    const { y } = await kernel({ x: { data: BigInt64Array.of(5n, -7n), shape: [2] } });
    assert.deepEqual(y?.data, BigInt64Array.of(4n, -8n));
    await assert.rejects(
      kernel({ x: { data: BigInt64Array.of(5n, 2n ** 40n), shape: [2] } }),
      /element 1 does not fit int32/,
    );
  });
});
