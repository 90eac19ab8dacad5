// @module-tag heavy
import { beforeEach, expect, test, vi } from "vitest";

const FILES = ["sqlite", "duckdb"];

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

test("offers file connections on an installation with a disk", async () => {
  const { findDriver, listDrivers } = await import("./registry");
  expect(listDrivers().map(({ type }) => type)).toEqual(expect.arrayContaining(["postgres", ...FILES]));
  for (const type of FILES) expect(findDriver(type)?.type).toBe(type);
});

test("neither offers nor opens files on Vercel, and explains why for a stored connection", async () => {
  vi.stubEnv("VERCEL", "1");
  vi.stubEnv("MONGODB_URI", "mongodb://db.example/millrace");
  vi.stubEnv("AUTH_SECRET", "s".repeat(32));
  vi.stubEnv("ENCRYPTION_KEYS", `k:${Buffer.alloc(32, 1).toString("base64")}`);
  vi.stubEnv("INNGEST_EVENT_KEY", "e");
  vi.stubEnv("INNGEST_SIGNING_KEY", "s");
  const { driverOf, findDriver, listDrivers } = await import("./registry");
  const types = listDrivers().map(({ type }) => type);
  expect(types).toContain("postgres");
  for (const type of FILES) {
    expect(types).not.toContain(type);
    expect(findDriver(type)).toBeNull();
    expect(() => driverOf(type)).toThrow(/files are not supported on Vercel/);
  }
  expect(driverOf("postgres").type).toBe("postgres");
});
