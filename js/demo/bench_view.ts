// The package's benchmarks: a table that fills, and the chart of their throughput.
import { runBenchmarks, type BenchResult, type Kernel } from "../src/index.js";
import { shownBytes, shownNumber, shownTime } from "../src/report.js";
import { chart } from "./chart.js";
import { chartData, isWide, type ChartData } from "./chart_data.js";
import { alertBox, h, labelled, messageOf, table } from "./dom.js";

const heads = ["Case", "Median", "Min", "Spread", "Moves", "GB/s", "Copy GB/s", "Of copy", "Variant"] as const;

function cells({ name, kernel, copy, bytes, variant }: BenchResult): string[] {
  if (kernel === undefined) return [name, "", "", "", shownBytes(bytes), "", "", "", ""];
  const part = copy === undefined ? "" : `${shownNumber((100 * copy.median) / kernel.median)} %`;
  const times = [shownTime(kernel.median), shownTime(kernel.min), `${shownNumber(100 * kernel.spread)} %`];
  const speeds = [
    shownNumber(kernel.gigabytesPerSecond),
    copy === undefined ? "" : shownNumber(copy.gigabytesPerSecond),
  ];
  return [name, ...times, shownBytes(bytes), ...speeds, part, variant ?? ""];
}

function legend({ series, isScattered }: ChartData): HTMLElement {
  const swatch = (kind: string): HTMLElement => h("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
  const kind = isScattered ? "point" : "line";
  const items = series.map(({ name }, i) =>
    h("li", {}, swatch(`${kind} series-${i % 4}`), name === "" ? "this kernel" : name),
  );
  const copy = isScattered ? "a copy of as many bytes" : "dashed: a copy of as many bytes";
  return h("ul", { class: "legend" }, ...items, h("li", {}, swatch(isScattered ? "hollow" : "copy"), copy));
}

/** Runs the benchmarks at a button, and draws them. */
export function benchView(kernel: Kernel, count: number): HTMLElement {
  const seconds = h(
    "select",
    {},
    ...[0.1, 0.5, 2].map((each) => h("option", { value: String(each), selected: each === 0.5 }, `${each} s`)),
  );
  const logarithmic = h("input", { type: "checkbox", id: "logarithmic" });
  const button = h("button", { type: "button", id: "run-bench" }, "Run the benchmarks");
  const summary = h(
    "p",
    { class: "summary", id: "bench-summary", role: "status" },
    `${count} ${count === 1 ? "case" : "cases"}`,
  );
  const figure = h("figure", { id: "chart", hidden: true });
  const results = h("div");
  let measured: BenchResult[] = [];
  /** Whether the user said how throughput is scaled. */
  let chosen = false;

  function draw(): void {
    const data = chartData(measured);
    figure.hidden = data === undefined;
    if (data === undefined) return;
    if (!chosen) logarithmic.checked = isWide(data);
    const caption = h("figcaption", {}, legend(data));
    figure.replaceChildren(chart(data, logarithmic.checked, figure.clientWidth), caption);
  }

  async function run(): Promise<void> {
    const { region, row } = table("Benchmark results", heads, [1, 2, 3, 4, 5, 6, 7]);
    results.replaceChildren(region);
    measured = [];
    button.disabled = true;
    const onCase = (result: BenchResult): void => {
      measured.push(result);
      row(cells(result), result.status, result.problem === undefined ? "" : `${result.status}: ${result.problem}`);
      summary.textContent = `${measured.length} of ${count} …`;
      draw();
    };
    try {
      const { clock } = await runBenchmarks(kernel, { seconds: Number(seconds.value), onCase });
      summary.textContent =
        clock === "timestamp"
          ? "done, by the device's clock"
          : "done, by wall time: the device has no clock of its own";
    } catch (thrown) {
      summary.textContent = "not finished";
      results.append(alertBox(messageOf(thrown)));
    } finally {
      button.disabled = false;
    }
  }

  // The chart is drawn for the width that it has.
  let width = 0;
  new ResizeObserver(() => {
    if (Math.abs(figure.clientWidth - width) < 2) return;
    width = figure.clientWidth;
    draw();
  }).observe(figure);
  button.addEventListener("click", () => void run());
  logarithmic.addEventListener("change", () => {
    chosen = true;
    draw();
  });
  const scale = h("div", { class: "check" }, logarithmic, h("label", { for: "logarithmic" }, "logarithmic throughput"));
  return h(
    "div",
    {},
    h("div", { class: "line" }, labelled("Time for each case", seconds), button, scale, summary),
    figure,
    results,
  );
}
