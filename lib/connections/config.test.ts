import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/http/errors";
import { type Config, mergeConfig } from "./config";
import { drivers, findDriver } from "./drivers/registry";

const STRING = "postgresql://u:p@db.example.com/d?sslmode=verify-full";

function merged(type: string, kept: Config, change: Config): Config | string[] {
  const driver = findDriver(type);
  if (!driver) throw new Error(`There is no type ${type}.`);
  try {
    return mergeConfig(driver, { config: kept, lost: {} }, change);
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    return (error.details as { path: string }[]).map(({ path }) => path);
  }
}

describe("T48 a kept secret", () => {
  const kept = { host: "db.example.com", user: "reader", password: "p", ssl: "require" };
  test.each([
    [{ host: "evil.example.com" }],
    [{ port: 5433 }],
    [{ user: "admin" }],
    [{ host: null }],
    [{ ssl: "disable" }],
    [{ ssl: null }],
    [{ ssl: "made-up" }],
    [{ ssl: "verify-full", host: "evil.example.com" }],
  ])("does not go along with %j", (change) => {
    expect(merged("postgres", kept, change)).toEqual(["config.password"]);
    expect(merged("postgres", kept, { ...change, password: { set: true } })).toEqual(["config.password"]);
    expect(merged("postgres", kept, { ...change, password: "again" })).toMatchObject({ password: "again" });
  });

  test.each([[{ database: "other" }], [{ host: "db.example.com" }], [{ ssl: "require" }], [{ ssl: "verify-full" }]])(
    "stays with %j",
    (change) => {
      expect(merged("postgres", kept, change)).toEqual({ ...kept, ...change });
    },
  );

  test("stays where there was no encryption and there is none", () => {
    expect(merged("postgres", { host: "h", password: "p" }, { ssl: "disable" })).toMatchObject({ password: "p" });
  });

  test("that is a connection string is not sent less safely than it may say itself", () => {
    for (const ssl of ["disable", "require"]) {
      expect(merged("postgres", { connectionString: STRING }, { ssl })).toEqual(["config.connectionString"]);
      const anew = { connectionString: "postgresql://u:p@db.example.com/d", ssl };
      expect(merged("postgres", { connectionString: STRING }, anew)).toEqual(anew);
    }
    expect(merged("postgres", { connectionString: STRING }, { ssl: "verify-full" })).toMatchObject({
      ssl: "verify-full",
    });
  });
});

test.each(drivers.map((driver) => [driver.type, driver] as const))("the declaration of %s is whole", (_, driver) => {
  const named = (name: string) => driver.fields.filter((field) => field.name === name);
  // The fields of which the interface says that a change of them asks for the secrets again.
  for (const name of ["host", "port", "user", "file", "baseUrl", "connectionString"]) {
    for (const field of named(name)) expect([name, field.isTarget]).toEqual([name, true]);
  }
  for (const field of named("ssl")) {
    expect(field.isSafety).toBe(true);
    expect(field.options?.map(({ value }) => value)).toEqual(["disable", "require", "verify-full"]);
  }
  if (driver.fields.some(({ secret }) => secret)) expect(driver.fields.some(({ isTarget }) => isTarget)).toBe(true);
  expect(driver.language === "sql").toBe(driver.dialect !== undefined);
  expect(driver.category === "database").toBe(driver.language !== null);
  for (const path of driver.icon ?? []) expect(path).toMatch(/^[MmLlHhVvCcSsQqTtAaZz\d .,-]+$/);
});
