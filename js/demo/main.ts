// The page: picks a package, and shows its card, tests, benchmarks, and the filter that it may be.
import { readBenchmarks, readTests, type Case } from "../src/cases.js";
import { getKernel, loadPackage, type Kernel, type KernelPackage } from "../src/index.js";
import { benchView } from "./bench_view.js";
import { card } from "./card.js";
import { alertBox, byId, h, messageOf } from "./dom.js";
import { filterRoles } from "./filter_roles.js";
import { filterView, type MadeFilter } from "./filter_view.js";
import { picker, type Listed, type Picked } from "./picker.js";
import { support, type Missing, type Support } from "./support.js";
import { testsView } from "./tests_view.js";

const places = { card: byId("card"), tests: byId("tests"), bench: byId("bench"), filter: byId("filter") };

function say(place: HTMLElement, text: string): void {
  place.replaceChildren(h("p", { class: "about" }, text));
}

async function listed(): Promise<Listed[]> {
  try {
    const response = await fetch("packages.json");
    return response.ok ? ((await response.json()) as Listed[]) : [];
  } catch {
    return [];
  }
}

function notice({ what, advice }: Missing): HTMLElement {
  return h(
    "div",
    { class: "notice bad", role: "alert", id: "missing" },
    h("h2", {}, "Kernels cannot run here"),
    h("p", {}, what),
    h("ul", {}, ...advice.map((text) => h("li", {}, text))),
    h("p", {}, "Packages can still be looked at below."),
  );
}

class Page {
  private kernel: Kernel | undefined;
  private filter: MadeFilter | undefined;
  private loading = 0;

  constructor(private readonly found: Support) {}

  async load({ location }: Picked): Promise<void> {
    const turn = ++this.loading;
    this.clear();
    say(places.card, "Loading …");
    try {
      const loaded = await loadPackage(location);
      const kernel = "device" in this.found ? await getKernel(location, { device: this.found.device }) : undefined;
      if (turn !== this.loading) return;
      this.kernel = kernel;
      await this.show(loaded, kernel);
    } catch (thrown) {
      if (turn === this.loading) places.card.replaceChildren(alertBox(messageOf(thrown)));
    }
  }

  private clear(): void {
    this.filter?.dispose();
    this.filter = undefined;
    this.kernel?.dispose();
    this.kernel = undefined;
    for (const place of Object.values(places)) say(place, "Choose a package above.");
  }

  private async show(loaded: KernelPackage, kernel: Kernel | undefined): Promise<void> {
    const [tests, benchmarks] = await Promise.all([loaded.file("test.json"), loaded.file("bench.json")]);
    const cases = tests === undefined ? [] : readTests(tests).cases;
    places.card.replaceChildren(card(loaded, kernel, cases));
    document.title = `${loaded.metadata.name} · pawl kernels`;
    if (kernel === undefined) {
      for (const place of [places.tests, places.bench, places.filter]) say(place, "This needs WebGPU; see above.");
      return;
    }
    if (tests === undefined) say(places.tests, "The package brings no tests (test.json).");
    else places.tests.replaceChildren(testsView(kernel, cases.length));
    if (benchmarks === undefined) say(places.bench, "The package brings no benchmarks (bench.json).");
    else places.bench.replaceChildren(benchView(kernel, readBenchmarks(benchmarks).length));
    await this.showFilter(kernel, cases).catch((thrown: unknown) => {
      places.filter.replaceChildren(alertBox(messageOf(thrown)));
    });
  }

  private async showFilter(kernel: Kernel, cases: readonly Case[]): Promise<void> {
    const roles = filterRoles(kernel, cases);
    if (roles === undefined) {
      say(
        places.filter,
        "This package is no filter: a filter takes a signal with a row for each sample, gives one like it, and hands on its states. Try one with “biquad” in its name.",
      );
      return;
    }
    const made = await filterView(kernel, roles, cases);
    if (this.kernel !== kernel) return made.dispose();
    this.filter = made;
    places.filter.replaceChildren(made.element);
    await made.begin();
  }
}

async function main(): Promise<void> {
  const [found, packages] = await Promise.all([support(), listed()]);
  const status = byId("device");
  status.textContent = "name" in found ? `Runs on ${found.name}` : "No WebGPU";
  status.classList.add("name" in found ? "good" : "bad");
  if ("missing" in found) byId("notice").replaceChildren(notice(found.missing));
  const page = new Page(found);
  const pick = (picked: Picked): void => {
    const url = new URL(location.href);
    if (picked.address === undefined) url.searchParams.delete("package");
    else url.searchParams.set("package", picked.address);
    history.replaceState(null, "", url);
    controls.show(picked.address);
    void page.load(picked);
  };
  const controls = picker(packages, pick);
  byId("picker").replaceChildren(controls.element);
  const address = new URL(location.href).searchParams.get("package") ?? packages[0]?.path;
  if (address === undefined) for (const place of Object.values(places)) say(place, "Choose a package above.");
  else pick({ location: address, address });
}

main().catch((thrown: unknown) =>
  byId("notice").replaceChildren(alertBox(`This page cannot start: ${messageOf(thrown)}`)),
);
