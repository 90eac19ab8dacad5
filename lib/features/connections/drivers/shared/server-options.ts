import "server-only";
import { z } from "zod";
import { toFingerprint } from "@/lib/platform/net/ssh/host-key";
import type { SshTarget } from "@/lib/platform/net/ssh/tunnel";
import type { ConfigField } from "../../schema";
import { atField, fieldValues, formFields, invalidField, readConfig } from "./config";
import { SERVER_QUERIES_DEFAULT, SERVER_QUERIES_MAX } from "./limits";

/*
 * Settings that every database on a server may have beside those of its type: an SSH tunnel, the schemas to show, a
 * statement timeout and the number of concurrent queries. Drivers get them parsed (`server.ts`) and add nothing.
 */

const SSH_PORT = 22;
const TEXT_CHARS_MAX = 1000;
/** Maximum characters of a private key; an armoured one of 16,384 bits has a fifth of it. */
const KEY_CHARS_MAX = 32_000;
/** Maximum characters of a schema name, which has 63 bytes (PostgreSQL) to 255 characters. */
const NAME_CHARS_MAX = 255;
const NAMES_MAX = 100;
/** Minimum statement timeout, in ms: below it, even the catalogue check of a guarded statement lacks time. */
const STATEMENT_MS_MIN = 1000;
/** Maximum statement timeout, in ms; no run lasts longer. */
const STATEMENT_MS_MAX = 24 * 3_600_000;

export type ServerOptions = {
  ssh: SshTarget | null;
  /** The schemas whose entities are shown; null for all. */
  schemas: readonly string[] | null;
  /** Null for no limit but the callers'. */
  statementTimeoutMs: number | null;
  queriesMax: number;
};

const name = z
  .string("Names must be text.")
  .min(1, "Names can't be empty.")
  .max(NAME_CHARS_MAX, "Too long.")
  .regex(/^[^\p{Cc}]*$/u, "Names can't contain control characters.");

const options = z.strictObject({
  ssh: z
    .strictObject({
      host: z.string("Enter a tunnel host, or clear all tunnel fields.").max(TEXT_CHARS_MAX, "Too long."),
      port: fieldValues.port.optional(),
      user: z
        .string("Enter a tunnel user.")
        .max(TEXT_CHARS_MAX, "Too long.")
        .regex(/^[^\p{Cc}]*$/u, "The user can't contain control characters."),
      password: fieldValues.text.optional(),
      privateKey: z.string().max(KEY_CHARS_MAX, "Too long.").optional(),
      hostKeySha256: z.string().max(100, "Too long.").optional(),
    })
    .optional(),
  schemas: z
    .array(name, "Must be a list of names.")
    .max(NAMES_MAX, `At most ${NAMES_MAX} names.`)
    .refine((names) => new Set(names).size === names.length, "Duplicate name.")
    .optional(),
  statementTimeoutMs: z
    .int("Must be a whole number of milliseconds.")
    .min(STATEMENT_MS_MIN, `At least ${STATEMENT_MS_MIN} ms.`)
    .max(STATEMENT_MS_MAX, "Must be at most 24 hours.")
    .optional(),
  queriesMax: z
    .int("Must be a whole number.")
    .min(1, "At least 1.")
    .max(SERVER_QUERIES_MAX, `At most ${SERVER_QUERIES_MAX}.`)
    .optional(),
});

type Config = Record<string, unknown>;
const NAMES = ["ssh", "schemas", "statementTimeoutMs", "queriesMax"] as const;

/**
 * Separates the settings of every server from a config.
 * @returns `own` is the rest, for the driver
 * @throws AppError `invalid_request`
 */
export function readServerOptions(config: Config): { own: Config; options: ServerOptions } {
  const own = Object.fromEntries(Object.entries(config).filter(([key]) => !NAMES.some((each) => each === key)));
  const given = Object.fromEntries(NAMES.map((key) => [key, key === "ssh" ? withoutBlanks(config.ssh) : config[key]]));
  const { ssh, schemas, statementTimeoutMs, queriesMax } = readConfig(options, given);
  return {
    own,
    options: {
      ssh: ssh ? toTarget(ssh) : null,
      schemas: schemas && schemas.length > 0 ? schemas : null,
      statementTimeoutMs: statementTimeoutMs ?? null,
      queriesMax: queriesMax ?? SERVER_QUERIES_DEFAULT,
    },
  };
}

/** Returns the maximum concurrent queries of a stored config, whose secrets may be encrypted. */
export function queriesMaxOf({ queriesMax }: Config): number {
  return typeof queriesMax === "number" ? queriesMax : SERVER_QUERIES_DEFAULT;
}

function toTarget(ssh: NonNullable<z.infer<typeof options>["ssh"]>): SshTarget {
  const { host, port = SSH_PORT, user, password, privateKey, hostKeySha256 } = ssh;
  if (password === undefined && privateKey === undefined) {
    throw invalidField("ssh.password", "Enter a tunnel password or private key.");
  }
  if (password !== undefined && privateKey !== undefined) {
    throw invalidField("ssh.password", "Use either a tunnel password or a private key, not both.");
  }
  return {
    host,
    port,
    user,
    password: password ?? null,
    privateKey: privateKey ?? null,
    hostKey: hostKeySha256 === undefined ? null : atField("ssh.hostKeySha256", () => toFingerprint(hostKeySha256)),
  };
}

/** Removes empty inputs from a group; returns undefined for a group of only those. */
function withoutBlanks(group: unknown): unknown {
  if (typeof group !== "object" || group === null || Array.isArray(group)) return group ?? undefined;
  const filled = Object.entries(group).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

/**
 * Returns the form fields of every server.
 * @param shown the label for the names of `schemas` with this kind of server
 */
export function serverFormFields(shown: string): ConfigField[] {
  return [
    {
      ...formFields.host,
      name: "ssh.host",
      label: "Tunnel host",
      help: "Connect through an SSH server, which resolves the database's host.",
    },
    { ...formFields.port(`Default: ${SSH_PORT}.`), name: "ssh.port", label: "Tunnel port" },
    { ...formFields.user("Required with a tunnel."), name: "ssh.user", label: "Tunnel user" },
    { ...formFields.password, name: "ssh.password", label: "Tunnel password" },
    {
      name: "ssh.privateKey",
      label: "Tunnel private key",
      kind: "textarea",
      required: false,
      secret: true,
      help: "Replaces the password. Paste the whole key file, without a passphrase.",
      maxLength: KEY_CHARS_MAX,
    },
    {
      name: "ssh.hostKeySha256",
      label: "Tunnel host key",
      kind: "text",
      required: false,
      secret: false,
      isTarget: true,
      help: "SHA256 fingerprint. Test the connection to see the server's.",
      maxLength: 100,
    },
    {
      name: "schemas",
      label: shown,
      kind: "json",
      required: false,
      secret: false,
      names: { max: NAMES_MAX, maxLength: NAME_CHARS_MAX },
      help: "Comma-separated. Leave empty for all. Does not restrict queries.",
    },
    {
      name: "statementTimeoutMs",
      label: "Statement timeout",
      kind: "number",
      required: false,
      secret: false,
      integer: { min: STATEMENT_MS_MIN, max: STATEMENT_MS_MAX },
      help: "In milliseconds. Leave empty for no limit.",
    },
    {
      name: "queriesMax",
      label: "Queries at a time",
      kind: "number",
      required: false,
      secret: false,
      integer: { min: 1, max: SERVER_QUERIES_MAX },
      help: `Default: ${SERVER_QUERIES_DEFAULT}. Further queries are queued.`,
    },
  ];
}

/** Further reasons to reject a field's value. */
export const SERVER_REFUSALS = {
  "ssh.host": "Invalid host, or tunnel fields without a host",
  "ssh.user": "Tunnel without a user",
  "ssh.password": "Neither a password nor a private key, or both",
  "ssh.privateKey": "Invalid private key, or one with a passphrase",
  "ssh.hostKeySha256": "Invalid SHA256 fingerprint",
  schemas: "Duplicate name",
} as const;
