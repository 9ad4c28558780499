// The loader in a page: headless Chromium, with WebGPU on SwiftShader.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { test } from "node:test";

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const root = new URL("../../", import.meta.url);

const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "@huggingface/jinja": "/node_modules/@huggingface/jinja/dist/index.js" } }</script>
<script type="module">
import { getKernel } from "./out/src/index.js";
async function run() {
  if (navigator.gpu === undefined) return { skip: "this Chromium has no WebGPU" };
  if (await navigator.gpu.requestAdapter() === null) return { skip: "this Chromium has no WebGPU adapter" };
  const scan = await getKernel("test/packages/prefix-sum", { version: 1 });
  const inputs = { initial_state: { data: Float32Array.of(10), shape: [1] }, scan_input: { data: Float32Array.of(1, 2, 3), shape: [3, 1] } };
  const { final_state, scan_output } = await scan(inputs, { attrs: { reverse: 1 } });
  const means = await getKernel(new URL("test/packages/column-mean/", document.baseURI));
  const { mean } = await means({ x: { data: Float32Array.of(1, 2, 3, 4, 5, 9), shape: [3, 2] } });
  const missing = await getKernel("test/packages/nothing").catch(({ code }) => code);
  return { location: scan.location, last: [...final_state.data], sums: [...scan_output.data], shape: scan_output.shape, mean: [...mean.data], missing };
}
const result = await run().catch((thrown) => ({ error: String(thrown?.stack ?? thrown) }));
await fetch("/result", { method: "POST", body: JSON.stringify(result) });
</script>`;

const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".json": "application/json" };

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Opens the page in Chromium, and waits for what it sends back. */
async function resultOfPage(browser: string, milliseconds: number): Promise<Record<string, unknown>> {
  let settle: (text: string) => void = () => {};
  const sent = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    if (request.method === "POST")
      void bodyOf(request).then((text) => {
        response.end();
        settle(text);
      });
    else if (path === "/") response.setHeader("content-type", "text/html").end(page);
    else if (path.includes("..") || !existsSync(new URL(`.${path}`, root))) response.writeHead(404).end();
    else
      response
        .setHeader("content-type", types[extname(path)] ?? "text/plain")
        .end(readFileSync(new URL(`.${path}`, root)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "pawl-chromium-"));
  const { port } = server.address() as AddressInfo;
  const child = spawn(
    browser,
    [
      "--headless=new",
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--enable-unsafe-webgpu",
      "--use-webgpu-adapter=swiftshader",
      `--user-data-dir=${profile}`,
      `http://127.0.0.1:${port}/`,
    ],
    { stdio: "ignore", env: { ...process.env, TMPDIR: profile } },
  );
  const ended = new Promise<void>((resolve) =>
    child.on("exit", () => {
      settle('{"error":"Chromium ended"}');
      resolve();
    }),
  );
  const timer = setTimeout(() => settle('{"error":"no answer in time"}'), milliseconds);
  const text = await sent;
  clearTimeout(timer);
  child.kill();
  await ended;
  server.closeAllConnections();
  server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  return JSON.parse(text) as Record<string, unknown>;
}

test("kernels run in a page", { skip: chromium === undefined ? "there is no Chromium" : false }, async (context) => {
  const { skip, ...result } = await resultOfPage(chromium ?? "", 60_000);
  if (skip !== undefined) return context.skip(String(skip));
  assert.match(String(result["location"]), /^http:.*\/test\/packages\/prefix-sum\/build\/webgpu\/$/);
  assert.deepEqual(
    { ...result, location: "" },
    { location: "", last: [16], sums: [16, 15, 13], shape: [3, 1], mean: [3, 5], missing: "not_found" },
  );
});
