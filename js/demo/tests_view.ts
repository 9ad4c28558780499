// The package's own tests, and their results as they come.
import { runTests, type Kernel, type TestResult } from "../src/index.js";
import { shownNumber } from "../src/report.js";
import { alertBox, h, messageOf, table } from "./dom.js";

const words = { passed: "✓ passed", failed: "✗ failed", skipped: "– skipped" } as const;

function shownError({ status, largestError }: TestResult): string {
  if (status === "skipped" || Number.isNaN(largestError)) return "";
  return largestError === 0 ? "0" : largestError.toExponential(1);
}

/** A button that runs the tests, and a table that fills. */
export function testsView(kernel: Kernel, count: number): HTMLElement {
  const results = h("div");
  const summary = h(
    "p",
    { class: "summary", id: "tests-summary", role: "status" },
    `${count} ${count === 1 ? "case" : "cases"}`,
  );
  const button = h("button", { type: "button", id: "run-tests" }, "Run the tests");
  button.addEventListener("click", () => void run());

  async function run(): Promise<void> {
    const { region, row } = table("Test results", ["Case", "Result", "Variant", "Largest error", "Time"], [3, 4]);
    results.replaceChildren(region);
    button.disabled = true;
    let done = 0;
    const onCase = (result: TestResult): void => {
      const { name, status, variant, problems, milliseconds } = result;
      const outcome = h("span", { class: "outcome" }, words[status]);
      const time = status === "passed" ? `${shownNumber(milliseconds)} ms` : "";
      row([name, outcome, variant ?? "", shownError(result), time], status, problems.join("; "));
      summary.textContent = `${++done} of ${count} …`;
    };
    try {
      const { passed, failed, skipped } = await runTests(kernel, { onCase });
      summary.textContent = `${passed} passed, ${failed} failed, ${skipped} skipped`;
      summary.className = failed > 0 ? "summary bad" : "summary good";
    } catch (thrown) {
      summary.textContent = "not finished";
      results.append(alertBox(messageOf(thrown)));
    } finally {
      button.disabled = false;
    }
  }

  return h("div", {}, h("div", { class: "line" }, button, summary), results);
}
