import { expect, test } from "vitest";
import { SandboxChild } from "./child";

test("returns every line that a child prints, including the last one without a newline", async () => {
  const lines: string[] = [];
  const print = `process.stdout.write("first\\nlast"); setTimeout(() => process.stderr.write("error without an end"), 50);`;
  const child = new SandboxChild({
    command: process.execPath,
    args: ["-e", print],
    mark: `millrace-test-${process.pid}`,
    env: process.env,
    onLine: (line) => lines.push(line),
    signal: new AbortController().signal,
  });
  await child.ended;
  // Its two streams end in either order.
  await expect.poll(() => lines.toSorted()).toEqual(["error without an end", "first", "last"]);
});
