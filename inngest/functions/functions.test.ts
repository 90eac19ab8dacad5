import { describe, expect, it } from "vitest";
import { readFunction } from "@/lib/platform/jobs/functions";
import { scenarios } from "@/test/jobs/scenarios";
import { functions } from ".";

/** The SDK does not export this type. */
type Declaring = { getConfig: (to: { baseUrl: URL; appPrefix: string }) => { id: string }[] };

/** Returns the functions as the SDK declares them to a runner, over JSON. */
function declared(all: typeof functions): { id: string }[] {
  const to = { baseUrl: new URL("http://localhost/api/inngest"), appPrefix: "millrace" };
  return JSON.parse(JSON.stringify((all as unknown as Declaring[]).flatMap((one) => one.getConfig(to))));
}

describe("every function of the product", () => {
  it("runs on the embedded executor as declared", () => {
    for (const config of declared(functions)) expect(() => readFunction(config)).not.toThrow();
  });

  it("has a unique ID", () => {
    const ids = declared(functions).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it("has the kinds of the conformance suite's scenarios", () => {
  const read = declared(scenarios).map((config) => readFunction(config));
  expect(read.length).toBeGreaterThan(scenarios.length);
});
