// Throughput against one number of the cases, in SVG: a line for each kernel and a dashed one for the copy beside it, or
// points when cases differ in too much for lines.
import { shownNumber } from "../src/report.js";
import { shownCount, type ChartData, type Point, type Series } from "./chart_data.js";

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

interface Frame extends Size {
  readonly x: Scale;
  readonly y: Scale;
}

function axes(
  xs: readonly number[],
  yTicks: readonly number[],
  axis: string,
  { x, y, width, height }: Frame,
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

function title(series: string, axis: string, point: Point): SVGElement {
  const names = [series, point.label ?? "", `${axis} ${shownCount(point.x)}`].filter((text) => text !== "");
  return svg("title", {}, `${names.join(", ")}: ${shownNumber(point.y)} GB/s`);
}

function lines({ name, kernel, copy }: Series, i: number, axis: string, { x, y }: Frame): SVGElement[] {
  const path = (points: readonly Point[]): string =>
    points.map((point, j) => `${j === 0 ? "M" : "L"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join("");
  return [
    svg("path", { class: `copy series-${i % 4}`, d: path(copy) }),
    svg("path", { class: `line series-${i % 4}`, d: path(kernel) }),
    ...kernel.map((point) => dot(name, axis, point, `dot series-${i % 4}`, x(point.x), y(point.y))),
  ];
}

function dot(name: string, axis: string, point: Point, kind: string, cx: number, cy: number): SVGElement {
  return svg("circle", { class: kind, cx: cx.toFixed(1), cy: cy.toFixed(1), r: 4 }, title(name, axis, point));
}

const labelSize = { width: 64, height: 14 };

/** Points with labels beside them, each a little higher where it would cover another one. */
function points({ name, kernel, copy }: Series, axis: string, { x, y, width }: Frame): SVGElement[] {
  const placed: { x: number; y: number }[] = [];
  const labels = [...kernel]
    .sort((a, b) => b.y - a.y || a.x - b.x)
    .reverse()
    .map((point) => {
      const isRight = x(point.x) > width - labelSize.width - margin.right;
      const at = { x: x(point.x) + (isRight ? -8 : 8), y: y(point.y) - 3 };
      const covered = (): boolean =>
        placed.some(
          (other) => Math.abs(other.x - at.x) < labelSize.width && Math.abs(other.y - at.y) < labelSize.height,
        );
      while (covered()) at.y -= 2;
      placed.push(at);
      return svg(
        "text",
        { class: "tick", x: at.x, y: at.y, "text-anchor": isRight ? "end" : "start" },
        point.label ?? "",
      );
    });
  return [
    ...copy.map((point) => dot(`a copy, ${name}`, axis, point, "ring", x(point.x), y(point.y))),
    ...kernel.map((point) => dot(name, axis, point, "dot series-0", x(point.x), y(point.y))),
    ...labels,
  ];
}

/** The chart; `logarithmic` says how throughput is scaled, the other axis always is. */
export function chart({ axis, series, isScattered }: ChartData, logarithmic: boolean, width: number): SVGElement {
  const all = series.flatMap(({ kernel, copy }) => [...kernel, ...copy]);
  const xs = [...new Set(all.map((point) => point.x))].sort((a, b) => a - b);
  const ys = all.map((point) => point.y).filter((value) => value > 0);
  const { left, right, top, bottom } = margin;
  const height = Math.max(260, Math.min(360, width * 0.5));
  const inset = 16;
  const high = Math.max(...ys, 1e-9);
  const ticks = logarithmic ? logTicks(Math.min(...ys, high), high) : linearTicks(high);
  const floor = height - bottom;
  const frame: Frame = {
    width,
    height,
    x: logScale(xs[0] ?? 1, xs.at(-1) ?? 2, left + inset, width - right - inset),
    y: logarithmic
      ? logScale(ticks[0] ?? 1, ticks.at(-1) ?? 10, floor, top)
      : linearScale(ticks.at(-1) ?? 1, floor, top),
  };
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
    ...axes(xs, ticks, axis, frame),
    ...series.flatMap((each, i) => (isScattered ? points(each, axis, frame) : lines(each, i, axis, frame))),
  );
}
