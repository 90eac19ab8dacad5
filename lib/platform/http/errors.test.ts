import { describe, expect, it, vi } from "vitest";
import { AppError, toInputProblems } from "./errors";

describe("an expected failure", () => {
  it("is recognised by every bundle's copy of the class", async () => {
    vi.resetModules();
    const copy = await import("./errors");
    expect(copy.AppError).not.toBe(AppError);
    expect(new copy.AppError("not_found", "No.")).toBeInstanceOf(AppError);
    expect(new AppError("not_found", "No.")).toBeInstanceOf(copy.AppError);
  });

  it("is no other kind of error, and no other error is one", () => {
    class Narrower extends AppError {}
    expect(new Narrower("conflict", "No.")).toBeInstanceOf(AppError);
    expect(new Narrower("conflict", "No.")).toBeInstanceOf(Narrower);
    expect(new AppError("conflict", "No.")).not.toBeInstanceOf(Narrower);
    for (const other of [new Error("No."), { kind: "conflict" }, null, undefined, "conflict"]) {
      expect(other instanceof AppError).toBe(false);
    }
  });
});

it("bounds the problems of an input, for any keys and any number of values", () => {
  const name = "k".repeat(1_000_000);
  const issues = Array.from({ length: 1000 }, (_, index) => ({ path: [name, index], message: "Required." }));
  const problems = toInputProblems(issues, ["config"]);
  expect(problems[1]).toEqual({ path: `config.${"k".repeat(100)}….1`, message: "Required." });
  expect(problems).toHaveLength(100);
  const deep = Array.from({ length: 1000 }, () => name);
  expect(toInputProblems([{ path: deep, message: "Required." }])[0]?.path.length).toBeLessThan(1100);
});
