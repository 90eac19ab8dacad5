import { z } from "zod";

/** Value in .env.example. A server with it does not start (T23). */
export const EXAMPLE_AUTH_SECRET = "replace-this-example-by-32-random-bytes-or-more";
/** Minimum length of a signing secret, in bytes; a shorter one can be guessed (T23). */
export const SECRET_BYTES_MIN = 32;
/** Key size of AES-256, which encrypts the stored secrets, in bytes. */
export const ENCRYPTION_KEY_BYTES = 32;

const SAMPLE_DATA_HINT = "must be on, off or the last day of its data, such as 2026-10-31";

/**
 * Declares every setting of the platform (docs/develop/api.md, Settings); only this file reads process.env. Scripts run
 * it without a bundler: no syntax that cannot be stripped, no "@/" names. An empty string means unset, so a copied
 * .env.example with blanks is valid. Values are validated on first use, which is the server's start.
 */
const settings = z.object({
  NODE_ENV: z
    .enum(["development", "production", "test"], "must be development, production or test")
    .default("development"),
  PORT: integer("a port number, 1 to 65535", 1, 65_535).default(3000),
  HOST: z.string().optional(),
  PUBLIC_URL: origin().optional(),
  DATA_DIR: z.string().default(".data"),

  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/./, "must start with mongodb:// or mongodb+srv://")
    .optional(),
  STORE_PASSWORD: z
    .string()
    .regex(/^[\x20-\x7e]{12,128}$/, "must have 12 to 128 printable ASCII characters")
    .optional(),
  STORE_DURABILITY: z.enum(["normal", "full"], "must be normal or full").default("normal"),

  AUTH_SECRET: z
    .string()
    .refine((value) => value !== EXAMPLE_AUTH_SECRET, "is still the example value. Set your own secret, or remove it")
    .refine((value) => Buffer.byteLength(value) >= SECRET_BYTES_MIN, `must be at least ${SECRET_BYTES_MIN} bytes long`)
    .optional(),
  ENCRYPTION_KEYS: z
    .string()
    .transform((value, context) => {
      try {
        return parseKeyRing(value);
      } catch (error) {
        context.addIssue({
          code: "custom",
          message: error instanceof Error ? error.message : "must be a list of keys",
        });
        return z.NEVER;
      }
    })
    .optional(),

  ALLOW_PRIVATE_NETWORK: z.enum(["none", "databases", "all"], "must be none, databases or all").optional(),
  RATE_LIMIT_SCALE: z.coerce.number("must be a number above 0").positive("must be a number above 0").default(1),
  JOB_RETRY_FAST: flag().default(false),
  TRUST_PROXY: integer("the number of trusted proxies, 0 to 10", 0, 10).optional(),
  SAMPLE_DATA: z.union([z.enum(["on", "off"]), z.iso.date(SAMPLE_DATA_HINT)], SAMPLE_DATA_HINT).default("on"),
  SIGN_UP: signUpPolicy().default({ mode: "open", domains: [] }),

  SMTP_URL: smtpAddress().optional(),
  RESEND_API_KEY: z.string().optional(),
  RESEND_BASE_URL: webAddress().default("https://api.resend.com"),
  MAIL_FROM: z.string().default("Millrace <millrace@localhost>"),

  INNGEST_BASE_URL: webAddress().optional(),
  INNGEST_EVENT_KEY: z.string().optional(),
  INNGEST_SIGNING_KEY: z.string().optional(),
  INNGEST_SIGNING_KEY_FALLBACK: z.string().optional(),
  INNGEST_DEV: z.string().optional(),

  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: webAddress().default("https://api.anthropic.com/v1"),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: webAddress().default("https://api.openai.com/v1"),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  GOOGLE_GENERATIVE_AI_BASE_URL: webAddress().default("https://generativelanguage.googleapis.com/v1beta"),
  OPENAI_COMPATIBLE_BASE_URL: webAddress().optional(),
  OPENAI_COMPATIBLE_API_KEY: z.string().optional(),
  DEFAULT_MODEL: z.string().optional(),
  CHAT_TOKENS_PER_DAY: z.coerce
    .number("must be a number above 0")
    .positive("must be a number above 0")
    .default(10_000_000),

  GITHUB_APP_ID: z.string().regex(/^\d+$/, "must be the GitHub App ID").optional(),
  GITHUB_APP_PRIVATE_KEY: z.string().optional(),
  GITHUB_CLIENT_ID: z.string().optional(),
  GITHUB_CLIENT_SECRET: z.string().optional(),
  GITHUB_WEBHOOK_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  GITHUB_API_URL: webAddress().default("https://api.github.com"),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),

  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),

  STRIPE_API_URL: webAddress().default("https://api.stripe.com"),

  APP_REGISTRY_URL: webAddress().optional(),

  BLOB_STORE_URL: z
    .string()
    .regex(/^s3:\/\/./, "must start with s3://")
    .optional(),

  VERCEL: z.string().optional(),
  VERCEL_PROJECT_PRODUCTION_URL: z.string().optional(),
});

/** Variables that the runtime or the hosting platform sets, not the installer: absent from .env.example. */
export const PLATFORM_NAMES: readonly string[] = ["NODE_ENV", "VERCEL", "VERCEL_PROJECT_PRODUCTION_URL", "INNGEST_DEV"];
export const SETTING_NAMES: readonly string[] = Object.keys(settings.shape).filter(
  (name) => !PLATFORM_NAMES.includes(name),
);

/** A key of the ring: the first encrypts new values; older values are decrypted by their key's id. */
export type EncryptionKey = { id: string; key: Buffer };

type Settings = z.output<typeof settings>;
export type Env = Omit<
  Settings,
  "ALLOW_PRIVATE_NETWORK" | "TRUST_PROXY" | "VERCEL" | "VERCEL_PROJECT_PRODUCTION_URL"
> & {
  TRUST_PROXY: number;
  /** Whether the platform has no long-lived processes: no embedded store, no file engines. */
  isVercel: boolean;
  /** True without a MONGODB_URI: this installation then runs an embedded store under DATA_DIR. */
  isEmbeddedStore: boolean;
  /** Origin of links in mails and payloads, without a trailing slash. */
  publicUrl: string;
  /** Private addresses that may be dialled; cloud metadata never is. */
  privateNetwork: "none" | "databases" | "all";
};

/** Settings with which a server cannot start. `problems` name the setting and say what to do, never its value. */
export class EnvError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
    this.name = "EnvError";
  }
}

let cached: Env | undefined;

/**
 * Returns the settings of this process, validated once. A build gets the defaults: its output must not depend on the
 * machine, and the start reports wrong values.
 * @throws EnvError naming every setting that is missing or wrong
 */
export function env(): Env {
  cached ??= parseEnv(process.env.NEXT_PHASE === "phase-production-build" ? {} : process.env);
  return cached;
}

/** Forgets the settings, so that a test file reads those that it set. */
export function forgetEnv(): void {
  cached = undefined;
}

/**
 * Checks settings and adds the derived ones.
 * @throws EnvError naming every setting that is missing or wrong
 */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new EnvError(parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`));
  }
  const { ALLOW_PRIVATE_NETWORK, VERCEL, VERCEL_PROJECT_PRODUCTION_URL, ...values } = parsed.data;
  const isVercel = VERCEL !== undefined;
  const problems = demandedProblems(values, isVercel);
  if (problems.length > 0) throw new EnvError(problems);
  return {
    ...values,
    isVercel,
    // Vercel always has a proxy in front, which overwrites the header.
    TRUST_PROXY: values.TRUST_PROXY ?? (isVercel ? 1 : 0),
    isEmbeddedStore: values.MONGODB_URI === undefined && !isVercel,
    publicUrl:
      values.PUBLIC_URL ??
      (isVercel && VERCEL_PROJECT_PRODUCTION_URL
        ? `https://${VERCEL_PROJECT_PRODUCTION_URL}`
        : `http://localhost:${values.PORT}`),
    privateNetwork: ALLOW_PRIVATE_NETWORK ?? (isVercel ? "none" : "databases"),
  };
}

/**
 * Parses `id:base64,...`, the newest first.
 * @throws Error naming the problem, without any key's value
 */
export function parseKeyRing(text: string): EncryptionKey[] {
  const keys = text.split(",").map((part) => {
    const [id = "", encoded = "", ...rest] = part.trim().split(":");
    if (rest.length > 0 || !/^[A-Za-z0-9_-]{1,32}$/.test(id)) {
      throw new Error("must be a list of id:base64 (an id has letters, digits, - and _)");
    }
    const key = Buffer.from(encoded, "base64");
    if (key.length !== ENCRYPTION_KEY_BYTES || key.toString("base64") !== encoded) {
      throw new Error(`has a key, "${id}", that is not ${ENCRYPTION_KEY_BYTES} bytes in base64`);
    }
    return { id, key };
  });
  if (new Set(keys.map((entry) => entry.id)).size !== keys.length) throw new Error("has duplicate key IDs");
  return keys;
}

/**
 * Returns the problems of settings that a shared store, Vercel and an external job runner require (docs/develop/api.md,
 * Settings).
 */
function demandedProblems(values: Pick<Settings, DemandedName | "MONGODB_URI">, isVercel: boolean): string[] {
  const reasons = new Map<DemandedName, string>();
  const demand = (reason: string, ...names: DemandedName[]) => {
    for (const name of names) if (values[name] === undefined) reasons.set(name, reason);
  };
  if (values.MONGODB_URI !== undefined) {
    demand("because MONGODB_URI is set and all servers must share it", "AUTH_SECRET", "ENCRYPTION_KEYS");
  }
  if (values.INNGEST_BASE_URL ?? values.INNGEST_EVENT_KEY ?? values.INNGEST_SIGNING_KEY) {
    demand("for a self-hosted job runner", "INNGEST_EVENT_KEY", "INNGEST_SIGNING_KEY");
  }
  if (isVercel) {
    // Our choice: INNGEST_BASE_URL is optional there, since the default is Inngest's cloud.
    demand(
      "on Vercel, which has no persistent processes or disk",
      "MONGODB_URI",
      "AUTH_SECRET",
      "ENCRYPTION_KEYS",
      "INNGEST_EVENT_KEY",
      "INNGEST_SIGNING_KEY",
    );
  }
  const problems = [...reasons].map(([name, reason]) => `${name} is required ${reason}`);
  if (values.NODE_ENV === "production" && isOn(values.INNGEST_DEV)) {
    problems.push("INNGEST_DEV must not be set in production because it disables signature checks on the job endpoint");
  }
  return problems;
}

type DemandedName =
  | "MONGODB_URI"
  | "AUTH_SECRET"
  | "ENCRYPTION_KEYS"
  | "INNGEST_BASE_URL"
  | "INNGEST_EVENT_KEY"
  | "INNGEST_SIGNING_KEY"
  | "INNGEST_DEV"
  | "NODE_ENV";

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "0" && value !== "false";
}

function integer(what: string, min: number, max: number) {
  const message = `must be ${what}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .pipe(z.number(message).min(min, message).max(max, message));
}

function flag() {
  return z.enum(["0", "1", "false", "true"], "must be 1 or 0").transform((value) => value === "1" || value === "true");
}

/** Policy for creating accounts. `domains` is empty unless the mode is `domain`. */
export type SignUpPolicy = { mode: "open" | "domain" | "invite" | "off"; domains: string[] };

function signUpPolicy() {
  const message = "must be open, domain:example.com (several with commas between them), invite or off";
  return z.string().transform((value, context): SignUpPolicy => {
    const [mode = "", list, ...rest] = value.trim().toLowerCase().split(":");
    if (list === undefined && (mode === "open" || mode === "invite" || mode === "off")) return { mode, domains: [] };
    const domains = (list ?? "").split(",").map((domain) => domain.trim().replace(/^@/, ""));
    const isDomain = mode === "domain" && rest.length === 0 && domains.every((domain) => DOMAIN.test(domain));
    if (isDomain) return { mode, domains };
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** A host name with at least one dot, in lower case: RFC 1035 labels, international ones in their ASCII form. */
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

function webAddress() {
  return z
    .string()
    .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), "must be an http:// or https:// URL")
    .transform((value) => value.replace(/\/+$/, ""));
}

function smtpAddress() {
  const isAddress = (value: string) => {
    const url = URL.parse(value);
    return url !== null && url.hostname !== "" && (url.password === "" || url.username !== "");
  };
  return z
    .string()
    .refine(
      (value) => /^smtps?:\/\//.test(value) && isAddress(value),
      "must be smtp://user:password@host:587 or smtps://...; write special characters of the password percent-encoded",
    )
    .refine((value) => {
      const options = [...(URL.parse(value)?.searchParams ?? [])].map(([name, given]) => `${name}=${given}`);
      return options.every((option) => option === "tls=required" || option === "tls=off") && options.length <= 1;
    }, "takes one option, tls=required or tls=off");
}

function origin() {
  return webAddress().refine(
    (value) => new URL(value).origin === value.toLowerCase(),
    "must be a URL without a path, such as https://data.example.com",
  );
}
