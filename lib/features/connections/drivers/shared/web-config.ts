import "server-only";
import { z } from "zod";
import type { ConfigField } from "@/lib/features/connections/schema";
import { parseWebTarget } from "@/lib/platform/net/host";
import { checkHeaders } from "@/lib/platform/net/safe-fetch";
import { checkAddress } from "./check-address";
import { atField, invalidField } from "./config";
import { type JsonPath, parseJsonPath } from "./json-path";

/** The sign-in and request settings of a web service, for any protocol. */
export type WebConfig = {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Headers of the sign-in. */
  headers: Readonly<Record<string, string>>;
  /** Added to each requested URL, and to none that is shown. */
  query: { name: string; value: string } | null;
  /** Maximum requests per minute; null for no limit. */
  perMinute: number | null;
  /** Secrets to mask, in each form in which they are sent. */
  secrets: readonly string[];
};

const SECRET_CHARS_MAX = 8000;
const NAME_CHARS_MAX = 200;
const PER_MINUTE_MAX = 60_000;
const RESOURCES_MAX = 200;

const NO_CONTROL = /^[^\p{Cc}]*$/u;
const secret = z.string().min(1).max(SECRET_CHARS_MAX, "This is too long.").regex(NO_CONTROL, "Remove line breaks.");
const name = z.string().min(1).max(NAME_CHARS_MAX, "This is too long.").regex(NO_CONTROL, "Remove line breaks.");

const auth = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("none") }),
    z.strictObject({ kind: z.literal("bearer"), token: secret }),
    z.strictObject({
      kind: z.literal("basic"),
      user: name.regex(/^[^:]*$/, "The user can't contain a colon."),
      password: secret.optional(),
    }),
    z.strictObject({ kind: z.literal("header"), name, value: secret }),
    z.strictObject({ kind: z.literal("query"), name, value: secret }),
  ])
  .default({ kind: "none" });

/** Settings of every web service; schemas of drivers extend them. */
export const webShape = {
  auth,
  headers: z.record(name, z.string().max(SECRET_CHARS_MAX, "This is too long.")).default({}),
  rateLimitPerMinute: z.number().int().min(1).max(PER_MINUTE_MAX).optional(),
};
type WebInput = z.output<z.ZodObject<typeof webShape>>;

/** A path into a response. */
export const jsonPath = z.string().transform((text, context): JsonPath => {
  const path = parseJsonPath(text);
  if (path) return path;
  context.addIssue({ code: "custom", message: "Enter a path such as data.items or pages[0].rows." });
  return z.NEVER;
});

const field = z.string().min(1, "Enter a field name.").max(NAME_CHARS_MAX, "This is too long.");
/** Settings of every resource. */
export const resourceShape = {
  name,
  /** One field, or several that identify a record together. */
  primaryKey: z.union([field.transform((one) => [one]), z.array(field).max(20, "At most 20 fields.")]).default([]),
  cursorField: field.optional(),
};

/** @param resource a schema with `name` */
export function resourcesOf<T extends { name: string }>(resource: z.ZodType<T>) {
  return z
    .array(resource, "Must be a list.")
    .max(RESOURCES_MAX, `At most ${RESOURCES_MAX} resources.`)
    .superRefine((list, context) => {
      list.forEach(({ name }, index) => {
        if (list.findIndex((other) => other.name === name) === index) return;
        context.addIssue({ code: "custom", path: [index, "name"], message: `Duplicate resource ${name}.` });
      });
    })
    .default([]);
}

/**
 * Builds the settings of a web service.
 * @param place the field of the address
 * @throws AppError `invalid_request`
 */
export function toWebConfig(address: string, place: string, input: WebInput): WebConfig {
  const { url } = atField(place, () => parseWebTarget(address));
  if (url.search !== "" || url.hash !== "") {
    throw invalidField(place, "Remove the query string and fragment. Use the parameter fields instead.");
  }
  const signIn = toSignIn(input.auth);
  atField("headers", () => checkHeaders(input.headers));
  atField("auth", () => checkHeaders(signIn.headers));
  const lower = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([each, value]) => [each.toLowerCase(), value]));
  return {
    baseUrl: url.href.replace(/\/+$/, ""),
    headers: { ...lower(input.headers), ...lower(signIn.headers) },
    query: signIn.query,
    perMinute: input.rateLimitPerMinute ?? null,
    secrets: [...signIn.secrets, ...Object.values(input.headers)],
  };
}

/** Checks the address before it is stored (T30, T38). @throws AppError `address_refused`, `invalid_request` */
export async function checkWebConfig({ baseUrl }: Pick<WebConfig, "baseUrl">): Promise<void> {
  const { host, port } = parseWebTarget(baseUrl);
  await checkAddress(host, port, "http");
}

function toSignIn(auth: WebInput["auth"]): Pick<WebConfig, "query" | "secrets"> & { headers: Record<string, string> } {
  const none = { headers: {}, query: null };
  switch (auth.kind) {
    case "none":
      return { ...none, secrets: [] };
    case "bearer":
      return { ...none, headers: { Authorization: `Bearer ${auth.token}` }, secrets: [auth.token] };
    case "basic": {
      const pair = `${auth.user}:${auth.password ?? ""}`;
      const headers = { Authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` };
      return { ...none, headers, secrets: [pair, auth.password ?? ""] };
    }
    case "header":
      return { ...none, headers: { [auth.name]: auth.value }, secrets: [auth.value] };
    case "query":
      return { ...none, query: { name: auth.name, value: auth.value }, secrets: [auth.value] };
  }
}

const shownFor = (...kinds: string[]) => ({ showWhen: { field: "auth.kind", oneOf: kinds } });

/** The inputs of a web service's form. */
export const webFields = {
  address: (name: string, label: string, example: string): ConfigField => ({
    name,
    label,
    kind: "text",
    required: true,
    secret: false,
    isTarget: true,
    help: "Credentials are sent only to this host.",
    example,
  }),
  auth: [
    {
      name: "auth.kind",
      label: "Authentication",
      kind: "select",
      required: false,
      secret: false,
      default: "none",
      options: [
        { value: "none", label: "None" },
        { value: "bearer", label: "Bearer token" },
        { value: "basic", label: "Basic (user and password)" },
        { value: "header", label: "API key in header" },
        { value: "query", label: "API key in URL" },
      ],
    },
    { name: "auth.token", label: "Token", kind: "password", required: true, secret: true, ...shownFor("bearer") },
    { name: "auth.user", label: "User", kind: "text", required: true, secret: false, ...shownFor("basic") },
    { name: "auth.password", label: "Password", kind: "password", required: false, secret: true, ...shownFor("basic") },
    {
      name: "auth.name",
      label: "Name",
      kind: "text",
      required: true,
      secret: false,
      help: "Header or query parameter name.",
      example: "X-Api-Key",
      ...shownFor("header", "query"),
    },
    {
      name: "auth.value",
      label: "Key",
      kind: "password",
      required: true,
      secret: true,
      ...shownFor("header", "query"),
    },
  ] satisfies ConfigField[],
  headers: {
    name: "headers",
    label: "Headers",
    kind: "json",
    required: false,
    secret: true,
    namesShown: true,
    help: "Sent with every request.",
  } satisfies ConfigField,
  rateLimit: {
    name: "rateLimitPerMinute",
    label: "Requests per minute",
    kind: "number",
    required: false,
    secret: false,
    help: "Leave empty for no limit. 429 responses are always honoured.",
    integer: { min: 1, max: PER_MINUTE_MAX },
  } satisfies ConfigField,
};

/** Further reasons to reject a field's value. */
export const WEB_REFUSALS = {
  auth: "A setting of another authentication type, or an invalid header value",
  headers: "A reserved header, or an invalid header value",
};
