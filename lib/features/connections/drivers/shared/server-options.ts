import "server-only";
import { z } from "zod";
import { toFingerprint } from "@/lib/platform/net/ssh/host-key";
import type { SshTarget } from "@/lib/platform/net/ssh/tunnel";
import type { ConfigField } from "../../schema";
import { atField, fieldValues, formFields, invalidField, readConfig } from "./config";

/*
 * Settings that every database on a server may have beside those of its type: an SSH tunnel, the schemas to show, and a
 * statement timeout. Drivers get them parsed (`server.ts`) and add nothing.
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
};

const name = z
  .string("Names are texts.")
  .min(1, "A name is empty.")
  .max(NAME_CHARS_MAX, "A name is too long.")
  .regex(/^[^\p{Cc}]*$/u, "A name has a control character in it.");

const options = z.strictObject({
  ssh: z
    .strictObject({
      host: z
        .string("Give the tunnel's host, or leave all of the tunnel out.")
        .max(TEXT_CHARS_MAX, "This is too long."),
      port: fieldValues.port.optional(),
      user: z
        .string("Give the tunnel's user.")
        .max(TEXT_CHARS_MAX, "This is too long.")
        .regex(/^[^\p{Cc}]*$/u, "A user has no control characters."),
      password: fieldValues.text.optional(),
      privateKey: z.string().max(KEY_CHARS_MAX, "This is too long.").optional(),
      hostKeySha256: z.string().max(100, "This is too long.").optional(),
    })
    .optional(),
  schemas: z
    .array(name, "A list of names is needed.")
    .max(NAMES_MAX, `At most ${NAMES_MAX} names.`)
    .refine((names) => new Set(names).size === names.length, "A name is there twice.")
    .optional(),
  statementTimeoutMs: z
    .int("A whole number of milliseconds is needed.")
    .min(STATEMENT_MS_MIN, `At least ${STATEMENT_MS_MIN} ms.`)
    .max(STATEMENT_MS_MAX, "At most a day.")
    .optional(),
});

type Config = Record<string, unknown>;
const NAMES = ["ssh", "schemas", "statementTimeoutMs"] as const;

/**
 * Separates the settings of every server from a config.
 * @returns `own` is the rest, for the driver
 * @throws AppError `invalid_request`
 */
export function readServerOptions(config: Config): { own: Config; options: ServerOptions } {
  const own = Object.fromEntries(Object.entries(config).filter(([key]) => !NAMES.some((each) => each === key)));
  const given = Object.fromEntries(NAMES.map((key) => [key, key === "ssh" ? withoutBlanks(config.ssh) : config[key]]));
  const { ssh, schemas, statementTimeoutMs } = readConfig(options, given);
  return {
    own,
    options: {
      ssh: ssh ? toTarget(ssh) : null,
      schemas: schemas && schemas.length > 0 ? schemas : null,
      statementTimeoutMs: statementTimeoutMs ?? null,
    },
  };
}

function toTarget(ssh: NonNullable<z.infer<typeof options>["ssh"]>): SshTarget {
  const { host, port = SSH_PORT, user, password, privateKey, hostKeySha256 } = ssh;
  if (password === undefined && privateKey === undefined) {
    throw invalidField("ssh.password", "The tunnel needs a password or a private key.");
  }
  if (password !== undefined && privateKey !== undefined) {
    throw invalidField("ssh.password", "Give the tunnel a password or a private key, not both.");
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
      help: "An SSH server on the way. The database's host is then looked up from there.",
    },
    { ...formFields.port(`${SSH_PORT} when left out.`), name: "ssh.port", label: "Tunnel port" },
    { ...formFields.user("Needed with a tunnel."), name: "ssh.user", label: "Tunnel user" },
    { ...formFields.password, name: "ssh.password", label: "Tunnel password" },
    {
      name: "ssh.privateKey",
      label: "Tunnel private key",
      kind: "textarea",
      required: false,
      secret: true,
      help: "Instead of the password: the key as it stands in its file, without a passphrase. It is sealed here.",
      maxLength: KEY_CHARS_MAX,
    },
    {
      name: "ssh.hostKeySha256",
      label: "Tunnel host key",
      kind: "text",
      required: false,
      secret: false,
      isTarget: true,
      help: "Its SHA256 fingerprint. A test shows the one that the server has; nothing is sent to a server with another.",
      maxLength: 100,
    },
    {
      name: "schemas",
      label: shown,
      kind: "json",
      required: false,
      secret: false,
      names: { max: NAMES_MAX, maxLength: NAME_CHARS_MAX },
      help: "With commas between them; all when left out. It is a view: queries reach whatever the user may read.",
    },
    {
      name: "statementTimeoutMs",
      label: "Stop a statement after",
      kind: "number",
      required: false,
      secret: false,
      integer: { min: STATEMENT_MS_MIN, max: STATEMENT_MS_MAX },
      help: "Milliseconds. For queries, flows and tests alike; as long as they may take when left out.",
    },
  ];
}

/** Further reasons to reject a field's value. */
export const SERVER_REFUSALS = {
  "ssh.host": "No usable name or address, or the rest of a tunnel without it",
  "ssh.user": "A tunnel without a user",
  "ssh.password": "A tunnel with neither a password nor a key, or with both",
  "ssh.privateKey": "What is no private key, or one with a passphrase",
  "ssh.hostKeySha256": "What is no SHA256 fingerprint",
  schemas: "A name that is there twice",
} as const;
