// Packages in memory, and a device that offers what a test says but can do nothing: what fails must fail before any GPU work.
import { createHash } from "node:crypto";
import { getKernel, type GetKernelOptions, type Kernel } from "../src/index.js";

export type Files = Record<string, string | Uint8Array<ArrayBuffer>>;

export const base = "http://packages.test/kernel/";

function digest(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("base64");
}

export const minimalManifest = {
  name: "Double",
  typeConstraints: { T: ["float32", "int32"] },
  inputs: { x: { dtype: "T", rank: 1 } },
  outputs: { y: { dtype: "T", shape: "shapes.x" } },
  variants: [variant("only")],
};

export function variant(id: string, more: object = {}, pass: object = {}): object {
  return {
    id,
    passes: [
      {
        id: "main",
        name: "main",
        shader: "main.wgsl.jinja",
        bindings: ["x", "y"],
        dispatch: { x: "numel(shapes.x)" },
        ...pass,
      },
    ],
    ...more,
  };
}

export function files(
  manifest: object = minimalManifest,
  metadata: object = {},
  template = "{{ env.wgsl.resourceDeclarations }}\n",
  more: Files = {},
): Files {
  const content: Files = { "manifest.json": JSON.stringify(manifest), "main.wgsl.jinja": template, ...more };
  const digests = Object.fromEntries(Object.entries(content).map(([name, text]) => [name, digest(text)]));
  content["metadata.json"] = JSON.stringify({
    name: "test",
    version: 1,
    backend: { type: "webgpu" },
    webgpu: { manifestSpec: "2.1" },
    digest: { algorithm: "sha256", files: digests },
    provenance: { kernel: { sha: "abcdef0123", dirty: false } },
    ...metadata,
  });
  return content;
}

export function fetchFrom(content: Files, folder = `${base}build/webgpu/`): (url: string) => Promise<Response> {
  return async (url) => {
    const name = url.startsWith(folder) ? url.slice(folder.length) : "";
    return Object.hasOwn(content, name) ? new Response(content[name]) : new Response("", { status: 404 });
  };
}

export function fakeDevice(features: readonly string[] = [], limits: Record<string, number> = {}): GPUDevice {
  const used = (name: string) => () => {
    throw new Error(`GPU work: ${name}`);
  };
  return {
    features: new Set(features),
    limits: {
      maxStorageBufferBindingSize: 134217728,
      maxUniformBufferBindingSize: 65536,
      maxStorageBuffersPerShaderStage: 8,
      maxUniformBuffersPerShaderStage: 12,
      maxComputeWorkgroupsPerDimension: 65535,
      maxComputeInvocationsPerWorkgroup: 256,
      minStorageBufferOffsetAlignment: 256,
      minUniformBufferOffsetAlignment: 256,
      ...limits,
    },
    adapterInfo: { vendor: "test", architecture: "", subgroupMinSize: 8, subgroupMaxSize: 32 },
    lost: new Promise(() => {}),
    createBuffer: used("createBuffer"),
    createShaderModule: used("createShaderModule"),
    pushErrorScope: used("pushErrorScope"),
  } as unknown as GPUDevice;
}

export function load(content: Files = files(), options: GetKernelOptions = {}): Promise<Kernel> {
  return getKernel(base, { device: fakeDevice(), fetch: fetchFrom(content), ...options });
}

export function loadManifest(manifest: object, options: GetKernelOptions = {}, template?: string): Promise<Kernel> {
  return load(files({ ...minimalManifest, ...manifest }, {}, template), options);
}

export interface StoredTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: ArrayBufferView;
}

/** A safetensors file. */
export function safetensors(tensors: Readonly<Record<string, StoredTensor>>): Uint8Array<ArrayBuffer> {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const begin = end;
    end += bytes.byteLength;
    return [name, { dtype, shape, data_offsets: [begin, end] }];
  });
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const file = new Uint8Array(8 + header.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(header, 8);
  let at = 8 + header.length;
  for (const { bytes } of Object.values(tensors)) {
    file.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), at);
    at += bytes.byteLength;
  }
  return file;
}
