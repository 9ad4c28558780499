// Signals, a block at a time: generated ones, one that was drawn, and the microphone's.
export interface Signal {
  /** Samples a second. */
  readonly rate: number;
  /** The next block; undefined when it is not there yet. */
  next(samples: number): Float32Array | undefined;
  stop(): void;
}

export const generatedRate = 8000;

const seconds = (index: number): number => index / generatedRate;
const tone = (frequency: number, index: number): number => Math.sin(2 * Math.PI * frequency * seconds(index));

/** Noise that is the same for the same index. */
function noise(index: number): number {
  let h = Math.imul(index ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 31 - 1;
}

/** The generated signals by name, each as its sample at an index. */
export const generators: Readonly<Record<string, (index: number) => number>> = {
  "two tones, 100 Hz and 1500 Hz": (i) => 0.6 * tone(100, i) + 0.3 * tone(1500, i),
  "a tone of 100 Hz in noise": (i) => 0.6 * tone(100, i) + 0.35 * noise(i),
  "a square wave of 60 Hz": (i) => (tone(60, i) >= 0 ? 0.7 : -0.7),
  "a sweep from 50 Hz to 2 kHz": (i) => {
    const length = 2 * generatedRate;
    const at = (i % length) / length;
    // The phase of a frequency that grows by the same factor in equal times, 40 in all.
    return 0.8 * Math.sin((2 * Math.PI * 50 * 2 * (40 ** at - 1)) / Math.log(40));
  },
  noise: (i) => 0.8 * noise(i),
};

export function generated(sample: (index: number) => number): Signal {
  let at = 0;
  return {
    rate: generatedRate,
    next: (samples) => Float32Array.from({ length: samples }, () => sample(at++)),
    stop() {},
  };
}

/** A drawn period, again and again. */
export function drawn(period: Float32Array): Signal {
  return generated((i) => period[i % period.length] ?? 0);
}

const worklet = `registerProcessor("blocks", class extends AudioWorkletProcessor {
  process([input]) {
    if (input[0]) this.port.postMessage(input[0].slice());
    return true;
  }
});`;

/** What the microphone hears; the browser asks the user first. */
export async function microphone(): Promise<Signal> {
  if (navigator.mediaDevices === undefined)
    throw new Error("this page may not use a microphone: it needs https: or this machine's own address");
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const context = new AudioContext();
  const url = URL.createObjectURL(new Blob([worklet], { type: "text/javascript" }));
  await context.audioWorklet.addModule(url);
  URL.revokeObjectURL(url);
  const source = context.createMediaStreamSource(stream);
  const node = new AudioWorkletNode(context, "blocks", { numberOfOutputs: 0 });
  let waiting: number[] = [];
  node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
    waiting.push(...data);
    // What is not drawn in a quarter of a second is old.
    if (waiting.length > context.sampleRate / 4) waiting = waiting.slice(-Math.floor(context.sampleRate / 8));
  };
  source.connect(node);
  return {
    rate: context.sampleRate,
    next: (samples) => (waiting.length < samples ? undefined : Float32Array.from(waiting.splice(0, samples))),
    stop() {
      for (const track of stream.getTracks()) track.stop();
      void context.close();
    },
  };
}
