import { bufferUsage } from "./tensor.js";

/** Records work that is done a number of times, one time after the other. */
export type Work = (
  encoder: GPUCommandEncoder,
  options: { repeat: number; timestampWrites?: GPUComputePassTimestampWrites },
) => void;

/** Measures recorded work on a device. */
export interface Clock {
  /** `timestamp`: the device's own, from the first dispatch to the end of the last; `wall`: until the queue is empty. */
  readonly kind: "timestamp" | "wall";
  /** Seconds that the work takes, done `repeat` times. */
  measure(work: Work, repeat: number): Promise<number>;
  dispose(): void;
}

function wallClock(device: GPUDevice): Clock {
  return {
    kind: "wall",
    async measure(work, repeat) {
      await device.queue.onSubmittedWorkDone();
      const start = performance.now();
      const encoder = device.createCommandEncoder({ label: "benchmark" });
      work(encoder, { repeat });
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      return (performance.now() - start) / 1000;
    },
    dispose() {},
  };
}

const { mapRead, copySource, copyTarget } = bufferUsage;
const queryResolve = 0x200;
const mapModeRead = 0x1;

function timestampClock(device: GPUDevice): Clock {
  const querySet = device.createQuerySet({ label: "benchmark", type: "timestamp", count: 2 });
  const resolved = device.createBuffer({ label: "timestamps", size: 16, usage: queryResolve | copySource });
  const readable = device.createBuffer({ label: "timestamps", size: 16, usage: mapRead | copyTarget });
  const timestampWrites = { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
  return {
    kind: "timestamp",
    async measure(work, repeat) {
      const encoder = device.createCommandEncoder({ label: "benchmark" });
      work(encoder, { repeat, timestampWrites });
      encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, readable, 0, 16);
      device.queue.submit([encoder.finish()]);
      await readable.mapAsync(mapModeRead);
      const [begin = 0n, end = 0n] = new BigUint64Array(readable.getMappedRange().slice(0));
      readable.unmap();
      return end > begin ? Number(end - begin) * 1e-9 : 0;
    },
    dispose() {
      querySet.destroy();
      resolved.destroy();
      readable.destroy();
    },
  };
}

/** The device's own clock where it has one. */
export function clockOf(device: GPUDevice): Clock {
  return device.features.has("timestamp-query") ? timestampClock(device) : wallClock(device);
}

/** Times of one call, in seconds. */
export interface Times {
  readonly median: number;
  readonly min: number;
  /** From the first to the third quarter of the samples, as a part of the median. */
  readonly spread: number;
  readonly samples: number;
  /** Calls in each sample. */
  readonly repeat: number;
}

function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? NaN;
  const high = sorted[Math.ceil(at)] ?? NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Median, minimum and spread of the samples. */
export function summary(samples: readonly number[], repeat: number): Times {
  const sorted = [...samples].sort((a, b) => a - b);
  const median = quantile(sorted, 0.5);
  const spread = median > 0 ? (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median : 0;
  return { median, min: sorted[0] ?? NaN, spread, samples: sorted.length, repeat };
}

/** A sample is at least this long, in seconds: clocks of browsers tick every 100 µs. */
const longEnough = 0.01;
const most = { repeat: 256, samples: 31 };
const fewestSamples = 3;

/** Measures work for about so many seconds: first to warm up and to find out how often a sample must repeat it. */
export async function timed(clock: Clock, work: Work, seconds: number): Promise<Times> {
  await clock.measure(work, 1);
  let repeat = 1;
  let once = await clock.measure(work, 1);
  while (once * repeat < Math.min(longEnough, seconds / 5) && repeat < most.repeat) {
    repeat = once === 0 ? repeat * 4 : Math.ceil(Math.max(longEnough / once, repeat * 2));
    repeat = Math.min(repeat, most.repeat);
    once = (await clock.measure(work, repeat)) / repeat;
  }
  // What was measured to find that out is a sample, when it is long enough as it is.
  const samples = repeat === 1 ? [once] : [];
  const end = performance.now() + seconds * 1000;
  while (samples.length < fewestSamples || (samples.length < most.samples && performance.now() < end))
    samples.push((await clock.measure(work, repeat)) / repeat);
  return summary(samples, repeat);
}
