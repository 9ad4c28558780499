// Headless Chromium, driven through the DevTools protocol over a pair of pipes.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** Flags with which a page has WebGPU, on a driver that needs no GPU. */
export const withWebGpu = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly phone?: boolean;
  /** Runs in the page before its own scripts. */
  readonly before?: string;
}

/** A rectangle in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Browser {
  private next = 1;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly listeners = new Set<(message: Message) => void>();
  private rest = "";

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
    private readonly ended: Promise<void>,
  ) {
    const output = child.stdio[4] as Readable;
    output.setEncoding("utf8");
    output.on("data", (text: string) => this.read(text));
  }

  static launch(flags: readonly string[]): Browser {
    const profile = mkdtempSync(join(tmpdir(), "pawl-chromium-"));
    const child = spawn(
      chromium ?? "",
      [
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--remote-debugging-pipe",
        `--user-data-dir=${profile}`,
        ...flags,
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, TMPDIR: profile } },
    );
    const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
    return new Browser(child, profile, ended);
  }

  private read(text: string): void {
    const parts = (this.rest + text).split("\0");
    this.rest = parts.pop() ?? "";
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      if (message.id === undefined) for (const listener of this.listeners) listener(message);
      else {
        this.waiting.get(message.id)?.(message);
        this.waiting.delete(message.id);
      }
    }
  }

  async send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const id = this.next++;
    const answered = new Promise<Message>((resolve, reject) => {
      this.waiting.set(id, resolve);
      void this.ended.then(() => reject(new Error("Chromium ended")));
    });
    (this.child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  /** A new page with what it complains about from its beginning on. */
  async page(url: string, options: PageOptions = {}): Promise<Page> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, String(sessionId), String(targetId));
    this.listeners.add((message) => {
      if (message.sessionId === sessionId) page.hear(message.method ?? "", message.params ?? {});
    });
    await page.open(url, options);
    return page;
  }

  async close(): Promise<void> {
    await this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
    await this.ended;
    clearTimeout(timer);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Page {
  /** Errors and warnings in the console, exceptions, and requests that failed. */
  readonly complaints: string[] = [];

  constructor(
    private readonly browser: Browser,
    private readonly session: string,
    private readonly target: string,
  ) {}

  private send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.browser.send(method, params, this.session);
  }

  hear(method: string, params: Record<string, unknown>): void {
    const text = JSON.stringify(params);
    if (method === "Runtime.exceptionThrown") this.complaints.push(text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(String(params["type"])))
      this.complaints.push(text);
    const entry = params["entry"] as { level?: string } | undefined;
    if (method === "Log.entryAdded" && entry?.level === "error") this.complaints.push(text);
  }

  async open(
    url: string,
    { width = 1280, height = 900, dark = false, phone = false, before }: PageOptions,
  ): Promise<void> {
    for (const domain of ["Page", "Runtime", "Log"]) await this.send(`${domain}.enable`);
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: phone });
    await this.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
    });
    if (before !== undefined) await this.send("Page.addScriptToEvaluateOnNewDocument", { source: before });
    await this.send("Page.navigate", { url });
  }

  /** The value of an expression in the page, awaited. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    const thrown = answer["exceptionDetails"] as { exception?: { description?: string }; text?: string } | undefined;
    if (thrown !== undefined) throw new Error(`${expression}: ${thrown.exception?.description ?? thrown.text}`);
    return (answer["result"] as { value: T }).value;
  }

  /** Waits until an expression is true. */
  async until(expression: string, milliseconds = 30_000): Promise<void> {
    const end = Date.now() + milliseconds;
    for (;;) {
      if (await this.evaluate<boolean>(`Boolean(${expression})`).catch(() => false)) return;
      if (Date.now() > end)
        throw new Error(`in ${milliseconds} ms it did not become true: ${expression}; ${this.complaints.join("; ")}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  async press(key: string, code: number): Promise<void> {
    for (const type of ["keyDown", "keyUp"])
      await this.send("Input.dispatchKeyEvent", {
        type,
        key,
        code: key,
        windowsVirtualKeyCode: code,
        ...(key === "Enter" ? { text: "\r" } : {}),
      });
  }

  async mouse(type: "mousePressed" | "mouseMoved" | "mouseReleased", x: number, y: number): Promise<void> {
    await this.send("Input.dispatchMouseEvent", {
      type,
      x,
      y,
      button: "left",
      buttons: type === "mouseReleased" ? 0 : 1,
      clickCount: 1,
    });
  }

  /** Drops files or folders of this machine on a place of the page. */
  async drop(paths: readonly string[], x: number, y: number): Promise<void> {
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"])
      await this.send("Input.dispatchDragEvent", { type, x, y, data });
  }

  /** Where an element is on the whole page. */
  box(selector: string): Promise<Box> {
    return this.evaluate<Box>(
      `(() => { const r = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height }; })()`,
    );
  }

  /** A picture of the page, or of a part of it, as PNG. */
  async screenshot(box?: Box): Promise<Buffer> {
    const clip = box === undefined ? {} : { clip: { ...box, scale: 1 } };
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, ...clip });
    return Buffer.from(String(data), "base64");
  }

  /** Names and roles of all controls, as a reader of the screen gets them. */
  async controls(): Promise<{ role: string; name: string }[]> {
    const { nodes } = (await this.send("Accessibility.getFullAXTree")) as {
      nodes: { ignored: boolean; role?: { value: string }; name?: { value: string } }[];
    };
    const roles = ["button", "link", "textbox", "combobox", "slider", "checkbox", "image", "region"];
    return nodes
      .filter(({ ignored, role }) => !ignored && roles.includes(role?.value ?? ""))
      .map(({ role, name }) => ({ role: role?.value ?? "", name: name?.value ?? "" }));
  }

  async close(): Promise<void> {
    await this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
