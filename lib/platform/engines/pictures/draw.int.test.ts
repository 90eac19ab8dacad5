import { describe, expect, it } from "vitest";
import type { PicturePage, PicturePart } from "@/lib/platform/embedded/drawing/messages";
import { drawPage } from "./draw";
import { pictureProcessPid } from "./process";

/** Time to reach the memory limit on a machine that runs other tests, in ms. */
const ENDLESS_MS = 20_000;
const rows = Array.from({ length: 50 }, (_, n) => ({ n, day: `2026-01-${String((n % 28) + 1).padStart(2, "0")}` }));
const xy = { x: { field: "n", type: "quantitative" }, y: { field: "a", type: "quantitative" } };

function chart(spec: Record<string, unknown>): PicturePart {
  const whole = { data: { values: rows }, mark: "point", encoding: xy, width: 100, height: 100, ...spec };
  return { kind: "chart", spec: whole, x: 0, y: 0, width: 100, height: 100, ink: "#000" };
}

function page(parts: PicturePart[]): PicturePage {
  return { title: "", width: 120, height: 120, scale: 1, background: "#fff", sheets: [120], parts };
}

const calculate = (expression: string) => ({ transform: [{ calculate: expression, as: "a" }] });
const doubled = Array.from({ length: 40 }, () => ({ calculate: "[datum.a, datum.a]", as: "a" }));
const folded = Array.from({ length: 12 }, () => ({ fold: ["n", "day", "n", "day", "n", "day"] }));

/** Specifications that our rules reject, as if they had passed them. */
const EXHAUSTING = calculate("length(sequence(0,300000000))");
const ENDLESS = calculate("test(/^(a+)+$/, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')");
const ATTACKS = {
  "nested lists in a text": { transform: [...doubled, { calculate: "toString(datum.a)", as: "a" }] },
  "a fold of folds": { transform: folded },
  "sequences that are kept": calculate("sequence(0, 3000000)"),
  "a padded text": calculate("pad('x', 400000000, 'yyyyyyyy')"),
  "a number as wide as memory": calculate("format(1, '900000000d')"),
  "bins without number": { encoding: { ...xy, x: { field: "n", type: "ordinal", bin: { step: 1e-9 } } } },
  "a base that shrinks": { encoding: { ...xy, x: { field: "n", bin: { base: 0.5 } } } },
  "a density of many steps": { transform: [{ density: "n", steps: 500_000_000, as: ["n", "a"] }] },
  "imputed values without number": {
    transform: [{ impute: "a", key: "n", keyvals: { start: 0, stop: 200_000_000 }, value: 0 }],
  },
  "a tick each millisecond": {
    encoding: {
      x: { field: "day", type: "temporal", axis: { tickCount: { interval: "millisecond", step: 1 } } },
      y: { field: "n" },
    },
  },
};

async function expectOthersDraw(): Promise<void> {
  const { png, undrawn } = await drawPage(page([chart({ encoding: { x: { field: "n" }, y: { field: "n" } } })]));
  expect([png.subarray(1, 4).toString(), undrawn]).toEqual(["PNG", 0]);
}

async function attack(spec: Record<string, unknown>): Promise<void> {
  const drawn = await drawPage(page([chart(spec)]), false, ENDLESS_MS).catch((error: Error) => error);
  // If the library notices the limit, the page is drawn, with a message or without the part that was too large.
  if (!("undrawn" in drawn))
    expect(drawn).toMatchObject({ kind: "too_large", message: expect.stringContaining("too much memory or time") });
  await expectOthersDraw();
}

describe("the drawing process", () => {
  it("C1 dies alone when its memory is exhausted, and the next page gets a new one", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    await expectOthersDraw();
    const before = pictureProcessPid("drawing");
    await expect(drawPage(page([chart(EXHAUSTING)]))).rejects.toMatchObject({ kind: "too_large" });
    await expectOthersDraw();
    expect(before).not.toBeNull();
    expect(pictureProcessPid("drawing")).not.toBe(before);
  });

  it("C1 ends a page at its time limit and draws the waiting pages", { timeout: 120_000 }, async () => {
    const endless = drawPage(page([chart(ENDLESS)]), false, 1500);
    const waiting = expectOthersDraw();
    await expect(endless).rejects.toMatchObject({ kind: "too_large" });
    await waiting;
  });

  it("C1 fails only the current page when it is killed", { timeout: 120_000 }, async () => {
    await expectOthersDraw();
    const drawn = drawPage(page([chart(ENDLESS)]));
    setTimeout(() => process.kill(pictureProcessPid("drawing") ?? 0, "SIGKILL"), 200);
    await expect(drawn).rejects.toMatchObject({ kind: "too_large" });
    await expectOthersDraw();
  });

  it("C1 draws Markdown, and shows an unparsable text as plain words", async () => {
    const box = { x: 0, y: 0, width: 100, height: 100, ink: "#000", quiet: "#333" };
    const text = (value: string): PicturePart => ({ kind: "markdown", text: value, ...box });
    expect((await drawPage(page([text("# Weekly\n\n- one")]))).undrawn).toBe(0);
    expect((await drawPage(page([text("> ".repeat(32_000))]))).undrawn).toBe(1);
  });

  it.each(Object.entries(ATTACKS))("C1 survives %s", { timeout: 120_000, tags: ["long"] }, (_, spec) => attack(spec));
});
