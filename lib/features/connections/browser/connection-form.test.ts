import { describe, expect, it } from "vitest";
import {
  findFormProblems, findMovedSecrets, hasTunnel, isLimitField, isTunnelField, keepsNamedSecrets, toConfig, toFieldOfPath, toInitialValues, toNamedRows,
  toNamedText, toShownFields, toStoredSecrets,
} from "@/lib/features/connections/browser/connection-form"; // biome-ignore format: one look at the whole list
import type { ConfigField } from "@/lib/features/connections/schema";

const field = (name: string, over: Partial<ConfigField> = {}): ConfigField => ({
  name,
  label: name,
  kind: "text",
  required: false,
  secret: false,
  ...over,
});
const FIELDS = [
  field("host", { isTarget: true }),
  field("port", { kind: "number", default: 5432, isTarget: true }),
  field("user", { isTarget: true }),
  field("password", { kind: "password", secret: true }),
  field("ssl", {
    kind: "select",
    default: "disable",
    isSafety: true,
    options: ["disable", "require", "verify-full"].map((value) => ({ value, label: value })),
  }),
  field("connectionString", { kind: "password", secret: true, isTarget: true }),
];
const STORED = { host: "db.example.com", port: 5432, user: "reader", password: { set: true }, ssl: "verify-full" };
const SHOWN = toShownFields(FIELDS, "fields");
const NONE = new Set<string>();

describe("the form of a connection", () => {
  it("starts with defaults and stored values, but never shows a secret", () => {
    expect(toInitialValues(FIELDS, null)).toMatchObject({ host: "", port: "5432", ssl: "disable", password: "" });
    expect(toInitialValues(FIELDS, STORED)).toMatchObject({ host: "db.example.com", port: "5432", password: "" });
    expect([...toStoredSecrets(FIELDS, STORED)]).toEqual(["password"]);
  });

  it("shows either the fields or the connection string", () => {
    expect(SHOWN.map(({ name }) => name)).toEqual(["host", "port", "user", "password", "ssl"]);
    expect(toShownFields(FIELDS, "string").map(({ name }) => name)).toEqual(["connectionString"]);
    expect(toShownFields([field("file")], "string").map(({ name }) => name)).toEqual(["file"]);
  });

  it("validates the host, required fields, numbers and JSON", () => {
    const shown = [...SHOWN, field("token", { required: true, secret: true }), field("headers", { kind: "json" })];
    const values = { ...toInitialValues(shown, null), port: "many", headers: "{" };
    expect(findFormProblems(shown, values, NONE)).toEqual({
      host: "host is required.",
      port: "Enter a number.",
      token: "token is required.",
      headers: "Invalid JSON.",
    });
    expect(
      findFormProblems([field("token", { required: true, secret: true })], { token: "" }, new Set(["token"])),
    ).toEqual({});
  });

  it("sends numbers as numbers, omits kept secrets and removes emptied fields", () => {
    const values = { ...toInitialValues(FIELDS, STORED), user: " ", port: "6432" };
    expect(toConfig(FIELDS, SHOWN, values, { kept: new Set(["password"]), isNew: false })).toEqual({
      host: "db.example.com",
      port: 6432,
      user: null,
      ssl: "verify-full",
      connectionString: null,
    });
  });

  it("sends only filled fields of a new connection, and a password with its spaces", () => {
    const values = { ...toInitialValues(FIELDS, null), host: " db.example.com ", password: " p " };
    expect(toConfig(FIELDS, SHOWN, values, { kept: NONE, isNew: true })).toEqual({
      host: "db.example.com",
      port: 5432,
      password: " p ",
      ssl: "disable",
    });
  });

  it("asks for stored secrets again when the target changes or gets less secure", () => {
    const initial = toInitialValues(FIELDS, STORED);
    const stored = toStoredSecrets(FIELDS, STORED);
    const moved = (change: Record<string, string>) => [
      ...findMovedSecrets(SHOWN, { ...initial, ...change }, initial, stored),
    ];
    expect(moved({})).toEqual([]);
    expect(moved({ host: "other.example.com" })).toEqual(["password"]);
    expect(moved({ ssl: "require" })).toEqual(["password"]);
    expect(moved({ ssl: "" })).toEqual(["password"]);
  });
});

describe("grouped and conditional fields", () => {
  const fields = [
    field("baseUrl", { isTarget: true }),
    field("auth.kind", {
      kind: "select",
      default: "none",
      options: ["none", "bearer"].map((value) => ({ value, label: value })),
    }),
    field("auth.token", { secret: true, required: true, showWhen: { field: "auth.kind", oneOf: ["bearer"] } }),
    field("headers", { kind: "json", secret: true, namesShown: true }),
    field("resources", { kind: "json" }),
  ];
  const stored = {
    baseUrl: "b",
    auth: { kind: "bearer", token: { set: true } },
    headers: { "X-Key": { set: true } },
  };
  const initial = toInitialValues(fields, stored);
  const shownFor = (values: Record<string, string | boolean>) => toShownFields(fields, "fields", values);
  const change = (over: Record<string, string>) => {
    const values = { ...initial, ...over };
    return toConfig(fields, shownFor(values), values, { kept: new Set(["auth.token"]), isNew: false });
  };

  it("appear with their option and are stored in their group", () => {
    expect([...toStoredSecrets(fields, stored)]).toEqual(["auth.token"]);
    expect(shownFor(toInitialValues(fields, null)).map(({ name }) => name)).not.toContain("auth.token");
    expect(shownFor(initial).map(({ name }) => name)).toContain("auth.token");
    expect(change({})).toEqual({
      baseUrl: "b",
      auth: { kind: "bearer" },
      headers: { "X-Key": { set: true } },
      resources: null,
    });
    expect(change({ "auth.kind": "none" })).toMatchObject({ auth: { kind: "none", token: null } });
    const fresh = { ...toInitialValues(fields, null), baseUrl: "b", "auth.kind": "bearer", "auth.token": "t" };
    expect(toConfig(fields, shownFor(fresh), fresh, { kept: NONE, isNew: true })).toEqual({
      baseUrl: "b",
      auth: { kind: "bearer", token: "t" },
    });
  });

  it("include named secrets, each kept, replaced or removed separately", () => {
    expect(toNamedRows(String(initial.headers))).toEqual([{ name: "X-Key", text: null }]);
    expect(keepsNamedSecrets(fields, initial)).toBe(true);
    const rows = [
      { name: "X-Key", text: null },
      { name: " Accept ", text: " json " },
    ];
    expect(change({ headers: toNamedText(rows) })).toMatchObject({
      headers: { "X-Key": { set: true }, Accept: " json " },
    });
    expect(change({ headers: toNamedText([]) })).toMatchObject({ headers: null });
    const problemOf = (...pairs: [string, string][]) =>
      findFormProblems(fields, { headers: toNamedText(pairs.map(([name, text]) => ({ name, text }))) }, NONE).headers;
    expect(problemOf(["a", "x"], ["A", "y"])).toBe("A is a duplicate.");
    expect(problemOf(["", "x"])).toBe("Enter a name for each row, or remove it.");
    expect(problemOf(["a", ""])).toBe("Enter a value for a, or remove it.");
    expect(problemOf(["a", "x"])).toBeUndefined();
  });

  it("get the server's problems about them or a part of them", () => {
    const paths = ["resources.0.path", "auth.token", "headers.X-Key", "name", "resourcesx"];
    expect(paths.map((path) => toFieldOfPath(path, fields))).toEqual([
      "resources", "auth.token", "headers", null, null,
    ]); // biome-ignore format: beside their paths
  });
});

describe("the settings of servers in the form", () => {
  const names = field("schemas", { kind: "json", names: { max: 3, maxLength: 10 } });
  const ssl = field("ssl", {
    kind: "select",
    suggested: "verify-full",
    options: [{ value: "verify-full", label: "x" }],
  });
  const tunnel = [field("ssh.host", { isTarget: true }), field("ssh.password", { kind: "password", secret: true })];

  it("shows names separated by commas and sends them as a list", () => {
    expect(toInitialValues([names], { schemas: ["public", "billing"] })).toEqual({ schemas: "public, billing" });
    expect(toInitialValues([names], {})).toEqual({ schemas: "" });
    const send = (schemas: string) => toConfig([names], [names], { schemas }, { kept: NONE, isNew: false });
    expect(send(" public ,, billing, ")).toEqual({ schemas: ["public", "billing"] });
    expect(send("")).toEqual({ schemas: null });
    const odd = ["a, b", "[c]", " d"];
    const { schemas } = toInitialValues([names], { schemas: odd });
    expect(send(String(schemas))).toEqual({ schemas: odd });
    expect(findFormProblems([names], { schemas: "a, b, a" }, NONE)).toEqual({ schemas: "a is a duplicate." });
    expect(findFormProblems([names], { schemas: "a, b, c, d" }, NONE)).toEqual({ schemas: "Use at most 3 names." });
    expect(findFormProblems([names], { schemas: "a, b, c" }, NONE)).toEqual({});
  });

  it("fills a new form with suggestions and leaves stored values unchanged", () => {
    expect(toInitialValues([ssl], null)).toEqual({ ssl: "verify-full" });
    expect(toInitialValues([ssl], {})).toEqual({ ssl: "" });
    expect(toInitialValues([ssl], { ssl: "disable" })).toEqual({ ssl: "disable" });
  });

  it("recognises the parts of a tunnel and of the limits", () => {
    expect(tunnel.every(isTunnelField)).toBe(true);
    expect([...FIELDS, names].some(isTunnelField)).toBe(false);
    expect([...FIELDS, names].filter(isLimitField)).toEqual([names]);
    expect([hasTunnel(null), hasTunnel({}), hasTunnel({ ssh: { host: "jump" } })]).toEqual([false, false, true]);
  });

  it("sends a tunnel as one object, and a removed one as null in each setting", () => {
    const values = { "ssh.host": "jump", "ssh.password": "s3cr3t" };
    expect(toConfig(tunnel, tunnel, values, { kept: NONE, isNew: true })).toEqual({
      ssh: { host: "jump", password: "s3cr3t" },
    });
    expect(toConfig(tunnel, [], values, { kept: NONE, isNew: false })).toEqual({ ssh: { host: null, password: null } });
    expect(toConfig(tunnel, [], values, { kept: NONE, isNew: true })).toEqual({});
  });
});
