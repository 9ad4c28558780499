// Tests and benchmarks that packages bring along, weights that calls leave out, and calls that are recorded again and again.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  DigestError,
  getKernel,
  InputError,
  PackageFormatError,
  runBenchmarks,
  runTests,
  sourceOfFiles,
  type BenchResult,
  type TestResult,
} from "../src/index.js";
import { benchTable, testLine } from "../src/report.js";
import { openDevice } from "./adapter.js";
import { files, load, loadManifest, minimalManifest, safetensors, variant } from "./memory.js";
import { packageFolders } from "./packages.js";

const { device: opened, skip } = await openDevice();
const device = opened as GPUDevice;
if (skip !== false) test("packages' own tests", { skip }, () => {});
const packages = new URL("../../test/packages/", import.meta.url);
const usage = { mapRead: 1, copySource: 4, copyTarget: 8, queryResolve: 512 };

const addition = (more: object = {}): object => ({
  ...minimalManifest,
  typeConstraints: {},
  inputs: { x: { dtype: "float32", rank: 1 }, w: { dtype: "float32", rank: 1, shape: "shapes.x" } },
  outputs: { y: { dtype: "float32", shape: "shapes.x" } },
  variants: [variant("only", more, { bindings: ["x", "w", "y"] })],
});
const addShader = `{{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[id.x] + w[id.x]; }`;

function tests(cases: readonly object[], tolerances: object = {}): { "test.json": string } {
  return { "test.json": JSON.stringify({ format: "pawl-package-test/1", tolerances, cases }) };
}

const floats = (...data: number[]): object => ({ dtype: "float32", shape: [data.length], data });

test("weights of the package stand for inputs that are left out", { skip }, async () => {
  const stored = safetensors({
    w: { dtype: "F32", shape: [2], bytes: Float32Array.of(10, 20) },
    other: { dtype: "F64", shape: [1], bytes: Float64Array.of(1) },
  });
  const content = files(addition(), {}, addShader, { "weights.safetensors": stored });
  const kernel = await load(content, { device });
  const x = { data: Float32Array.of(1, 2), shape: [2] };
  assert.deepEqual([...((await kernel({ x })).y?.data as Float32Array)], [11, 22]);
  assert.deepEqual(
    [...((await kernel({ x })).y?.data as Float32Array)],
    [11, 22],
    "from what is on the device already",
  );
  const given = { data: Float32Array.of(5, 5), shape: [2] };
  assert.deepEqual([...((await kernel({ x, w: given })).y?.data as Float32Array)], [6, 7]);
  assert.deepEqual(kernel.outputs({ x }), { y: { shape: [2], dtype: "float32" } });
  assert.equal(kernel.explain({ x }).selected, "only");
  await assert.rejects(kernel({ x: { data: Float32Array.of(1), shape: [1] } }), InputError);
  await assert.rejects((await load(files(addition(), {}, addShader), { device }))({ x }), /"w": it is missing/);
  kernel.dispose();

  const flipped = stored.slice();
  flipped[stored.length - 1] = 1;
  await assert.rejects(load({ ...content, "weights.safetensors": flipped }, { device }), DigestError);
  const halves = safetensors({ w: { dtype: "F16", shape: [2], bytes: Uint16Array.of(0, 0) } });
  const wrong = load(files(addition(), {}, addShader, { "weights.safetensors": halves }), { device });
  await assert.rejects(wrong, /weights.safetensors: w: its type is float16, the input's float32/);
});

test("tokens of 64 bits, and a weight of 64 bits", { skip }, async () => {
  const manifest = {
    ...minimalManifest,
    typeConstraints: {},
    inputs: { x: { dtype: "int64", rank: 1 }, w: { dtype: "int64", rank: 1 } },
    outputs: { y: { dtype: "int64", shape: "shapes.x" } },
    variants: [variant("only", {}, { bindings: ["x", "w", "y"] })],
  };
  const stored = safetensors({ w: { dtype: "I64", shape: [2], bytes: BigInt64Array.of(-7n, 2n) } });
  const cases = [
    {
      name: "ids",
      inputs: { x: { dtype: "int64", shape: [2], data: [3, -4] } },
      expected: { y: { dtype: "int64", shape: [2], data: [-4, -2] } },
    },
  ];
  const content = files(manifest, {}, addShader, { "weights.safetensors": stored, ...tests(cases) });
  const kernel = await load(content, { device });
  const { y } = await kernel({ x: { data: BigInt64Array.of(1n, 2n), shape: [2] } });
  assert.deepEqual(y?.data, BigInt64Array.of(-6n, 4n));
  assert.equal((await runTests(kernel)).passed, 1);
  await assert.rejects(kernel({ x: { data: BigInt64Array.of(1n << 40n, 0n), shape: [2] } }), /does not fit int32/);
});

test("many passes with scratch between them", { skip }, async () => {
  const step = (from: string, to: string, i: number): object => ({
    id: `p${i}`,
    name: `pass ${i}`,
    shader: "main.wgsl.jinja",
    bindings: [
      { key: from, name: "from_", buffer: "read-only-storage" },
      { key: to, name: "to_" },
    ],
    dispatch: { x: "numel(shapes.x)" },
  });
  const count = 60;
  const name = (i: number): string => (i === 0 ? "x" : i === count ? "y" : `s${i}`);
  const manifest = {
    typeConstraints: { T: ["float32"] },
    variants: [
      {
        id: "chain",
        intermediates: Array.from({ length: count - 1 }, (_, i) => ({
          id: name(i + 1),
          dtype: "T",
          shape: "shapes.x",
        })),
        passes: Array.from({ length: count }, (_, i) => step(name(i), name(i + 1), i)),
      },
    ],
  };
  const kernel = await loadManifest(
    manifest,
    { device },
    `{{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { to_[id.x] = from_[id.x] + 1.0; }`,
  );
  const { y } = await kernel({ x: { data: Float32Array.of(0, 0.5), shape: [2] } });
  assert.deepEqual([...(y?.data as Float32Array)], [count, count + 0.5]);
});

test("scratch and threads as other packages write them", { skip }, async () => {
  const manifest = {
    typeConstraints: { T: ["float32"] },
    outputs: { y: { dtype: "T", shape: ["shapes.x[0]"] } },
    variants: [
      {
        id: "two",
        derive: { twice: true },
        intermediates: [{ id: "between", dtype: "float32", shape: "[shapes.x[0]]" }],
        passes: [
          {
            shader: "main.wgsl.jinja",
            bindings: [
              { key: "x", name: "source" },
              { scratch: "between", name: "goal", elementType: "f32", buffer: "storage" },
            ],
            dispatch: { threads: "shapes.x[0]", workgroupSize: 64 },
          },
          {
            shader: "main.wgsl.jinja",
            bindings: [
              { scratch: "between", name: "source", elementType: "f32", buffer: "read-only-storage" },
              { key: "y", name: "goal" },
            ],
            dispatch: { threads: "shapes.x[0]", workgroupSize: "64" },
          },
        ],
      },
    ],
  };
  const shader = `{{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&source)) { goal[id.x] = source[id.x] * {{ 3 if twice else 1 }}.0; }
}`;
  const kernel = await loadManifest(manifest, { device }, shader);
  const { y } = await kernel({ x: { data: new Float32Array(130).fill(2), shape: [130] } });
  assert.deepEqual([...(y?.data as Float32Array)], Array<number>(130).fill(18));
  const wrong = { variants: [variant("only", {}, { dispatch: { threads: 4 } })] };
  await assert.rejects(loadManifest(wrong, { device }), /dispatch: threads need a workgroupSize/);
});

test("a large constant array in a shader", { skip }, async () => {
  const length = 4096;
  const numbers = Array.from({ length }, (_, i) => `${(i * 37) % 101}.5`).join(",");
  const kernel = await loadManifest(
    { typeConstraints: { T: ["float32"] } },
    { device },
    `{{ env.wgsl.resourceDeclarations }}
const table = array<f32, ${length}>(${numbers});
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var t = table;
  y[id.x] = t[u32(x[id.x])];
}`,
  );
  const { y } = await kernel({ x: { data: Float32Array.of(0, 1, 4095), shape: [3] } });
  assert.deepEqual([...(y?.data as Float32Array)], [0.5, 37.5, ((4095 * 37) % 101) + 0.5]);
});

test("a prepared call is recorded again and again", { skip }, async () => {
  const kernel = await getKernel(new URL("prefix-sum", packages), { device });
  const state = { data: Float32Array.of(0), shape: [1] };
  const first = await kernel.prepare({
    initial_state: state,
    scan_input: { data: Float32Array.of(1, 2), shape: [2, 1] },
  });
  const { final_state: carried, scan_output: rows } = first.outputs as Record<
    string,
    NonNullable<(typeof first.outputs)[string]>
  >;
  assert.ok(carried !== undefined && rows !== undefined);
  // Its sums go on as the rows of a second call, which reads what the first one wrote.
  const second = await kernel.prepare({ initial_state: carried, scan_input: rows });
  for (let time = 0; time < 2; time++) {
    const encoder = device.createCommandEncoder();
    first.record(encoder);
    second.record(encoder, { repeat: 3 });
    device.queue.submit([encoder.finish()]);
  }
  assert.deepEqual([...((await second.outputs["scan_output"]?.read())?.data as Float32Array)], [4, 7]);
  assert.equal(first.variant, "serial");
  first.dispose();
  second.dispose();
  await assert.rejects(rows.read(), /disposed/);
  const into = device.createBuffer({ size: 4, usage: 0x80 | usage.copySource });
  const placed = await kernel.prepare(
    { initial_state: state, scan_input: { data: new Float32Array(0), shape: [0, 1] } },
    { into: { final_state: { buffer: into, shape: [1], dtype: "float32" } }, attrs: { reverse: 1 } },
  );
  assert.equal(placed.outputs["final_state"]?.buffer, into);
  placed.dispose();
  into.destroy();
});

test("work that is repeated is done as often as it is said", { skip }, async () => {
  const kernel = await loadManifest(
    {},
    { device },
    `{{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] += x[id.x]; }`,
  );
  const call = await kernel.prepare({ x: { data: Float32Array.of(1, 10), shape: [2] } });
  const encoder = device.createCommandEncoder();
  call.record(encoder, { repeat: 3 });
  call.record(encoder);
  device.queue.submit([encoder.finish()]);
  assert.deepEqual([...((await call.outputs["y"]?.read())?.data as Float32Array)], [4, 40]);
  call.dispose();
});

const timing =
  skip !== false ? skip : device.features.has("timestamp-query") ? false : "the device has no timestamp-query";
test("timestamps around a prepared call", { skip: timing }, async () => {
  const kernel = await getKernel(new URL("count-up", packages), { device });
  const call = await kernel.prepare({}, { attrs: { count: 1000 } });
  const querySet = device.createQuerySet({ type: "timestamp", count: 2 });
  const resolved = device.createBuffer({ size: 16, usage: usage.queryResolve | usage.copySource });
  const readable = device.createBuffer({ size: 16, usage: usage.mapRead | usage.copyTarget });
  const encoder = device.createCommandEncoder();
  call.record(encoder, {
    repeat: 5,
    timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
  });
  encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, readable, 0, 16);
  device.queue.submit([encoder.finish()]);
  await readable.mapAsync(1);
  const [begin = 0n, end = 0n] = new BigUint64Array(readable.getMappedRange().slice(0));
  assert.ok(begin > 0n && end > begin, `${begin} ${end}`);
});

test("every package passes its own tests", { skip }, async () => {
  for (const { name, path } of packageFolders) {
    const seen: TestResult[] = [];
    const report = await runTests(path, { device, onCase: (result) => seen.push(result) });
    assert.deepEqual(
      report.results.filter(({ status }) => status === "failed"),
      [],
      name,
    );
    assert.equal(report.passed + report.skipped, report.results.length);
    assert.ok(report.results.length > 0);
    assert.deepEqual(seen, report.results);
  }
});

test("a case that is wrong fails, and only it", { skip }, async () => {
  const cases = [
    { name: "right", inputs: { x: floats(1), w: floats(2) }, expected: { y: floats(3) } },
    { name: "near", inputs: { x: floats(1), w: floats(2) }, expected: { y: floats(3.001) } },
    { name: "far", inputs: { x: floats(1), w: floats(2) }, expected: { y: floats(3.1) } },
    {
      name: "far, and allowed",
      inputs: { x: floats(1), w: floats(2) },
      expected: { y: floats(3.1) },
      tolerances: { y: { rtol: 0, atol: 1 } },
    },
    { name: "no such output", inputs: { x: floats(1), w: floats(2) }, expected: { z: floats(3) } },
    { name: "no such input", inputs: { x: floats(1), v: floats(2) }, expected: { y: floats(3) } },
    { name: "needs more", inputs: {}, expected: { y: floats(3) }, features: ["no-such-feature"] },
  ];
  const content = files(addition(), {}, addShader, tests(cases, { float32: { rtol: 0, atol: 0.01 } }));
  const kernel = await load(content, { device });
  const report = await runTests(kernel);
  assert.deepEqual(
    report.results.map(({ name, status }) => `${name}: ${status}`),
    [
      "right: passed",
      "near: passed",
      "far: failed",
      "far, and allowed: passed",
      "no such output: failed",
      "no such input: failed",
      "needs more: skipped",
    ],
  );
  assert.match(report.results[2]?.problems[0] ?? "", /^y\[0\] is 3, not 3.09/);
  assert.match(report.results[4]?.problems[0] ?? "", /no output "z"/);
  assert.deepEqual([report.passed, report.failed, report.skipped], [3, 3, 1]);
  assert.deepEqual((await runTests(kernel, { only: "far" })).results.length, 2);
  await assert.rejects(runTests(kernel, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(
    runBenchmarks(kernel),
    (thrown: unknown) => thrown instanceof PackageFormatError && thrown.file === "bench.json",
  );
  await assert.rejects(
    load({ ...content, "test.json": `${String(content["test.json"])} ` }, { device }).then((each) => runTests(each)),
    DigestError,
  );
});

test("a package that no device can run fails in one line, with the reasons", { skip }, async () => {
  const wanting = addition({ requires: { limits: { maxComputeInvocationsPerWorkgroup: "65536" } } });
  const cases = [{ name: "a", inputs: { x: floats(1), w: floats(2) }, expected: { y: floats(3) } }];
  const bench = { format: "pawl-package-bench/1", cases: [{ name: "a", at: {}, bytes: 12, inputs: cases[0]?.inputs }] };
  const content = files(wanting, {}, addShader, { ...tests(cases), "bench.json": JSON.stringify(bench) });
  const kernel = await load(content, { device });
  const [result] = (await runTests(kernel)).results;
  assert.ok(result !== undefined);
  const words =
    /no variant can run this call on this device; only: it needs maxComputeInvocationsPerWorkgroup 65536, the/;
  assert.match(testLine(result), words);
  assert.doesNotMatch(testLine(result), /\n/);
  const [measured] = (await runBenchmarks(kernel)).results;
  assert.equal(measured?.status, "failed");
  assert.match(benchTable(["a"]).line(measured as BenchResult), words);
});

test("benchmarks", { skip }, async () => {
  const seen: BenchResult[] = [];
  const report = await runBenchmarks(new URL("biquad-rows", packages), {
    device,
    seconds: 0.02,
    only: "T = 1",
    onCase: (result) => seen.push(result),
  });
  assert.deepEqual(
    report.results.map(({ at }) => at["T"]),
    [1024, 16384],
  );
  assert.deepEqual(seen, report.results);
  assert.equal(report.clock, device.features.has("timestamp-query") ? "timestamp" : "wall");
  for (const { status, variant: ran, bytes, kernel, copy } of report.results) {
    assert.equal(status, "measured");
    assert.equal(ran, "serial");
    for (const times of [kernel, copy]) {
      assert.ok(times !== undefined && times.min > 0 && times.min <= times.median && times.samples >= 3);
      assert.ok(Math.abs(times.gigabytesPerSecond - bytes / times.median / 1e9) < 1e-9);
    }
  }
});

test("a package in files at hand", { skip }, async () => {
  const content = new Map(
    Object.entries(files(addition(), {}, addShader)).map(([name, text]) => [
      `some folder/build/webgpu/${name}`,
      new Blob([text]),
    ]),
  );
  content.set("some folder/build/webgpu/deeper/metadata.json", new Blob(["{"]));
  const kernel = await getKernel(sourceOfFiles(content, "dropped"), { device });
  assert.equal(kernel.location, "dropped/some folder/build/webgpu/");
  assert.equal(kernel.manifest.name, "Double");
  await assert.rejects(getKernel(sourceOfFiles(new Map()), { device }), /there is no metadata.json/);
});

describe("the command", { skip, concurrency: false }, () => {
  const program = fileURLToPath(new URL("../src/cli.js", import.meta.url));
  const broken = mkdtempSync(join(tmpdir(), "pawl-package-"));
  after(() => rmSync(broken, { recursive: true }));
  const folder = (name: string): string => fileURLToPath(new URL(name, packages));
  const run = (...args: string[]): { status: number | null; out: string; error: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
    return { status, out: stdout, error: stderr };
  };
  const oneError = ({ status, error }: { status: number | null; error: string }, words: RegExp): void => {
    assert.equal(status, 2);
    assert.match(error, /^error: [^\n]*\n$/);
    assert.match(error, words);
  };

  test("test", () => {
    const { status, out, error } = run("test", folder("count-up"), folder("column-mean"));
    assert.equal(error, "");
    assert.equal(status, 0);
    assert.match(out, /^test.pawl.CountUp on .*\npassed: seven \(one-a-workgroup, .* ms\)\n/);
    assert.match(out, /\n2 passed, 0 failed, 0 skipped\ntest.pawl.ColumnMean on /);
    assert.match(out, /passed: no columns \([\d.]+ ms\)\n3 passed, 0 failed, 0 skipped\n$/);
  });

  test("a case that fails", () => {
    cpSync(folder("count-up"), broken, { recursive: true });
    const path = join(broken, "build/webgpu/test.json");
    const metadata = join(broken, "build/webgpu/metadata.json");
    const text = readFileSync(path, "utf8").replace("[0, 1, 2,", "[0, 1, 3,");
    oneError(
      writeAnd(path, text, () => run("test", broken)),
      /test.json: its sha256/,
    );
    const sealed = JSON.parse(readFileSync(metadata, "utf8")) as { digest: { files: Record<string, string> } };
    sealed.digest.files["test.json"] = createHash("sha256").update(text).digest("base64");
    writeFileSync(metadata, JSON.stringify(sealed));
    const { status, out } = run("test", broken);
    assert.equal(status, 1);
    assert.match(out, /\nfailed: seven: y\[2\] is 2, not 3 exactly\n(.*\n)*1 passed, 1 failed, 0 skipped\n$/);
    assert.equal(run("test", broken, "--only", "folded").status, 0);
    assert.equal((JSON.parse(run("test", broken, "--json").out) as { failed: number }).failed, 1);
  });

  test("bench", () => {
    const table = run("bench", folder("biquad-rows"), "--seconds", "0.02", "--only", "T = 256");
    assert.equal(table.status, 0);
    assert.match(table.out, /\ncase +variant +median .*\nT = 256 +serial +[\d.]+ (µs|ms) /);
    const json = run("bench", folder("biquad-rows"), "--seconds", "0.02", "--only", "T = 256", "--json");
    const report = JSON.parse(json.out) as { results: { name: string; kernel: { median: number } }[] };
    assert.deepEqual(
      report.results.map(({ name }) => name),
      ["T = 256"],
    );
    assert.ok((report.results[0]?.kernel.median ?? 0) > 0);
  });

  test("what it is called wrongly with", () => {
    oneError(run(), /a command is missing/);
    oneError(run("build", "x"), /no command "build"/);
    oneError(run("test"), /test needs a package/);
    oneError(run("test", "--twice", "x"), /twice/);
    oneError(run("bench", "x", "--seconds", "-1"), /--seconds/);
    oneError(run("test", folder("biquad-rows"), "--seconds", "1"), /--seconds belongs to bench/);
    oneError(run("test", folder("nothing")), /there is no metadata.json/);
    oneError(run("bench", folder("count-up")), /bench.json: .* has none/);
    oneError(run("test", folder("count-up"), "--only", "eight"), /no case with "eight"/);
    const help = run("--help");
    assert.equal(help.status, 0);
    assert.match(help.out, /^usage: pawl-kernels test/);
  });
});

function writeAnd<T>(path: string, text: string, then: () => T): T {
  writeFileSync(path, text);
  return then();
}
