#!/usr/bin/env node
import { parseArgs } from "node:util";
import { runBenchmarks, deviceName } from "./bench.js";
import { neededFile, readBenchmarks } from "./cases.js";
import { releaseSharedDevices } from "./device.js";
import { KernelError, messageOf } from "./errors.js";
import { getKernel, type Kernel } from "./kernel.js";
import { nodeGpu } from "./node_gpu.js";
import { benchTable, oneLine, testLine } from "./report.js";
import { runTests } from "./tests.js";

const usage = `usage: pawl-kernels test PACKAGE… [--only TEXT] [--json]
       pawl-kernels bench PACKAGE… [--only TEXT] [--seconds N] [--json]

PACKAGE is a folder or a URL. test runs the cases of its test.json, bench times those of its bench.json.
  --only TEXT    only cases with this in their names
  --seconds N    about how long a case is measured; 0.5 when left out
  --json         the results as JSON, one line for each package
It ends with 0 when all is well, 1 when a case failed, 2 when it was called wrongly or a package cannot be read.`;

/** A command line that cannot be meant. */
class UsageError extends Error {}

interface Settings {
  readonly only: string | undefined;
  readonly seconds: number | undefined;
  readonly json: boolean;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function test(kernel: Kernel, { only, json }: Settings): Promise<boolean> {
  const report = await runTests(kernel, { only, onCase: (result) => json || print(testLine(result)) });
  if (report.results.length === 0)
    throw new UsageError(`${kernel.metadata.name} has no case with "${only}" in its name`);
  const { passed, failed, skipped } = report;
  print(
    json
      ? JSON.stringify({ device: deviceName(kernel.device), ...report })
      : `${passed} passed, ${failed} failed, ${skipped} skipped`,
  );
  return failed === 0;
}

async function bench(kernel: Kernel, { only, seconds, json }: Settings): Promise<boolean> {
  const names = readBenchmarks(await neededFile(kernel, "bench.json")).map(({ name }) => name);
  const table = benchTable(names.filter((name) => only === undefined || name.includes(only)));
  if (!json) print(table.head);
  const report = await runBenchmarks(kernel, { only, seconds, onCase: (result) => json || print(table.line(result)) });
  if (report.results.length === 0)
    throw new UsageError(`${kernel.metadata.name} has no case with "${only}" in its name`);
  if (json) print(JSON.stringify(report));
  else
    print(
      `by ${report.clock === "timestamp" ? "the device's clock" : "wall time, as the device has no clock of its own"}`,
    );
  return report.results.every(({ status }) => status !== "failed");
}

const commands = { test, bench } as const;

function parsed(
  args: readonly string[],
): { command: keyof typeof commands; packages: string[]; settings: Settings } | undefined {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const options = { only: text, seconds: text, json: flag, help: { ...flag, short: "h" } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help === true) return undefined;
  const [command = "", ...packages] = positionals;
  if (!Object.hasOwn(commands, command))
    throw new UsageError(command === "" ? "a command is missing" : `there is no command "${command}"`);
  if (packages.length === 0) throw new UsageError(`${command} needs a package`);
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
  if (seconds !== undefined && !(seconds > 0 && seconds < 3600))
    throw new UsageError(`--seconds takes a number from 0 to 3600, not ${values.seconds}`);
  if (seconds !== undefined && command !== "bench") throw new UsageError("--seconds belongs to bench");
  return {
    command: command as keyof typeof commands,
    packages,
    settings: { only: values.only, seconds, json: values.json === true },
  };
}

async function run(args: readonly string[]): Promise<number> {
  const asked = parsed(args);
  if (asked === undefined) {
    print(usage);
    return 0;
  }
  const { command, packages, settings } = asked;
  const gpu = await nodeGpu();
  let good = true;
  for (const location of packages) {
    const kernel = await getKernel(location, { gpu });
    if (!settings.json) print(`${kernel.metadata.name} on ${deviceName(kernel.device)}`);
    good = (await commands[command](kernel, settings)) && good;
    kernel.dispose();
  }
  return good ? 0 : 1;
}

async function main(): Promise<number> {
  try {
    return await run(process.argv.slice(2));
  } catch (thrown) {
    const known = thrown instanceof KernelError || thrown instanceof UsageError || thrown instanceof TypeError;
    process.stderr.write(
      `error: ${oneLine(messageOf(thrown))}${thrown instanceof UsageError ? " (--help says more)" : ""}\n`,
    );
    if (!known && thrown instanceof Error) process.stderr.write(`${thrown.stack}\n`);
    return 2;
  }
}

const status = await main();
await releaseSharedDevices().catch(() => {});
process.exit(status); // Dawn keeps the process running, or ends it, when its objects are left to be collected.
