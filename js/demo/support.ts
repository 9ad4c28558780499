// Whether this browser has WebGPU; and if not, what is missing and what to do.
import { deviceName, sharedDevice } from "../src/index.js";
import { messageOf } from "./dom.js";

export interface Missing {
  readonly what: string;
  readonly advice: readonly string[];
}

export type Support = { readonly device: GPUDevice; readonly name: string } | { readonly missing: Missing };

const browsers = [
  "Chrome and Edge have it from version 113 on, on Windows, macOS, ChromeOS and Android 12.",
  "Safari has it from version 26 on; Firefox from 141 on Windows and 145 on macOS.",
  "On Linux, Chrome may need chrome://flags/#enable-unsafe-webgpu and #enable-vulkan.",
];

function withoutGpu(): Missing {
  if (!window.isSecureContext)
    return {
      what: "Browsers offer WebGPU only to pages from https: or from this machine, and this page came another way.",
      advice: ["Open it through https:, or serve it here: npm run demo, then the address that it prints."],
    };
  return { what: "This browser has no WebGPU: navigator.gpu is missing.", advice: browsers };
}

const adapterAdvice = [
  "Is hardware acceleration turned on in the browser's settings?",
  "chrome://gpu (about:support in Firefox) says whether WebGPU is disabled, and why.",
  "A newer graphics driver may help; without a GPU, Chrome runs WebGPU on its processor with --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader.",
];

/** Asks for the device that all kernels of the page share. */
export async function support(): Promise<Support> {
  const { gpu } = navigator as { gpu?: GPU };
  if (gpu === undefined) return { missing: withoutGpu() };
  try {
    if ((await gpu.requestAdapter()) === null)
      return {
        missing: { what: "This browser has WebGPU, but found no graphics adapter for it.", advice: adapterAdvice },
      };
    const device = await sharedDevice(gpu);
    return { device, name: deviceName(device) };
  } catch (thrown) {
    return {
      missing: { what: `This browser has WebGPU, but gives no device: ${messageOf(thrown)}`, advice: adapterAdvice },
    };
  }
}
