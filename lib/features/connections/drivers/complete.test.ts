import { describe, expect, it } from "vitest";
import { PLAN_FORMS } from "@/lib/base/explain/plan";
import { DIALECTS, SQL_DIALECTS } from "@/lib/base/sql/dialects/registry";
import { drivers } from "./registry";

it("registers each type and each label once", () => {
  const types = drivers.map(({ type }) => type);
  expect(types.length).toBeGreaterThan(5);
  expect(new Set(types).size).toBe(types.length);
  expect(new Set(drivers.map(({ label }) => label)).size).toBe(types.length);
});

it("has a driver for every dialect except the standard", () => {
  const used = drivers.flatMap(({ dialect }) => dialect ?? []);
  expect(SQL_DIALECTS.filter((name) => !used.includes(name))).toEqual(["standard"]);
});

describe.each(drivers)("the driver $type", (driver) => {
  const { language, dialect, variables, values, explain, fields, category } = driver;

  it("declares a form with labelled fields", () => {
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.filter(({ name, label }) => name === "" || label === "")).toEqual([]);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
    expect(["database", "source"]).toContain(category);
  });

  it("declares everything that SQL consoles and table pages need, or no SQL", () => {
    const isSql = language === "sql";
    expect(dialect !== undefined).toBe(isSql);
    expect(values !== undefined).toBe(isSql);
    if (!isSql) return;
    expect(DIALECTS).toHaveProperty(dialect ?? "");
    expect(variables).toBeDefined();
  });

  it("names a plan form that can be read", () => {
    if (explain) expect(PLAN_FORMS).toContain(explain.form);
  });
});
