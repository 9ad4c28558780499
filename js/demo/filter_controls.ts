// The controls of a filter's parameters: a design for those that are a biquad's coefficients, a slider for each other one.
import { biquadKinds, coefficients, designed, gainAt, type Biquad, type BiquadKind } from "./biquad.js";
import { h, labelled } from "./dom.js";

export interface FilterControls {
  readonly element: HTMLElement;
  /** The parameters' values for a signal of so many samples a second. */
  values(rate: number): Record<string, number>;
}

interface Slider {
  readonly element: HTMLElement;
  readonly value: () => number;
}

interface SliderOptions {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly start: number;
  readonly logarithmic?: boolean;
  readonly shown: (value: number) => string;
}

function slider({ name, low, high, start, logarithmic = false, shown }: SliderOptions, changed: () => void): Slider {
  const [from, to, at] = logarithmic ? [Math.log(low), Math.log(high), Math.log(start)] : [low, high, start];
  const control = h("input", { type: "range", min: String(from), max: String(to), step: String((to - from) / 200) });
  control.value = String(at);
  const value = (): number => (logarithmic ? Math.exp(Number(control.value)) : Number(control.value));
  const output = h("output", {}, shown(value()));
  const show = (): void => {
    output.textContent = shown(value());
    control.setAttribute("aria-valuetext", shown(value()));
  };
  show();
  control.addEventListener("input", () => {
    show();
    changed();
  });
  return { element: labelled(`${name} `, control, output), value };
}

function hertz(value: number): string {
  return value >= 1000 ? `${Number((value / 1000).toFixed(2))} kHz` : `${value.toFixed(0)} Hz`;
}

function designControls(changed: () => void): FilterControls {
  const kind = h("select", {}, ...biquadKinds.map((each) => h("option", { value: each }, each)));
  kind.addEventListener("change", changed);
  const frequency = slider(
    { name: "Frequency", low: 20, high: 3800, start: 300, logarithmic: true, shown: hertz },
    changed,
  );
  const quality = slider(
    { name: "Quality Q", low: 0.3, high: 12, start: 0.707, logarithmic: true, shown: (value) => value.toFixed(2) },
    changed,
  );
  return {
    element: h("div", { class: "controls" }, labelled("Kind", kind), frequency.element, quality.element),
    values: (rate) => ({ ...designed(kind.value as BiquadKind, frequency.value(), quality.value(), rate) }),
  };
}

/** Controls for the parameters; `start` has the values to begin with. */
export function filterControls(
  parameters: readonly string[],
  start: Readonly<Record<string, number>>,
  changed: () => void,
): FilterControls {
  const isBiquad = coefficients.every((name) => parameters.includes(name));
  const design = isBiquad ? designControls(changed) : undefined;
  const rest = parameters.filter((name) => !isBiquad || !(coefficients as readonly string[]).includes(name));
  const sliders = rest.map((name) => {
    const value = start[name] ?? 0;
    const [low, high] = value >= 0 && value <= 1 ? [0, 1] : [-2 * Math.abs(value), 2 * Math.abs(value)];
    return { name, ...slider({ name, low, high, start: value, shown: (shown) => shown.toFixed(3) }, changed) };
  });
  return {
    element: h(
      "div",
      {},
      design?.element,
      sliders.length > 0 && h("div", { class: "controls" }, ...sliders.map(({ element }) => element)),
    ),
    values: (rate) => ({
      ...design?.values(rate),
      ...Object.fromEntries(sliders.map(({ name, value }) => [name, value()])),
    }),
  };
}

/** What a biquad does to a tone, in words; nothing for other filters. */
export function gainWords(
  values: Readonly<Record<string, number>>,
  frequencies: readonly number[],
  rate: number,
): string {
  if (!coefficients.every((name) => values[name] !== undefined)) return "";
  const gain = (frequency: number): string => {
    const decibels = 20 * Math.log10(gainAt(values as unknown as Biquad, frequency, rate));
    return decibels < -99 ? "nothing" : `${decibels.toFixed(1).replace("-0.0", "0.0").replace("-", "−")} dB`;
  };
  return `Passes: ${frequencies.map((frequency) => `${hertz(frequency)} ${gain(frequency)}`).join(" · ")}`;
}
