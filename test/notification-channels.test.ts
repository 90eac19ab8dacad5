// @module-tag heavy
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CHANNEL_VIEWS, viewOf } from "@/components/notifications/channels/registry";
import type { Vault } from "@/lib/features/notifications/channels/channel";
import { CHANNELS, channelOf } from "@/lib/features/notifications/channels/registry";
import { CHANNEL_REFUSALS, RULE_WORDS } from "@/lib/features/notifications/reference";
import { channelSchema, createRuleBody, testBody } from "@/lib/features/notifications/schema";
import { createSnapshotBody } from "@/lib/features/notifications/snapshot-schema";

const ID = "0".repeat(24);
const RULE = { resourceType: "flow", resourceId: ID, triggers: ["failure"] };
const SNAPSHOT = { cron: "0 8 * * *", timezone: "UTC" };
/** A value for each required field. A new channel adds those that it does not share. */
const VALUES: Readonly<Record<string, unknown>> = {
  recipients: ["ana@example.com"],
  url: "https://hooks.example.com/in",
  chatWebhookUrl: "https://chat.example.com/services/T1",
  teamsWebhookUrl: "https://teams.example.com/workflows/1?sig=abc",
};
/** Encrypts by a mark, so that a secret in a response is seen. */
const vault = {
  seal: (_: string, text: string) => `sealed:${text}`,
  open: (_: string, sealed: string) => sealed.slice("sealed:".length),
  newSigningSecret: () => "whsec_secret",
} as unknown as Vault<object>;

const requiredOf = (fields: object) =>
  Object.entries(fields).flatMap(([name, field]) => (field.safeParse(undefined).success ? [] : [name]));

describe.each(CHANNELS.map((channel) => [channel.type, channelOf(channel.type)] as const))("%s", (type, channel) => {
  const required = requiredOf(channel.fields);
  const values = Object.fromEntries(required.map((name) => [name, VALUES[name]]));

  it("has fields that rules, snapshots and tests require", () => {
    expect(required.length).toBeGreaterThan(0);
    const bodies = [
      [createRuleBody, { ...RULE, channelType: type, ...values }],
      [createSnapshotBody, { ...SNAPSHOT, channelType: type, ...values }],
      [testBody, { resourceType: "flow", resourceId: ID, channelType: type, ...values }],
    ] as const;
    for (const [schema, body] of bodies) expect(schema.parse(body)).toMatchObject({ channelType: type, ...values });
    for (const name of required) {
      const { [name]: _, ...rest } = values;
      for (const [schema, body] of bodies.slice(0, 2)) {
        const { [name]: __, ...bare } = body as Record<string, unknown>;
        expect(schema.safeParse({ ...bare, ...rest }).error?.issues[0]?.path).toEqual([name]);
      }
      expect(() => channel.store(rest, null, vault)).toThrow();
    }
  });

  it("keeps its fields in an empty update, and shows no secret in responses", () => {
    const { stored } = channel.store(values, null, vault);
    expect(channel.store({}, stored, vault).stored).toEqual(stored);
    const shown = channel.show(stored);
    expect(channelSchema.parse(shown)).toEqual(shown);
    expect(JSON.stringify(shown)).not.toMatch(/sealed:|whsec_|sig=/);
    const open = channel.open(stored, vault);
    expect(JSON.stringify(open)).not.toContain("sealed:");
    const { address } = channel;
    if (address !== null) expect(open).toMatchObject({ url: values[address.field] });
  });

  it("has a sender", async () => {
    const { send } = await channel.loadSender();
    expect(send).toBeTypeOf("function");
  });

  it("has a form with the same fields", () => {
    const view = viewOf(type);
    expect([view.type, CHANNEL_VIEWS.includes(view)]).toEqual([type, true]);
    expect(view.label).not.toBe("");
    expect(view.Icon).toBeDefined();
    expect(view.fields.map(({ name }) => name).sort()).toEqual(Object.keys(channel.fields).sort());
    // A form asks for what the API requires, and for nothing else.
    const demanded = view.fields.filter(({ findProblem }) => findProblem("") !== null).map(({ name }) => name);
    expect(demanded.sort()).toEqual(required.sort());
    const { stored } = channel.store(values, null, vault);
    const shown = channel.show(stored) as Parameters<typeof view.toName>[0];
    expect([view.toHelp(shown), view.toSaved(shown)]).not.toContain("");
    for (const [name, text] of Object.entries(view.toTexts(shown))) {
      expect([name, view.fields.find((field) => field.name === name)?.isSecret]).toEqual([name, false]);
      expect(text).toBeTypeOf("string");
    }
    const secret = view.fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    expect(secret).toEqual(channel.address === null ? [] : [channel.address.field]);
  });

  it("is described in the API reference", () => {
    expect(channel.reference).toMatch(/^[A-Z].+\.$/s);
    expect(RULE_WORDS).toContain(channel.reference);
    for (const name of required) {
      expect(RULE_WORDS).toContain(`${type} requires ${required.join(" and ")}`);
      expect(CHANNEL_REFUSALS[name]).toContain(`becomes ${type}`);
    }
  });

  it("has its message format in docs/develop/notifications.md", () => {
    const docs = readFileSync(new URL("../docs/develop/notifications.md", import.meta.url), "utf8");
    const [, formats = ""] = docs.split("## Channels\n");
    expect(formats.split("\n## ")[0]).toContain(`| \`${type}\` |`);
  });
});

it("gives each channel another shape, since responses have no tag", () => {
  const shapes = CHANNELS.map(({ shown }) => Object.keys(shown.shape).sort().join());
  expect(new Set(shapes).size).toBe(shapes.length);
});

describe("outside of the channels' folders", () => {
  const root = new URL("../", import.meta.url);
  const types = CHANNELS.map(({ type }) => type).join("|");
  const folders = `lib/features/notifications/channels/(?:${types})/|components/notifications/channels/(?:${types})\\.tsx?$`;
  const isOwn = new RegExp(`^(?:${folders})`);
  const NAMES = new RegExp(`["'\`](?:${types})["'\`]|^\\s*(?:${types}):`, "m");
  /** Code that handles channels: it reads a type, or belongs to the feature. */
  const HANDLES = /channelType|ChannelType|channel\.type|(?:features|components)\/notifications\//;
  const REASONS: Readonly<Record<string, string>> = {
    "components/notifications/channels/channel-view.ts": "the keyboard of a field of email addresses",
    "components/notifications/channels/fields.ts": "the keyboard of a field of email addresses",
    "components/activity/activity-row.tsx": "the trigger of a run, not a channel",
    "components/flows/flow-run-page.tsx": "the kind of a flow, not a channel",
    "components/flows/webhook-page.tsx": "the kind of a flow, not a channel",
    "lib/features/notifications/facts.ts": "the trigger of a run, not a channel",
  };

  it("names no channel type", () => {
    const files = globSync("{lib,components,app,inngest,emails}/**/*.{ts,tsx}", { cwd: fileURLToPath(root) });
    const naming = files.filter((file) => {
      if (isOwn.test(file) || file.includes(".test.")) return false;
      const text = readFileSync(new URL(file, root), "utf8");
      const handles = HANDLES.test(text) || /^(?:lib\/features|components)\/notifications\//.test(file);
      return handles && NAMES.test(text);
    });
    expect(naming.filter((file) => !(file in REASONS))).toEqual([]);
    // A reason without a use is deleted.
    expect(Object.keys(REASONS).filter((file) => !naming.includes(file))).toEqual([]);
  });
});
