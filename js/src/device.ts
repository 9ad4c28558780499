import { DeviceError, messageOf } from "./errors.js";
import type { Value } from "./functions.js";

/** Features that make more variants possible, or let them be timed; asked for where the adapter has them. */
const usefulFeatures = ["shader-f16", "subgroups", "chromium-experimental-subgroup-matrix", "timestamp-query"] as const;

const shared = new Map<GPU, Promise<GPUDevice>>();

/** The limits as a plain object; they are accessors of a prototype otherwise. */
export function limitsOf(device: { readonly limits: object }): Record<string, number> {
  const names = new Set<string>();
  for (
    let object: object | null = device.limits;
    object !== null && object !== Object.prototype;
    object = Object.getPrototypeOf(object) as object | null
  ) {
    for (const name of Object.getOwnPropertyNames(object)) names.add(name);
  }
  const values = device.limits as Record<string, unknown>;
  return Object.fromEntries(
    [...names].flatMap((name) => (typeof values[name] === "number" ? [[name, values[name]]] : [])),
  );
}

/** What expressions see of the device. */
export function deviceValue(device: GPUDevice): Value {
  const info: Partial<GPUAdapterInfo> = device.adapterInfo ?? {};
  return {
    features: { has: (name) => typeof name === "string" && device.features.has(name) },
    limits: limitsOf(device),
    adapterInfo: {
      vendor: info.vendor ?? "",
      architecture: info.architecture ?? "",
      // What the standard reports where subgroups are not known.
      subgroupMinSize: info.subgroupMinSize || 4,
      subgroupMaxSize: info.subgroupMaxSize || 128,
    },
  };
}

async function requestDevice(gpu: GPU): Promise<GPUDevice> {
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null) throw new DeviceError("WebGPU is there, but it has no adapter: no GPU, or no driver for it");
  const requiredFeatures = usefulFeatures.filter((feature) => adapter.features.has(feature)) as GPUFeatureName[];
  try {
    return await adapter.requestDevice({ requiredFeatures, requiredLimits: limitsOf(adapter) });
  } catch (thrown) {
    throw new DeviceError(`the adapter gives no device: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** The device that kernels without one of their own share; a lost one is replaced. */
export async function sharedDevice(gpu?: GPU): Promise<GPUDevice> {
  const source = gpu ?? (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  if (source === undefined) {
    throw new DeviceError(
      "there is no WebGPU here (navigator.gpu is missing); pass a device, or in Node the `gpu` of the npm package webgpu",
    );
  }
  const known = shared.get(source);
  if (known !== undefined) return known;
  const asked = requestDevice(source);
  shared.set(source, asked);
  try {
    const device = await asked;
    void device.lost.then(() => shared.delete(source));
    return device;
  } catch (thrown) {
    shared.delete(source);
    throw thrown;
  }
}

/** Destroys the shared devices. Kernels and tensors that use them are of no use afterwards. */
export async function releaseSharedDevices(): Promise<void> {
  const devices = [...shared.values()];
  shared.clear();
  for (const device of devices) (await device).destroy();
}
