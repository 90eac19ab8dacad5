import { expect, it } from "vitest";
import {
  type ConnectionFields,
  findDraftProblems,
  toConnectionField,
  toDraft,
  toStart,
} from "@/lib/features/connections/browser/connection-draft";
import type { Connection, ConnectionType } from "@/lib/features/connections/schema";

const field = (name: string, over = {}) => ({
  name,
  label: name,
  kind: "text",
  required: false,
  secret: false,
  ...over,
});
const TYPE = {
  type: "server",
  fields: [
    field("host", { isTarget: true }),
    field("password", { secret: true }),
    field("ssh.host", { isTarget: true }),
    field("schemas", { names: { max: 9, maxLength: 9 } }),
  ],
} as unknown as ConnectionType;
const STORED = {
  name: "shop",
  readOnly: true,
  tag: null,
  config: { host: "db.example.com", password: { set: true } },
} as unknown as Connection;
const withValue = (from: ConnectionFields, name: string, value: string): ConnectionFields => ({
  ...from,
  values: { ...from.values, [name]: value },
});

it("saves before a test that needs a stored secret", () => {
  const start = toStart(TYPE, STORED);
  expect(toDraft(start, start.initial)).toMatchObject({ isSettled: true, mustSave: false });
  const limited = withValue(start.initial, "schemas", "sales");
  expect(toDraft(start, limited)).toMatchObject({ isSettled: false, mustSave: true });
  expect(toDraft(start, limited).toConfig()).not.toHaveProperty("password");
  // A new host does not get the stored password.
  const moved = withValue(start.initial, "host", "elsewhere.example.com");
  expect(toDraft(start, moved)).toMatchObject({ mustSave: false, kept: new Set() });
});

it("asks for a stored secret again when a tunnel is turned on", () => {
  const start = toStart(TYPE, STORED);
  expect(toDraft(start, { ...start.initial, isTunnelOn: true }).moved).toEqual(new Set(["password"]));
});

it("validates only the config for a test without a save", () => {
  const start = toStart(TYPE, null);
  expect(findDraftProblems(start, start.initial, true)).toEqual({ "values.host": "host is required." });
  expect(findDraftProblems(start, start.initial, false)).toEqual({
    "values.host": "host is required.",
    name: "Enter a connection name.",
  });
  const saved = toStart(TYPE, STORED);
  expect(findDraftProblems(saved, { ...withValue(saved.initial, "schemas", "a"), name: " " }, true)).toEqual({
    name: "Enter a connection name.",
  });
});

it.each([
  ["config.host", "values.host"],
  ["name", "name"],
  ["tag.name", "tag"],
  ["config.ssh.host", null],
  ["readOnly", null],
])("places a problem of %s at %s", (path, expected) => {
  const start = toStart(TYPE, STORED);
  expect(toConnectionField(path, toDraft(start, start.initial))).toBe(expected);
});
