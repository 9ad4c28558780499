// The page of demo/ in headless Chromium: with WebGPU on SwiftShader, and without WebGPU.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser, chromium, withWebGpu, type Page, type PageOptions } from "./chromium.js";
import { packageFolders, testPackage } from "./packages.js";
import { picture, pixelsOf } from "./png.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const site = join(root, "site");
const missing =
  chromium === undefined
    ? "there is no Chromium"
    : existsSync(join(site, "packages.json"))
      ? false
      : "site/ is not there: npm run build:demo makes it";

// A suite that is skipped says nothing, and counts for nothing.
if (missing !== false) test("the page of demo/", { skip: missing }, () => {});

interface Serving {
  fileServer(folder: string): Server;
}

let server: Server;
let address = "";

async function serve(): Promise<void> {
  const { fileServer } = (await import(pathToFileURL(join(root, "demo/serve.mjs")).href)) as Serving;
  server = fileServer(site);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

before(async () => {
  if (missing === false) await serve();
});
after(() => {
  if (missing !== false) return;
  server.closeAllConnections();
  server.close();
});

const loaded = `document.querySelector("#card-title") && !/Choose|Loading/.test(document.querySelector("#filter").textContent)`;
const textOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);

/** Colours of the page's style, by their names there. */
const colour = (page: Page, name: string): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue("${name}").trim()`);

async function pixels(page: Page, selector: string, name: string): Promise<number> {
  return pixelsOf(picture(await page.screenshot(await page.box(selector))), await colour(page, name));
}

describe("the page with WebGPU", { skip: missing, concurrency: false }, () => {
  let browser: Browser;
  let gpu = true;
  before(async () => {
    // The microphone is one that beeps, and nobody is asked for it.
    const microphone = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
    browser = Browser.launch([...withWebGpu, ...microphone]);
    const page = await browser.page(address);
    gpu = await page.evaluate<boolean>(`navigator.gpu?.requestAdapter().then((adapter) => adapter !== null) ?? false`);
    await page.close();
  });
  after(() => browser.close());

  /** Opens a package, does something with it, and holds that the console stayed empty. */
  async function on(name: string, options: PageOptions, work: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.page(`${address}?package=packages/${name}`, options);
    try {
      await page.until(loaded);
      await work(page);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.close();
    }
  }

  const click = (page: Page, selector: string): Promise<void> =>
    page.evaluate<void>(`document.querySelector(${JSON.stringify(selector)}).click()`);

  for (const { name } of packageFolders)
    test(`${name} passes its tests`, async (context) => {
      if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
      await on(name, {}, async (page) => {
        await click(page, "#run-tests");
        await page.until(`/passed/.test(document.querySelector("#tests-summary").textContent)`, 240_000);
        const summary = await textOf(page, "#tests-summary");
        assert.match(summary, /^\d+ passed, 0 failed, \d+ skipped$/, await textOf(page, "#tests"));
        assert.doesNotMatch(summary, /^0 passed, 0 failed, 0/);
        const rows = await page.evaluate<number>(`document.querySelectorAll("#tests tbody tr.passed").length`);
        assert.equal(`${rows}`, summary.split(" ")[0]);
        assert.equal(await page.evaluate<number>(`document.querySelectorAll("#tests tbody tr.failed").length`), 0);
      });
    });

  test("a case that is wrong is shown as failed", async (context) => {
    if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
    // What the page fetches is changed on its way, digest and all.
    const change = `const real = fetch; globalThis.fetch = async (url, ...more) => {
      const response = await real(url, ...more);
      if (!/(metadata|test).json$/.test(url)) return response;
      const wrong = (await (await real(String(url).replace("metadata", "test"))).text()).replace("[0, 1, 2,", "[0, 1, 3,");
      if (String(url).endsWith("test.json")) return new Response(wrong);
      const metadata = await response.json();
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(wrong)));
      metadata.digest.files["test.json"] = btoa(String.fromCharCode(...digest));
      return new Response(JSON.stringify(metadata));
    };`;
    await on("count-up", { before: change }, async (page) => {
      await click(page, "#run-tests");
      await page.until(`/passed/.test(document.querySelector("#tests-summary").textContent)`);
      assert.equal(await textOf(page, "#tests-summary"), "1 passed, 1 failed, 0 skipped");
      assert.match(await textOf(page, "#tests tr.failed.note"), /y\[2\] is 2, not 3/);
    });
  });

  for (const [dark, width] of [
    [false, 1280],
    [true, 390],
  ] as const)
    test(`benchmarks are drawn, ${dark ? "dark" : "light"}, ${width} pixels wide`, async (context) => {
      if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
      await on("prefix-sum", { dark, width, phone: width < 500 }, async (page) => {
        await page.evaluate<void>(`document.querySelector("#bench select").value = "0.1"`);
        await click(page, "#run-bench");
        await page.until(`/^done/.test(document.querySelector("#bench-summary").textContent)`, 240_000);
        assert.equal(await page.evaluate<number>(`document.querySelectorAll("#bench tbody tr.measured").length`), 10);
        // Two numbers of channels, five numbers of steps each.
        assert.equal(await page.evaluate<number>(`document.querySelectorAll(".chart .dot").length`), 10);
        assert.equal(await page.evaluate<number>(`document.querySelectorAll(".chart path.line").length`), 2);
        const lines = await page.evaluate<string[]>(
          `[...document.querySelectorAll(".chart path.line")].map((path) => path.getAttribute("d"))`,
        );
        for (const line of lines) assert.match(line, /^M[\d. ]+(L[\d. ]+){4}$/);
        const chart = await textOf(page, "#chart");
        for (const words of [/steps/, /throughput in GB\/s/, /channels 1\b/, /channels 16/, /64 Ki/])
          assert.match(chart, words);
        for (const name of ["--series-0", "--series-1"])
          assert.ok((await pixels(page, ".chart", name)) > 150, `${name} is drawn`);
        await click(page, "#logarithmic");
        assert.notDeepEqual(
          await page.evaluate<string[]>(
            `[...document.querySelectorAll(".chart path.line")].map((path) => path.getAttribute("d"))`,
          ),
          lines,
        );
        assert.ok(
          (await page.evaluate<number>(`document.documentElement.scrollWidth`)) <= width,
          "no sideways scrolling",
        );
      });
    });

  test("cases that differ in too much for lines are points with labels apart", async () => {
    const page = await browser.page(`${address}?package=packages/count-up`);
    await page.until(loaded);
    const labels = await page.evaluate<
      { text: string; x: number; y: number; width: number; height: number }[]
    >(`(async () => {
      const [{ chart }, { chartData }] = await Promise.all([import("/demo/chart.js"), import("/demo/chart_data.js")]);
      const times = (speed) => ({ median: 1, min: 1, spread: 0, samples: 3, repeat: 1, gigabytesPerSecond: speed });
      const cases = [[65536, 1024, 0.15], [1024, 65536, 0.53], [1048576, 64, 0.12], [2097152, 32, 0.25], [65536, 255, 0.083], [16777216, 1, 0.02],
        [4096, 1024, 0.01], [1048576, 1, 0.0065], [100000, 16, 0.0074], [16384, 33, 0.0065], [4096, 256, 0.0097]];
      const data = chartData(cases.map(([steps, dim, speed]) => ({ at: { steps, dim }, kernel: times(speed), copy: times(0.7) })));
      const figure = document.createElement("figure");
      document.querySelector("#bench").replaceChildren(figure);
      figure.append(chart(data, true, figure.clientWidth));
      return [...figure.querySelectorAll("text")].filter((each) => each.textContent.startsWith("dim")).map((each) => {
        const { x, y, width, height } = each.getBBox();
        return { text: each.textContent, x, y, width, height };
      });
    })()`);
    assert.equal(labels.length, 11);
    assert.ok(labels.some(({ text }) => text === "dim 64 Ki"));
    for (const [i, a] of labels.entries())
      for (const b of labels.slice(0, i))
        assert.ok(
          a.x + a.width <= b.x || b.x + b.width <= a.x || Math.abs(a.y - b.y) >= 10,
          `${a.text} covers ${b.text}`,
        );
    assert.equal(await page.evaluate<number>(`document.querySelectorAll(".chart .ring").length`), 11);
    assert.equal(await page.evaluate<number>(`document.querySelectorAll(".chart path").length`), 0);
    await page.close();
  });

  // The one that is written by hand, and the one that pawl exports, where it is there.
  for (const name of ["biquad-rows", "biquad"].filter((each) => packageFolders.some((folder) => folder.name === each)))
    test(`a live signal is filtered by ${name} and drawn`, async (context) => {
      if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
      await on(name, {}, async (page) => {
        const block = `Number(/Block (\\d+)/.exec(document.querySelector("#filter-summary").textContent)?.[1])`;
        await page.until(`${block} === 4`);
        const inputs = await pixels(page, "#curves", "--input-curve");
        const outputs = await pixels(page, "#curves", "--output-curve");
        assert.ok(inputs > 500 && outputs > 500, `${inputs} and ${outputs} pixels of the curves`);
        assert.match(await textOf(page, "#filter-gains"), /1.5\skHz\s−30.\d\sdB/);
        await click(page, "#filter-start");
        await page.until(`${block} >= 12`);
        await click(page, "#filter-start");
        assert.equal(await textOf(page, "#filter-start"), "Start");
        // Of tones of 0.6 at 100 Hz and of 0.3 at 1500 Hz, a low-pass at 300 Hz leaves the first: −0.97 dB less 0.05.
        const settled = `/−1.0 dB|−1.1 dB/.test(document.querySelector("#filter-summary").textContent)`;
        await page.until(settled);
        // A high-pass takes the first away and leaves the second: 20 log(0.3 / √0.45) = −7 dB.
        const blocks = await page.evaluate<number>(block);
        await page.evaluate<void>(
          `{ const kind = document.querySelectorAll("#filter select")[1]; kind.value = "high-pass"; kind.dispatchEvent(new Event("change")); }`,
        );
        await page.until(`${block} >= ${blocks + 4}`);
        await page.evaluate<void>(
          `{ const sliders = document.querySelectorAll("#filter input[type=range]"); sliders[0].value = Math.log(800); sliders[0].dispatchEvent(new Event("input")); }`,
        );
        await page.until(`${block} >= ${blocks + 8}`);
        assert.match(await textOf(page, "#filter-summary"), /−[67].\d dB/);
        assert.match(await textOf(page, "#filter"), /Frequency 8\d\d\sHz/);
      });
    });

  test("a signal that is drawn by hand", async (context) => {
    if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
    await on("biquad-rows", {}, async (page) => {
      await page.evaluate<void>(
        `{ const signal = document.querySelector("#filter select"); signal.value = "one that I draw"; signal.dispatchEvent(new Event("change")); }`,
      );
      await page.until(
        `document.querySelector("#curves.drawable") && /Block 4:/.test(document.querySelector("#filter-summary").textContent)`,
      );
      const before = await textOf(page, "#filter-summary");
      const { x, y, width } = await page.box("#curves");
      await page.mouse("mousePressed", x + 60, y + 20);
      for (let at = 60; at < width - 20; at += 5) await page.mouse("mouseMoved", x + at, y + 20);
      await page.mouse("mouseReleased", x + width - 20, y + 20);
      await page.until(`document.querySelector("#filter-summary").textContent !== ${JSON.stringify(before)}`);
      await page.until(`Number(/: ([\\d.]+) in/.exec(document.querySelector("#filter-summary").textContent)[1]) > 0.8`);
    });
  });

  test("the microphone is filtered", async (context) => {
    if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
    await on("biquad-rows", {}, async (page) => {
      await page.evaluate<void>(
        `{ const signal = document.querySelector("#filter select"); signal.value = "the microphone"; signal.dispatchEvent(new Event("change")); }`,
      );
      await click(page, "#filter-start");
      const loud = `Number(/: ([\\d.]+) in/.exec(document.querySelector("#filter-summary").textContent)?.[1]) > 0.01`;
      await page.until(`Number(/Block (\\d+)/.exec(document.querySelector("#filter-summary").textContent)?.[1]) > 20`);
      await page.until(loud);
      await click(page, "#filter-start");
      assert.equal(await textOf(page, "#filter [role=alert]"), "");
      await page.until(`document.querySelector("#filter select").value !== "the microphone"`);
    });
  });

  test("a folder that is dropped", async (context) => {
    if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
    await on("count-up", {}, async (page) => {
      const { x, y } = await page.box(".drop");
      await page.drop([testPackage("embedding")], x + 20, y + 10);
      await page.until(
        `document.querySelector("#card-title")?.textContent === "test.pawl.Embedding" && document.querySelector("#run-tests")`,
      );
      await click(page, "#run-tests");
      await page.until(`/3 passed, 0 failed/.test(document.querySelector("#tests-summary").textContent)`);
      assert.match(await textOf(page, "#card"), /this machine\/embedding\/build\/webgpu/);
      assert.match(await textOf(page, "#card"), /table\s+input, has a value\s+float32\s+rank 2/);
    });
  });

  test("a package from files of this machine", async (context) => {
    if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
    await on("count-up", {}, async (page) => {
      await page.evaluate<void>(`(async () => {
        const files = new DataTransfer();
        for (const name of ["metadata.json", "manifest.json", "two.wgsl.jinja", "sum.wgsl.jinja", "combine.wgsl.jinja", "test.json"]) {
          const response = await fetch("packages/column-mean/build/webgpu/" + name);
          if (response.ok) files.items.add(new File([await response.blob()], name));
        }
        const field = document.querySelector("input[type=file]");
        field.files = files.files;
        field.dispatchEvent(new Event("change"));
      })()`);
      await page.until(
        `document.querySelector("#card-title")?.textContent === "test.pawl.ColumnMean" && document.querySelector("#run-tests")`,
      );
      assert.match(await textOf(page, "#card"), /this machine/);
      assert.match(await textOf(page, "#filter"), /is no filter/);
      assert.match(await textOf(page, "#bench"), /no benchmarks/);
      page.complaints.length = 0; // One of the names above is not there.
    });
  });

  test("a package that is wrong is said to be", async () => {
    const page = await browser.page(`${address}?package=packages/nothing`);
    await page.until(`document.querySelector("#card [role=alert]")`);
    assert.match(await textOf(page, "#card"), /there is no metadata.json/);
    await page.close();
  });

  test("everything can be reached by keys, and has a name", async (context) => {
    if (!gpu) return context.skip("this Chromium has no WebGPU adapter");
    await on("biquad-rows", { width: 390, height: 844, phone: true }, async (page) => {
      const controls = await page.controls();
      assert.ok(controls.length > 12);
      assert.deepEqual(
        controls.filter(({ name }) => name.trim() === ""),
        [],
      );
      const bare = `[...document.querySelectorAll("input, select")].filter((control) => control.labels.length === 0).length`;
      assert.equal(await page.evaluate<number>(bare), 0, "every control has a label");
      const roles = new Set(controls.map(({ role }) => role));
      for (const role of ["button", "combobox", "slider", "image", "textbox", "link"]) assert.ok(roles.has(role), role);
      const reached = new Set<string>();
      for (let i = 0; i < 40; i++) {
        await page.press("Tab", 9);
        reached.add(await page.evaluate<string>(`document.activeElement.id || document.activeElement.tagName`));
      }
      for (const id of ["filter-start", "run-tests", "run-bench", "logarithmic"])
        assert.ok(reached.has(id), `${id} of ${[...reached].join(", ")}`);
      await page.evaluate<void>(`document.querySelector("#run-tests").focus()`);
      assert.match(await page.evaluate<string>(`getComputedStyle(document.activeElement).outlineStyle`), /solid/);
      await page.press("Enter", 13);
      await page.until(`/2 passed, 0 failed/.test(document.querySelector("#tests-summary").textContent)`);
      assert.ok((await page.evaluate<number>(`document.documentElement.scrollWidth`)) <= 390, "no sideways scrolling");
    });
  });
});

/** Luminance contrast of two colours, after WCAG 2. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
      const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

describe("the page without WebGPU", { skip: missing, concurrency: false }, () => {
  let browser: Browser;
  before(() => {
    browser = Browser.launch(["--disable-features=WebGPUService,WebGPU", "--disable-gpu"]);
  });
  after(() => browser.close());

  for (const [what, before, words] of [
    [
      "navigator.gpu is missing",
      "delete Navigator.prototype.gpu;",
      /navigator.gpu is missing[^]*Chrome and Edge have it/,
    ],
    [
      "there is no adapter",
      "GPU.prototype.requestAdapter = async () => null;",
      /found no graphics adapter[^]*hardware acceleration/,
    ],
    [
      "the device is refused",
      "GPUAdapter.prototype.requestDevice = async () => { throw new Error('not today'); }; GPU.prototype.requestAdapter = async () => Object.create(GPUAdapter.prototype, { features: { value: new Set() }, limits: { value: {} } });",
      /gives no device: .*not today/,
    ],
  ] as const)
    test(`${what}: the page says so, and what to do`, async () => {
      const page = await browser.page(address, { before, width: 390, height: 844, phone: true });
      await page.until(`document.querySelector("#missing") && document.querySelector("#card-title")`);
      assert.match(await textOf(page, "#missing"), words);
      assert.equal(await textOf(page, "#device"), "No WebGPU");
      for (const place of ["#tests", "#bench", "#filter"]) assert.match(await textOf(page, place), /needs WebGPU/);
      assert.match(await textOf(page, "#card"), /revision/);
      assert.ok((await page.evaluate<number>(`document.documentElement.scrollWidth`)) <= 390, "no sideways scrolling");
      assert.deepEqual(page.complaints, []);
      await page.close();
    });

  for (const dark of [false, true])
    test(`colours can be told apart, ${dark ? "dark" : "light"}`, async () => {
      const page = await browser.page(address, { dark });
      await page.until(`document.querySelector("#card-title")`);
      const panel = await colour(page, "--panel");
      const ground = await colour(page, "--ground");
      for (const name of ["--text", "--muted", "--accent", "--good", "--bad"])
        for (const behind of [panel, ground])
          assert.ok(contrast(await colour(page, name), behind) >= 4.5, `${name} on ${behind}`);
      assert.ok(contrast(await colour(page, "--accent"), await colour(page, "--on-accent")) >= 4.5);
      for (const name of ["--series-0", "--series-1", "--series-2", "--series-3", "--output-curve", "--input-curve"])
        assert.ok(contrast(await colour(page, name), panel) >= 3, name);
      await page.close();
    });
});
