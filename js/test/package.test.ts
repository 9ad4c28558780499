import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  CallError,
  DeviceError,
  DigestError,
  ExpressionError,
  getKernel,
  KernelError,
  PackageFormatError,
  PackageNotFoundError,
  TemplateError,
  UnsupportedSpecError,
  VersionError,
} from "../src/index.js";
import { base, fakeDevice, fetchFrom, files, load, loadManifest, minimalManifest, variant } from "./memory.js";

const folder = new URL("../../test/packages/prefix-sum", import.meta.url);
const device = fakeDevice();

test("a package is found by path, by file URL, by its inner folder and by its manifest", async () => {
  for (const location of [
    folder.pathname,
    folder,
    folder.href,
    `${folder.href}/build/webgpu`,
    `${folder.href}/build/webgpu/manifest.json`,
  ]) {
    const kernel = await getKernel(location, { version: 1, device });
    assert.equal(kernel.manifest.name, "PrefixSum");
    assert.equal(kernel.metadata.version, 1);
    assert.equal(kernel.metadata.spec, "2.1");
    assert.equal(kernel.manifest.conformance, "internal-lowering");
  }
  assert.equal(
    (await getKernel("test/packages/prefix-sum", { device })).location,
    pathToFileURL("test/packages/prefix-sum/build/webgpu/").href,
  );
});

test("a package is found on the web, at the folder or in build/webgpu", async () => {
  assert.equal((await load()).manifest.name, "Double");
  const flat = fetchFrom(files(), base);
  assert.equal((await getKernel(base, { device, fetch: flat })).manifest.name, "Double");
  assert.equal((await getKernel(`${base}metadata.json?x=1`, { device, fetch: flat })).manifest.name, "Double");
});

test("what is not there is named", async () => {
  await assert.rejects(getKernel("/nowhere/at/all", { device }), PackageNotFoundError);
  await assert.rejects(load({}), PackageNotFoundError);
  const { "main.wgsl.jinja": _, ...rest } = files();
  await assert.rejects(
    load(rest),
    (thrown: unknown) => thrown instanceof PackageNotFoundError && thrown.message.includes("main.wgsl.jinja"),
  );
  await assert.rejects(load(files(), { fetch: async () => new Response("", { status: 503 }) }), /status 503/);
  await assert.rejects(
    load(files(), {
      fetch: async () => {
        throw new TypeError("offline");
      },
    }),
    /offline/,
  );
  await assert.rejects(getKernel("ftp://host/kernel", { device }), CallError);
});

test("a flipped byte is refused, unless digests are not wanted", async () => {
  for (const file of ["manifest.json", "main.wgsl.jinja"]) {
    const content = files();
    content[file] = `${content[file]} `;
    await assert.rejects(load(content), (thrown: unknown) => thrown instanceof DigestError && thrown.file === file);
    assert.equal((await load(content, { verifyHashes: false })).manifest.name, "Double");
  }
});

test("missing digests are refused, unless they are not wanted", async () => {
  const content = files(minimalManifest, { digest: undefined });
  await assert.rejects(load(content), PackageFormatError);
  assert.ok(await load(content, { verifyHashes: false }));
  await assert.rejects(
    load(files(minimalManifest, { digest: { algorithm: "sha256", files: { other: "" } } })),
    /no digest of manifest.json/,
  );
  await assert.rejects(load(files(minimalManifest, { digest: { algorithm: "md5", files: {} } })), /only sha256/);
});

test("broken JSON and other specs are refused", async () => {
  await assert.rejects(
    load({ ...files(), "metadata.json": "{" }),
    (thrown: unknown) => thrown instanceof PackageFormatError && thrown.file === "metadata.json",
  );
  await assert.rejects(
    load({ ...files(), "manifest.json": "[1," }, { verifyHashes: false }),
    (thrown: unknown) => thrown instanceof PackageFormatError && thrown.file === "manifest.json",
  );
  for (const spec of ["3.0", "2.7", "1", "21"]) {
    await assert.rejects(
      load(files(minimalManifest, { webgpu: { manifestSpec: spec } })),
      (thrown: unknown) => thrown instanceof UnsupportedSpecError && thrown.spec === spec,
    );
  }
  await assert.rejects(load(files(minimalManifest, { backend: { type: "cuda" } })), /for cuda/);
});

test("version and revision must be what the package says, or fill the location", async () => {
  assert.ok(await load(files(), { version: 1 }));
  await assert.rejects(load(files(), { version: 2 }), VersionError);
  assert.ok(await load(files(), { revision: "abcdef0" }));
  await assert.rejects(load(files(), { revision: "fff" }), VersionError);
  await assert.rejects(load(files(), { version: 1, revision: "abc" }), CallError);
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return fetchFrom(files(), "http://hub.test/k/resolve/v1/build/webgpu/")(url);
  };
  assert.ok(await getKernel("http://hub.test/k/resolve/{revision}", { version: 1, device, fetch }));
  assert.equal(asked[0], "http://hub.test/k/resolve/v1/build/webgpu/metadata.json");
  await assert.rejects(
    getKernel("http://hub.test/k/resolve/{revision}", { device, fetch }),
    /needs a version or a revision/,
  );
});

test("a manifest of a wrong form is refused with the place", async () => {
  const wrong: [object, RegExp][] = [
    [{ name: 3 }, /manifest\.json: name/],
    [{ outputs: {} }, /outputs: a kernel needs an output/],
    [{ outputs: { y: { dtype: "T" } } }, /outputs\.y: an output needs a shape/],
    [{ inputs: { x: {} } }, /inputs\.x\.dtype/],
    [{ inputs: { x: { dtype: "T", storage: "float99" } } }, /float99/],
    [{ inputs: { x: { dtype: "float64" } } }, /inputs\.x\.dtype: no such type is supported/],
    [{ inputs: { x: { dtype: ["bfloat16"] } } }, /inputs\.x\.dtype: no such type is supported/],
    [{ variants: [] }, /variants: a kernel needs a variant/],
    [{ variants: [{ id: "a", passes: [] }] }, /variants\[0\]\.passes/],
    [
      { variants: [variant("a", {}, { bindings: ["z"] })] },
      /variants\[0\]\.passes\[0\]\.bindings\[0\]: there is no binding.*"z"/,
    ],
    [{ variants: [variant("a", {}, { shader: "../secret" })] }, /not the name of a file/],
    [{ variants: [variant("a", {}, { shader: "http://other/x" })] }, /not the name of a file/],
    [
      { variants: [variant("a", {}, { bindings: [{ arg: "x", buffer: "texture" }] })] },
      /read-only-storage, storage, uniform/,
    ],
    [{ typeConstraints: { T: ["complex64"] } }, /typeConstraints\.T/],
    [
      { attributes: {}, attributeConstraints: { reverse: { values: [0] } } },
      /attributeConstraints\.reverse: there is no such attribute/,
    ],
  ];
  for (const [manifest, message] of wrong) {
    await assert.rejects(
      loadManifest(manifest),
      (thrown: unknown) => thrown instanceof PackageFormatError && message.test(thrown.message),
      String(message),
    );
  }
});

test("an unknown name in any expression of the manifest is refused when it is loaded", async () => {
  const wrong: object[] = [
    { derive: { a: "lost + 1" } },
    { derive: { a: "b", lost_too: "1", b: "lost" } },
    { when: ["lost"] },
    { inputs: { x: { dtype: "T", shape: "[lost]" } } },
    { outputs: { y: { dtype: "T", shape: "shapes.lost" } } },
    { variants: [variant("a", { when: "attrs.lost == 1" })] },
    { variants: [variant("a", { demoteWhen: "tunables.lost" })] },
    { variants: [variant("a", { derive: { k: "lost" } })] },
    { variants: [variant("a", { requires: { limits: { maxBufferSize: "lost" } } })] },
    { variants: [variant("a", { intermediates: [{ id: "i", dtype: "T", shape: "[lost]" }] })] },
    { variants: [variant("a", {}, { dispatch: { x: "lost(1)" } })] },
    { variants: [variant("a", {}, { derive: { k: "lost" } })] },
    { variants: [variant("a", {}, { bindings: [{ arg: "x", length: "lost" }] })] },
    {
      variants: [variant("a", {}, { bindings: [{ name: "p", struct: [{ name: "n", type: "u32", value: "lost" }] }] })],
    },
  ];
  for (const manifest of wrong) {
    await assert.rejects(
      loadManifest(manifest),
      (thrown: unknown) => thrown instanceof ExpressionError && /^(lost|b)$/.test(thrown.unknownName ?? ""),
      JSON.stringify(manifest),
    );
  }
});

test("an unknown name in a template is refused with it", async () => {
  const kernel = await loadManifest({}, {}, "{{ lost }}");
  await assert.rejects(
    kernel({ x: { data: new Float32Array(2), shape: [2] } }),
    (thrown: unknown) => thrown instanceof TemplateError && thrown.unknownName === "lost",
  );
});

test("without WebGPU and without a device there is a clear error", async () => {
  const none = { requestAdapter: async () => null } as unknown as GPU;
  await assert.rejects(
    getKernel(folder, { gpu: none }),
    (thrown: unknown) => thrown instanceof DeviceError && thrown instanceof KernelError && thrown.code === "device",
  );
});
