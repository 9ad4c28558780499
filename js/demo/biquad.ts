// Coefficients of second-order filters from what people know them by, after R. Bristow-Johnson's audio EQ cookbook.
export type BiquadKind = "low-pass" | "high-pass" | "band-pass" | "notch";
export const biquadKinds: readonly BiquadKind[] = ["low-pass", "high-pass", "band-pass", "notch"];

export interface Biquad {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

/** The names of the coefficients, as packages call their inputs. */
export const coefficients = ["b0", "b1", "b2", "a1", "a2"] as const;

/** `frequency` and `rate` in hertz; `q` is the quality: 0.707 is flat, more has a peak or is narrower. */
export function designed(kind: BiquadKind, frequency: number, q: number, rate: number): Biquad {
  const w = (2 * Math.PI * Math.min(frequency, rate * 0.499)) / rate;
  const cos = Math.cos(w);
  const alpha = Math.sin(w) / (2 * q);
  const zeros = {
    "low-pass": [(1 - cos) / 2, 1 - cos, (1 - cos) / 2],
    "high-pass": [(1 + cos) / 2, -(1 + cos), (1 + cos) / 2],
    "band-pass": [alpha, 0, -alpha],
    notch: [1, -2 * cos, 1],
  }[kind] as [number, number, number];
  const scale = 1 / (1 + alpha);
  return {
    b0: zeros[0] * scale,
    b1: zeros[1] * scale,
    b2: zeros[2] * scale,
    a1: -2 * cos * scale,
    a2: (1 - alpha) * scale,
  };
}

/** How much of a tone passes, as a factor. */
export function gainAt({ b0, b1, b2, a1, a2 }: Biquad, frequency: number, rate: number): number {
  const w = (2 * Math.PI * frequency) / rate;
  const size = (c0: number, c1: number, c2: number): number =>
    Math.hypot(c0 + c1 * Math.cos(w) + c2 * Math.cos(2 * w), c1 * Math.sin(w) + c2 * Math.sin(2 * w));
  return size(b0, b1, b2) / size(1, a1, a2);
}
