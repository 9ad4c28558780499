// What a chart of benchmarks shows: which number of the cases is its axis, and which cases make a line.
import type { BenchResult } from "../src/index.js";

export interface Point {
  readonly x: number;
  readonly y: number;
  /** What sets the point apart from its neighbours, where lines do not. */
  readonly label?: string;
}

export interface Series {
  /** What sets it apart from the others; empty when there is only one. */
  readonly name: string;
  readonly kernel: readonly Point[];
  readonly copy: readonly Point[];
}

/** What a chart shows. */
export interface ChartData {
  readonly axis: string;
  readonly series: readonly Series[];
  /** True when the cases differ in too much for lines: one series of points with labels. */
  readonly isScattered: boolean;
}

/** Names for the number of steps, which is along the axis where cases differ in it. */
const stepNames = ["steps", "T"];

/** The name under `at` that goes along the axis: steps, or else what has the most different values. */
export function axisOf(results: readonly Pick<BenchResult, "at">[]): string | undefined {
  const names = [...new Set(results.flatMap(({ at }) => Object.keys(at)))];
  const values = (name: string): number => new Set(results.map(({ at }) => at[name])).size;
  const steps = names.find((name) => stepNames.includes(name) && values(name) > 1);
  return steps ?? names.sort((a, b) => values(b) - values(a))[0];
}

/** More lines than this are no help; there are as many colours. */
const mostLines = 4;

/** The measured results along the axis, apart where other numbers differ. */
export function chartData(results: readonly BenchResult[]): ChartData | undefined {
  const axis = axisOf(results);
  if (axis === undefined) return undefined;
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
  if (groups.size === 0) return undefined;
  const sorted = (points: Point[]): Point[] => points.sort((a, b) => a.x - b.x);
  const series = [...groups].map(([name, { kernel, copy }]) => ({ name, kernel: sorted(kernel), copy: sorted(copy) }));
  if (series.length <= mostLines) return { axis, series, isScattered: false };
  const labelled = series.flatMap(({ name, kernel }) => kernel.map((point) => ({ ...point, label: name })));
  const copies = series.flatMap(({ copy }) => copy);
  return { axis, series: [{ name: "", kernel: sorted(labelled), copy: sorted(copies) }], isScattered: true };
}

/** Whether the values lie so far apart that only a logarithmic scale shows them all. */
export function isWide({ series }: ChartData): boolean {
  const values = series.flatMap(({ kernel, copy }) => [...kernel, ...copy].map((point) => point.y));
  return Math.max(...values) > 20 * Math.min(...values);
}

/** A number, with Ki and Mi for 1024 and its square where they divide it. */
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
