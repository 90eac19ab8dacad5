import { describe, expect, it } from "vitest";
import type { ConfigField } from "@/lib/connections/schema";
import {
  findFormProblems, findMovedSecrets, keepsNamedSecrets, toConfig, toFieldOfPath, toInitialValues, toNamedRows,
  toNamedText, toShownFields, toStoredSecrets,
} from "@/lib/ui/connection-form"; // biome-ignore format: one look at the whole list

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
  it("begins with the defaults, and with what is stored, but never shows a secret", () => {
    expect(toInitialValues(FIELDS, null)).toMatchObject({ host: "", port: "5432", ssl: "disable", password: "" });
    expect(toInitialValues(FIELDS, STORED)).toMatchObject({ host: "db.example.com", port: "5432", password: "" });
    expect([...toStoredSecrets(FIELDS, STORED)]).toEqual(["password"]);
  });

  it("shows either the single fields or the string", () => {
    expect(SHOWN.map(({ name }) => name)).toEqual(["host", "port", "user", "password", "ssl"]);
    expect(toShownFields(FIELDS, "string").map(({ name }) => name)).toEqual(["connectionString"]);
    expect(toShownFields([field("file")], "string").map(({ name }) => name)).toEqual(["file"]);
  });

  it("asks for the host, for what is required, for numbers and for JSON", () => {
    const shown = [...SHOWN, field("token", { required: true, secret: true }), field("headers", { kind: "json" })];
    const values = { ...toInitialValues(shown, null), port: "many", headers: "{" };
    expect(findFormProblems(shown, values, NONE)).toEqual({
      host: "host is needed.",
      port: "A number is needed.",
      token: "token is needed.",
      headers: "This is not valid JSON.",
    });
    expect(
      findFormProblems([field("token", { required: true, secret: true })], { token: "" }, new Set(["token"])),
    ).toEqual({});
  });

  it("sends numbers as numbers, leaves kept secrets out and takes emptied fields away", () => {
    const values = { ...toInitialValues(FIELDS, STORED), user: " ", port: "6432" };
    expect(toConfig(FIELDS, SHOWN, values, { kept: new Set(["password"]), isNew: false })).toEqual({
      host: "db.example.com",
      port: 6432,
      user: null,
      ssl: "verify-full",
      connectionString: null,
    });
  });

  it("sends of a new connection only what was filled in, and a password with its spaces", () => {
    const values = { ...toInitialValues(FIELDS, null), host: " db.example.com ", password: " p " };
    expect(toConfig(FIELDS, SHOWN, values, { kept: NONE, isNew: true })).toEqual({
      host: "db.example.com",
      port: 5432,
      password: " p ",
      ssl: "disable",
    });
  });

  it("wants the stored secrets again when the connection leads elsewhere or is less safe", () => {
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

describe("fields within a group, and those that go with a choice", () => {
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

  it("show with their choice, and go into the config where they belong", () => {
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

  it("have named secrets of which each is kept, replaced or taken away by itself", () => {
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
    expect(problemOf(["a", "x"], ["A", "y"])).toBe("A is there twice.");
    expect(problemOf(["", "x"])).toBe("Give each one a name, or take it away.");
    expect(problemOf(["a", ""])).toBe("Give a a value, or take it away.");
    expect(problemOf(["a", "x"])).toBeUndefined();
  });

  it("get the server's problems that are about them or a part of them", () => {
    const paths = ["resources.0.path", "auth.token", "headers.X-Key", "name", "resourcesx"];
    expect(paths.map((path) => toFieldOfPath(path, fields))).toEqual([
      "resources", "auth.token", "headers", null, null,
    ]); // biome-ignore format: beside their paths
  });
});
