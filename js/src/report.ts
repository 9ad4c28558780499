import type { BenchResult, Throughput } from "./bench.js";
import type { TestResult } from "./tests.js";

/** A time with a unit that suits it. */
export function shownTime(seconds: number): string {
  const [scale, unit] = seconds < 1e-3 ? [1e6, "µs"] : seconds < 1 ? [1e3, "ms"] : [1, "s"];
  return `${shownNumber(seconds * scale)} ${unit}`;
}

/** Three digits, or all before the point. */
export function shownNumber(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}

/** Bytes with a unit that suits them. */
export function shownBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${shownNumber(bytes / 1000 ** step)} ${units[step]}`;
}

/** A message of several lines in one. */
export function oneLine(message: string): string {
  return message.trim().replace(/:?\s*\n\s*/g, "; ");
}

/** One line on a test case. */
export function testLine({ name, status, variant, problems, milliseconds }: TestResult): string {
  const ran =
    status === "passed" ? ` (${variant === undefined ? "" : `${variant}, `}${shownNumber(milliseconds)} ms)` : "";
  return `${status}: ${name}${ran}${problems.length > 0 ? `: ${problems.map(oneLine).join("; ")}` : ""}`;
}

const columns = ["case", "variant", "median", "min", "spread", "moved", "GB/s", "copy GB/s", "of copy"] as const;

function cells(result: BenchResult): readonly string[] {
  const { name, bytes } = result;
  if (result.kernel === undefined) return [name, `${result.status}: ${oneLine(result.problem ?? "")}`];
  const { median, min, spread } = result.kernel;
  const speed = (times: Throughput | undefined): string =>
    times === undefined ? "" : shownNumber(times.gigabytesPerSecond);
  const part = result.copy === undefined ? "" : `${shownNumber((100 * result.copy.median) / median)} %`;
  const times = [shownTime(median), shownTime(min), `${shownNumber(100 * spread)} %`];
  return [name, result.variant ?? "", ...times, shownBytes(bytes), speed(result.kernel), speed(result.copy), part];
}

/** The table of a benchmark, a line at a time; the widths follow from the names of the cases. */
export function benchTable(names: readonly string[]): { readonly head: string; line(result: BenchResult): string } {
  const first = Math.max(columns[0].length, ...names.map((name) => name.length));
  const widths = [first, 16, 9, 9, 7, 8, 9, 9, 8];
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => (i < 2 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  return { head: line(columns), line: (result) => line(cells(result)) };
}
