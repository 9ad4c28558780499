// Throughput against one number of the cases, in SVG: a line for each kernel, and a dashed one for the copy beside it.
import type { BenchResult } from "../src/index.js";
import { shownNumber } from "../src/report.js";

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Series {
  /** What sets it apart from the others; empty when there is only one. */
  readonly name: string;
  readonly kernel: readonly Point[];
  readonly copy: readonly Point[];
}

/** The name under `at` that has the most different values. */
export function axisOf(results: readonly Pick<BenchResult, "at">[]): string | undefined {
  const names = [...new Set(results.flatMap(({ at }) => Object.keys(at)))];
  const values = (name: string): number => new Set(results.map(({ at }) => at[name])).size;
  return names.sort((a, b) => values(b) - values(a))[0];
}

/** The measured results along the axis, apart where other numbers differ. */
export function seriesOf(results: readonly BenchResult[], axis: string): Series[] {
  const groups = new Map<string, { kernel: Point[]; copy: Point[] }>();
  for (const { at, kernel, copy } of results) {
    const x = at[axis];
    if (x === undefined || !(x > 0) || kernel === undefined) continue;
    const others = Object.entries(at).filter(([name]) => name !== axis);
    const name = others.map(([key, value]) => `${key} ${shownCount(value)}`).join(", ");
    const group = groups.get(name) ?? { kernel: [], copy: [] };
    group.kernel.push({ x, y: kernel.gigabytesPerSecond });
    if (copy !== undefined) group.copy.push({ x, y: copy.gigabytesPerSecond });
    groups.set(name, group);
  }
  const sorted = (points: Point[]): Point[] => points.sort((a, b) => a.x - b.x);
  return [...groups].map(([name, { kernel, copy }]) => ({ name, kernel: sorted(kernel), copy: sorted(copy) }));
}

export function shownCount(value: number): string {
  const powers = ["", "Ki", "Mi", "Gi"];
  let step = 0;
  let rest = value;
  while (rest >= 1024 && rest % 1024 === 0 && step < powers.length - 1) {
    rest /= 1024;
    step++;
  }
  return step === 0 ? value.toLocaleString("en") : `${rest} ${powers[step]}`;
}

type Scale = (value: number) => number;

function logScale(low: number, high: number, from: number, to: number): Scale {
  const range = Math.log(high / low) || 1;
  return (value) => from + ((to - from) * Math.log(value / low)) / range;
}

function linearScale(high: number, from: number, to: number): Scale {
  return (value) => from + ((to - from) * value) / high;
}

/** Round numbers from 0 to a little above the highest value. */
function linearTicks(high: number): number[] {
  const raw = high / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const count = Math.ceil(high / step);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

/** Powers of ten around the values; with 2 and 5 between them when there are few. */
function logTicks(low: number, high: number): number[] {
  const from = Math.floor(Math.log10(low) + 1e-9);
  const to = Math.ceil(Math.log10(high) - 1e-9);
  const decades = Array.from({ length: Math.max(to - from, 1) + 1 }, (_, i) =>
    Number((10 ** (from + i)).toPrecision(1)),
  );
  return decades.length > 3
    ? decades
    : decades.flatMap((ten, i) => (i === decades.length - 1 ? [ten] : [ten, 2 * ten, 5 * ten]));
}

const margin = { left: 58, right: 14, top: 12, bottom: 48 };

/** The drawing's size, in pixels of the page. */
interface Size {
  readonly width: number;
  readonly height: number;
}

function svg(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: (Node | string)[]
): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The values of the axis, thinned so that their labels do not touch. */
function shownTicks(values: readonly number[], x: Scale): number[] {
  const shown: number[] = [];
  for (const value of [...values].reverse()) {
    const last = shown[0];
    if (last === undefined || x(last) - x(value) >= 56) shown.unshift(value);
  }
  return shown;
}

function axes(
  xs: readonly number[],
  yTicks: readonly number[],
  x: Scale,
  y: Scale,
  axis: string,
  { width, height }: Size,
): SVGElement[] {
  const { left, right, top, bottom } = margin;
  const floor = height - bottom;
  const lines = yTicks.flatMap((value) => [
    svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
    svg("text", { class: "tick", x: left - 8, y: y(value) + 4, "text-anchor": "end" }, shownNumber(value)),
  ]);
  const marks = shownTicks(xs, x).flatMap((value) => [
    svg("line", { class: "axis", x1: x(value), x2: x(value), y1: floor, y2: floor + 5 }),
    svg("text", { class: "tick", x: x(value), y: floor + 20, "text-anchor": "middle" }, shownCount(value)),
  ]);
  return [
    ...lines,
    ...marks,
    svg("line", { class: "axis", x1: left, x2: width - right, y1: floor, y2: floor }),
    svg("text", { class: "label", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, axis),
    svg(
      "text",
      {
        class: "label",
        x: 0,
        y: 0,
        "text-anchor": "middle",
        transform: `translate(13 ${(top + floor) / 2}) rotate(-90)`,
      },
      "throughput in GB/s",
    ),
  ];
}

/** The chart; `logarithmic` says how throughput is scaled, the other axis always is. */
export function chart(series: readonly Series[], axis: string, logarithmic: boolean, width: number): SVGElement {
  const points = series.flatMap(({ kernel, copy }) => [...kernel, ...copy]);
  const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const ys = points.map((point) => point.y).filter((value) => value > 0);
  const { left, right, top, bottom } = margin;
  const height = Math.max(260, Math.min(360, width * 0.5));
  const inset = 16;
  const x = logScale(xs[0] ?? 1, xs.at(-1) ?? 2, left + inset, width - right - inset);
  const high = Math.max(...ys, 1e-9);
  const ticks = logarithmic ? logTicks(Math.min(...ys, high), high) : linearTicks(high);
  const y = logarithmic
    ? logScale(ticks[0] ?? 1, ticks.at(-1) ?? 10, height - bottom, top)
    : linearScale(ticks.at(-1) ?? 1, height - bottom, top);
  const path = (line: readonly Point[]): string =>
    line.map((point, i) => `${i === 0 ? "M" : "L"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join("");
  const drawn = series.flatMap(({ name, kernel, copy }, i) => {
    const mark = (point: Point): SVGElement =>
      svg(
        "circle",
        { class: `dot series-${i % 4}`, cx: x(point.x).toFixed(1), cy: y(point.y).toFixed(1), r: 4 },
        svg(
          "title",
          {},
          `${name === "" ? "" : `${name}, `}${axis} ${shownCount(point.x)}: ${shownNumber(point.y)} GB/s`,
        ),
      );
    return [
      svg("path", { class: `copy series-${i % 4}`, d: path(copy) }),
      svg("path", { class: `line series-${i % 4}`, d: path(kernel) }),
      ...kernel.map(mark),
    ];
  });
  const best = Math.max(...series.flatMap(({ kernel }) => kernel.map((point) => point.y)), 0);
  return svg(
    "svg",
    {
      class: "chart",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `Throughput against ${axis}: up to ${shownNumber(best)} GB/s. The table below has the numbers.`,
    },
    ...axes(xs, ticks, x, y, axis, { width, height }),
    ...drawn,
  );
}
