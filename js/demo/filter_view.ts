// A package as a filter of a live signal: block by block, with the states carried from one to the next.
import { CaseTensors } from "../src/case_tensor.js";
import type { Case } from "../src/cases.js";
import type { Kernel } from "../src/index.js";
import { shownNumber } from "../src/report.js";
import { BlockFilter } from "./block_filter.js";
import { drawCurves, placeOn } from "./curves.js";
import { alertBox, h, labelled, messageOf } from "./dom.js";
import { filterControls, gainWords, type FilterControls } from "./filter_controls.js";
import { blockSamples, type FilterRoles } from "./filter_roles.js";
import { drawn, generated, generators, microphone, type Signal } from "./signal.js";

const shownBlocks = 4;
const shownSamples = blockSamples * shownBlocks;
const drawnName = "one that I draw";
const microphoneName = "the microphone";

function rms(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}

/** A window on the newest samples of a signal and of what the filter made of it. */
class Window {
  readonly input = new Float32Array(shownSamples);
  readonly output = new Float32Array(shownSamples);
  blocks = 0;

  add(input: Float32Array, output: Float32Array): void {
    for (const [all, block] of [
      [this.input, input],
      [this.output, output],
    ] as const) {
      all.copyWithin(0, block.length);
      all.set(block, all.length - block.length);
    }
    this.blocks++;
  }

  words(): string {
    const [before, after] = [rms(this.input), rms(this.output)];
    const change =
      before > 0 && after > 0 ? `, ${(20 * Math.log10(after / before)).toFixed(1).replace("-", "−")} dB` : "";
    return `Block ${this.blocks}: ${shownNumber(before)} in, ${shownNumber(after)} out (root mean square)${change}`;
  }
}

/** Values of the parameters in the package's first case, to begin with. */
async function startValues(
  kernel: Kernel,
  roles: FilterRoles,
  cases: readonly Case[],
): Promise<Record<string, number>> {
  const tensors = new CaseTensors((name) => kernel.file(name));
  const values: Record<string, number> = {};
  for (const { key, names } of roles.parameters) {
    const json = cases.find(({ inputs }) => inputs.has(key))?.inputs.get(key);
    if (json === undefined) continue;
    const data = (await tensors.tensor(json)).data as Float32Array;
    names.forEach((name, i) => (values[name] = data[(i * data.length) / names.length] ?? 0));
  }
  return values;
}

export interface MadeFilter {
  readonly element: HTMLElement;
  begin(): Promise<void>;
  dispose(): void;
}

class LiveFilter implements MadeFilter {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", {
    class: "curves",
    role: "img",
    id: "curves",
    "aria-label": "The signal and the filtered signal over time",
  });
  private readonly summary = h("p", { class: "summary", id: "filter-summary" });
  private readonly gains = h("p", { class: "about", id: "filter-gains" });
  private readonly trouble = h("div");
  private readonly start = h("button", { type: "button", id: "filter-start", "aria-pressed": "false" }, "Start");
  private readonly source = h(
    "select",
    {},
    ...[...Object.keys(generators), drawnName, microphoneName].map((name) => h("option", { value: name }, name)),
  );
  private readonly controls: FilterControls;
  private readonly period = Float32Array.from({ length: shownSamples }, (_, i) => (i % 256 < 128 ? 0.7 : -0.7));
  private window = new Window();
  private signal: Signal = generated(Object.values(generators)[0] ?? (() => 0));
  private running = false;
  private changed = false;
  /** Ends what listens to the whole page. */
  private readonly gone = new AbortController();
  /** The blocks in work; they come one after the other. */
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly filter: BlockFilter,
    roles: FilterRoles,
    values: Readonly<Record<string, number>>,
  ) {
    this.controls = filterControls(
      roles.parameters.flatMap(({ names }) => names),
      values,
      () => this.redraw(),
    );
    const reset = h("button", { type: "button", class: "quiet" }, "Reset");
    reset.addEventListener("click", () => void this.reset());
    this.start.addEventListener("click", () => this.toggle());
    this.source.addEventListener("change", () => void this.choose(this.source.value));
    this.canvas.addEventListener("pointerdown", (event) => this.draw(event));
    this.canvas.addEventListener("pointermove", (event) => event.buttons > 0 && this.draw(event));
    window.addEventListener("resize", () => this.show(), { signal: this.gone.signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show(), {
      signal: this.gone.signal,
    });
    const legend = h(
      "ul",
      { class: "legend" },
      h("li", {}, h("span", { class: "swatch input", "aria-hidden": "true" }), "the signal"),
      h("li", {}, h("span", { class: "swatch output", "aria-hidden": "true" }), "filtered"),
    );
    this.element = h(
      "div",
      {},
      h("div", { class: "line" }, labelled("Signal", this.source), this.start, reset),
      this.controls.element,
      this.gains,
      h("figure", {}, this.canvas, h("figcaption", {}, legend, this.summary)),
      this.trouble,
    );
  }

  /** Shows the first blocks; the element is in the page by now. */
  begin(): Promise<void> {
    const observer = new ResizeObserver(() => this.show());
    observer.observe(this.canvas);
    this.gone.signal.addEventListener("abort", () => observer.disconnect());
    return this.redraw();
  }

  private apply(): void {
    const values = this.controls.values(this.signal.rate);
    this.filter.set(values);
    this.gains.textContent = gainWords(values, [50, 100, 500, 1000, 1500, 3000], this.signal.rate);
  }

  private show(): void {
    drawCurves(this.canvas, { input: this.window.input, output: this.window.output, rate: this.signal.rate });
    this.summary.textContent = this.window.words();
  }

  /** Filters so many blocks after those that are in work. */
  private blocks(count: number): Promise<void> {
    this.work = this.work.then(async () => {
      for (let i = 0; i < count; i++) {
        const block = this.signal.next(blockSamples);
        if (block === undefined) return;
        this.window.add(block, await this.filter.next(block));
      }
    });
    return this.work;
  }

  /** After a change: at once with the next frame when running, else a window further. */
  private async redraw(): Promise<void> {
    this.changed = true;
    if (this.running) return;
    await this.step(shownBlocks);
  }

  private async step(count: number): Promise<void> {
    try {
      if (this.changed) this.apply();
      this.changed = false;
      await this.blocks(count);
      this.show();
    } catch (thrown) {
      this.stop();
      this.trouble.replaceChildren(alertBox(messageOf(thrown)));
    }
  }

  private toggle(): void {
    if (this.running) {
      this.stop();
      return;
    }
    this.running = true;
    this.start.textContent = "Stop";
    this.start.setAttribute("aria-pressed", "true");
    const frame = async (): Promise<void> => {
      await this.step(this.source.value === microphoneName ? shownBlocks : 1);
      if (this.running) requestAnimationFrame(() => void frame());
    };
    void frame();
  }

  private async reset(): Promise<void> {
    await this.work;
    this.filter.reset();
    this.window = new Window();
    await this.redraw();
  }

  private async choose(name: string): Promise<void> {
    this.trouble.replaceChildren();
    const sample = generators[name];
    let next: Signal;
    try {
      next =
        name === microphoneName
          ? await microphone()
          : name === drawnName
            ? drawn(this.period)
            : generated(sample ?? (() => 0));
    } catch (thrown) {
      this.trouble.replaceChildren(alertBox(`There is no sound from the microphone: ${messageOf(thrown)}`));
      return;
    }
    await this.work;
    this.signal.stop();
    this.signal = next;
    if (name === drawnName)
      this.trouble.replaceChildren(
        h(
          "p",
          { class: "about" },
          "Draw on the picture, with a mouse, a pen or a finger. A square wave is there to begin with.",
        ),
      );
    this.canvas.classList.toggle("drawable", name === drawnName);
    await this.reset();
  }

  private draw(event: PointerEvent): void {
    if (this.source.value !== drawnName) return;
    const { at, value } = placeOn(this.canvas, event);
    const middle = Math.round(at * (shownSamples - 1));
    const reach = 12;
    for (let i = Math.max(0, middle - reach); i <= Math.min(shownSamples - 1, middle + reach); i++)
      this.period[i] = value;
    void this.redraw();
  }

  private stop(): void {
    this.running = false;
    this.start.textContent = "Start";
    this.start.setAttribute("aria-pressed", "false");
    if (this.source.value !== microphoneName) return;
    this.signal.stop();
    this.source.value = Object.keys(generators)[0] ?? "";
    this.signal = generated(Object.values(generators)[0] ?? (() => 0));
  }

  dispose(): void {
    this.stop();
    this.gone.abort();
    void this.work.finally(() => this.filter.dispose());
  }
}

/** The live filter of a package that is one. */
export async function filterView(kernel: Kernel, roles: FilterRoles, cases: readonly Case[]): Promise<MadeFilter> {
  const [filter, values] = await Promise.all([
    BlockFilter.make(kernel, roles, blockSamples),
    startValues(kernel, roles, cases),
  ]);
  return new LiveFilter(filter, roles, values);
}
