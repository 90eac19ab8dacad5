import { ObjectId } from "mongodb";
import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { SealError } from "@/lib/platform/secrets/seal";
import { type Config, mergeConfig, openConfig, parseConfig, sealConfig, secretValues } from "./config";
import type { Driver } from "./data-source";
import { drivers, findDriver } from "./drivers/registry";
import { type ConnectionDoc, toConnection } from "./model";
import type { ConfigField } from "./schema";

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
  ])("is asked for again with %j", (change) => {
    expect(merged("postgres", kept, change)).toEqual(["config.password"]);
    expect(merged("postgres", kept, { ...change, password: { set: true } })).toEqual(["config.password"]);
    expect(merged("postgres", kept, { ...change, password: "again" })).toMatchObject({ password: "again" });
  });

  test.each([[{ database: "other" }], [{ host: "db.example.com" }], [{ ssl: "require" }], [{ ssl: "verify-full" }]])(
    "is kept with %j",
    (change) => {
      expect(merged("postgres", kept, change)).toEqual({ ...kept, ...change });
    },
  );

  test("is kept if there was no encryption before either", () => {
    expect(merged("postgres", { host: "h", password: "p" }, { ssl: "disable" })).toMatchObject({ password: "p" });
  });

  test("in a connection string is not sent with weaker encryption than the string demands", () => {
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

describe("C42 a nested setting", () => {
  const field = (name: string, over: Partial<ConfigField> = {}): ConfigField => ({
    name,
    label: name,
    kind: "text",
    required: false,
    secret: false,
    ...over,
  });
  const options = ["none", "bearer", "basic"].map((value) => ({ value, label: value }));
  const driver = {
    type: "web",
    label: "Web",
    category: "source",
    icon: { tile: "#46606B", ink: "#FFFFFF", paths: ["M5 12h14"] },
    language: null,
    fields: [
      field("baseUrl", { required: true, isTarget: true }),
      field("auth.kind", { kind: "select", options, default: "none" }),
      field("auth.token", { secret: true, required: true, showWhen: { field: "auth.kind", oneOf: ["bearer"] } }),
      field("auth.user", { showWhen: { field: "auth.kind", oneOf: ["basic"] } }),
      field("headers", { kind: "json", secret: true, namesShown: true }),
    ],
    open: () => Promise.reject(new Error("Nobody opens it.")),
  } as const satisfies Driver;
  const paths = (run: () => Config): string[] | Config => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
      return (error.details as { path: string }[]).map(({ path }) => path);
    }
  };
  const parsed = (config: Config) => paths(() => parseConfig(driver, config));
  const changed = (kept: Config, change: Config) =>
    paths(() => parseConfig(driver, mergeConfig(driver, { config: kept, lost: {} }, change)));

  test.each<[Config, string[] | Config]>([
    [{ baseUrl: "b" }, { baseUrl: "b", auth: { kind: "none" } }],
    [
      { baseUrl: "b", auth: null },
      { baseUrl: "b", auth: { kind: "none" } },
    ],
    [
      { baseUrl: "b", auth: { kind: "bearer", token: "t" } },
      { baseUrl: "b", auth: { kind: "bearer", token: "t" } },
    ],
    [{ baseUrl: "b", auth: { kind: "bearer" } }, ["config.auth.token"]],
    [{ baseUrl: "b", auth: { kind: "none", token: "t" } }, ["config.auth.token"]],
    [{ baseUrl: "b", auth: { kind: "bearer", token: "t", user: "u" } }, ["config.auth.user"]],
    [{ baseUrl: "b", auth: { kind: "made-up" } }, ["config.auth.kind"]],
    [{ baseUrl: "b", auth: { other: 1 } }, ["config.auth.other"]],
    [{ baseUrl: "b", auth: "bearer" }, ["config.auth"]],
    [{ baseUrl: "b", auth: [1] }, ["config.auth"]],
    // As GET /api/connectors/types names them.
    [
      { baseUrl: "b", "auth.kind": "none" },
      { baseUrl: "b", auth: { kind: "none" } },
    ],
    [
      { baseUrl: "b", "auth.kind": "bearer", "auth.token": "t" },
      { baseUrl: "b", auth: { kind: "bearer", token: "t" } },
    ],
    [
      { baseUrl: "b", auth: { token: "t" }, "auth.kind": "bearer" },
      { baseUrl: "b", auth: { kind: "bearer", token: "t" } },
    ],
    [{ baseUrl: "b", auth: { kind: "none" }, "auth.kind": "none" }, ["config.auth.kind"]],
    [{ baseUrl: "b", auth: null, "auth.kind": "none" }, ["config.auth.kind"]],
    [{ baseUrl: "b", auth: "bearer", "auth.kind": "bearer" }, ["config.auth.kind"]],
    [{ baseUrl: "b", "auth.kind": "bearer" }, ["config.auth.token"]],
    [{ baseUrl: "b", "auth.kind": "none", "auth.token": "t" }, ["config.auth.token"]],
    [{ baseUrl: "b", "auth.kind": "made-up" }, ["config.auth.kind"]],
    [{ baseUrl: "b", "auth.knd": "none" }, ["config.auth.knd"]],
    [{ baseUrl: "b", "auth.__proto__": "none" }, ["config.auth.__proto__"]],
    [{ baseUrl: "b", "headers.X-Key": "x" }, ["config.headers.X-Key"]],
    [{ baseUrl: "b", headers: ["x"] }, ["config.headers"]],
    [{ baseUrl: "b", headers: { "X-Key": 1 } }, ["config.headers"]],
    [{ baseUrl: "b", headers: { "X-Key": { set: true } } }, ["config.headers"]],
    [{ baseUrl: "b", headers: { "a.b": "x" } }, ["config.headers"]],
    [{ baseUrl: "b", headers: { $where: "x" } }, ["config.headers"]],
    [{ baseUrl: "b", headers: JSON.parse('{"__proto__":"x"}') }, ["config.headers"]],
  ])("%j is read as %j", (config, expected) => {
    expect(parsed(config)).toEqual(expected);
  });

  const whole = { baseUrl: "b", auth: { kind: "bearer", token: "tok-1" }, headers: { "X-Key": "key-1", Accept: "a" } };

  test("that is secret is encrypted, and only the names of named secrets are shown (T44, T46)", () => {
    const place = { _id: new ObjectId(), workspaceId: new ObjectId() };
    const sealed = sealConfig(driver, place, whole);
    const stamps = { createdBy: new ObjectId(), createdAt: new Date(), updatedAt: new Date(), lastTestedAt: null };
    const doc = { ...place, ...stamps, ...sealed, name: "Web", type: "web" } as unknown as ConnectionDoc;
    expect(Object.keys(doc.secrets).sort()).toEqual(["auth:token", "headers"]);
    expect(JSON.stringify(doc)).not.toMatch(/tok-1|key-1/);
    expect(toConnection(doc).config).toEqual({
      baseUrl: "b",
      auth: { kind: "bearer", token: { set: true } },
      headers: { "X-Key": { set: true }, Accept: { set: true } },
    });
    expect(openConfig(doc)).toEqual(whole);
    expect(secretValues(driver, whole)).toEqual(expect.arrayContaining(["tok-1", "key-1"]));
    // A shown config comes back, and nothing has changed.
    expect(mergeConfig(driver, { config: openConfig(doc), lost: {} }, toConnection(doc).config)).toEqual(whole);
  });

  test.each<[Config, string[] | Config]>([
    [{ headers: { "X-Key": { set: true } } }, { ...whole, headers: { "X-Key": "key-1" } }],
    [{ headers: { "X-Key": { set: true }, B: "n" } }, { ...whole, headers: { "X-Key": "key-1", B: "n" } }],
    [{ headers: { B: { set: true } } }, ["config.headers.B"]],
    [{ headers: { set: true } }, whole],
    [{ headers: null }, { baseUrl: "b", auth: whole.auth }],
    [{ auth: { token: "tok-2" } }, { ...whole, auth: { kind: "bearer", token: "tok-2" } }],
    [{ auth: { kind: "bearer", token: { set: true } } }, whole],
    [{ auth: { kind: "none" } }, { ...whole, auth: { kind: "none" } }],
    [{ auth: { kind: "basic", user: "u" } }, { ...whole, auth: { kind: "basic", user: "u" } }],
    [{ auth: null }, { ...whole, auth: { kind: "none" } }],
    // As GET /api/connectors/types names them.
    [{ "auth.token": "tok-2" }, { ...whole, auth: { kind: "bearer", token: "tok-2" } }],
    [{ "auth.token": { set: true } }, whole],
    [{ "auth.kind": "none" }, { ...whole, auth: { kind: "none" } }],
    [
      { "auth.kind": "basic", "auth.user": "u" },
      { ...whole, auth: { kind: "basic", user: "u" } },
    ],
    [{ "auth.token": null }, ["config.auth.token"]],
    [{ auth: { token: "a" }, "auth.token": "b" }, ["config.auth.token"]],
    [{ auth: { token: null } }, ["config.auth.token"]],
    // T48
    [{ baseUrl: "c" }, ["config.auth.token", "config.headers"]],
    [{ baseUrl: "c", auth: { kind: "none" } }, ["config.headers"]],
    [{ baseUrl: "c", auth: { kind: "none" }, headers: { "X-Key": { set: true } } }, ["config.headers.X-Key"]],
    [
      { baseUrl: "c", auth: { token: "tok-2" }, headers: { B: "n" } },
      { baseUrl: "c", auth: { kind: "bearer", token: "tok-2" }, headers: { B: "n" } },
    ],
  ])("changed by %j is %j", (change, expected) => {
    expect(changed(whole, change)).toEqual(expected);
  });

  test("that can't be decrypted is required again, unless it no longer applies", () => {
    const lost = { "auth.token": new SealError("mismatch", "gone") };
    const kept = { config: { baseUrl: "b", auth: { kind: "bearer" } }, lost };
    expect(paths(() => mergeConfig(driver, kept, {}))).toEqual(["config.auth.token"]);
    expect(mergeConfig(driver, kept, { auth: { kind: "none" } })).toEqual({ baseUrl: "b", auth: { kind: "none" } });
  });
});

test.each([
  ["postgres", { passwrd: "p" }, 'Unknown setting for PostgreSQL. Did you mean "password"?'],
  ["postgres", { username: "u" }, /^Unknown setting for PostgreSQL\. Settings: host, port, .*\buser, .*\.$/],
  ["rest", { baseUrl: "https://example.com", auth: { knd: "bearer" } }, /Did you mean "auth\.kind"\?$/],
  ["rest", { baseUrl: "https://example.com", "auth.knd": "bearer" }, /Did you mean "auth\.kind"\?$/],
  ["rest", { url: "https://example.com" }, /Settings: baseUrl, .*\bauth, /],
])("rejects a setting that %s does not have and names the known ones: %j", (type, config, words) => {
  const driver = findDriver(type);
  if (!driver) throw new Error(`There is no type ${type}.`);
  let problems: { path: string; message: string }[] = [];
  try {
    parseConfig(driver, config);
  } catch (error) {
    problems = (error as AppError).details as typeof problems;
  }
  expect(problems.map(({ message }) => message)).toContainEqual(
    typeof words === "string" ? words : expect.stringMatching(words),
  );
});

test("bounds the problems of a config", () => {
  const driver = findDriver("rest");
  if (!driver) throw new Error("There is no type rest.");
  const config = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}${"k".repeat(10_000)}`, 1]));
  const error = (() => {
    try {
      return parseConfig(driver, config);
    } catch (thrown) {
      return thrown as AppError;
    }
  })();
  expect(JSON.stringify((error as AppError).details).length).toBeLessThan(200_000);
});

test.each(drivers.map((driver) => [driver.type, driver] as const))("declares all fields of %s", (_, driver) => {
  const named = (name: string) => driver.fields.filter((field) => field.name === name);
  // The fields for which the interface states that a change requires the secrets again.
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
  for (const colour of [driver.icon.tile, driver.icon.ink]) expect(colour).toMatch(/^#[\dA-F]{6}$/);
  for (const path of driver.icon.paths) expect(path).toMatch(/^[MmLlHhVvCcSsQqTtAaZz\d .,-]+$/);
});
