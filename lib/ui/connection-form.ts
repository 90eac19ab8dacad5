import type { ConfigField } from "@/lib/connections/schema";

/**
 * The form of a connection, drawn from the fields of its type: what is typed, what is wrong with it, and the config that
 * is sent. Values are kept as they stand in the inputs.
 */
export type FormValues = Record<string, string | boolean>;
/** A database's address can be given in single fields or as one string; types with one way only are always "fields". */
export type AddressWay = "fields" | "string";

export const STRING_FIELD = "connectionString";
/** What a connection string says instead of them. */
const SAID_BY_STRING = new Set(["host", "port", "database", "user", "password", "ssl"]);

export function hasTwoWays(fields: ConfigField[]): boolean {
  const names = new Set(fields.map(({ name }) => name));
  return names.has(STRING_FIELD) && names.has("host");
}

/** The fields that the form shows for this way of giving the address. */
export function toShownFields(fields: ConfigField[], way: AddressWay): ConfigField[] {
  if (!hasTwoWays(fields)) return fields;
  return fields.filter(({ name }) => (way === "string" ? !SAID_BY_STRING.has(name) : name !== STRING_FIELD));
}

/** @param config the stored one, null for a new connection */
export function toInitialValues(fields: ConfigField[], config: Record<string, unknown> | null): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, toInitialValue(field, config)]));
}

/** The names of the secrets that are stored: the server says that they are set, never what they are. */
export function toStoredSecrets(fields: ConfigField[], config: Record<string, unknown> | null): Set<string> {
  return new Set(fields.filter(({ name, secret }) => secret && isSetMark(config?.[name])).map(({ name }) => name));
}

/** The stored secrets that have to be typed again, because the connection would lead elsewhere or be less safe. */
export function findMovedSecrets(
  shown: ConfigField[],
  values: FormValues,
  initial: FormValues,
  stored: Set<string>,
): Set<string> {
  const moves = shown.some(({ name, isTarget, secret }) => isTarget && !secret && values[name] !== initial[name]);
  const lowers = shown.some(({ name, isSafety, options = [] }) => {
    const safetyOf = (value: string | boolean | undefined) => options.findIndex((option) => option.value === value);
    return isSafety && safetyOf(values[name]) < safetyOf(initial[name]);
  });
  return moves || lowers ? new Set(shown.filter(({ name }) => stored.has(name)).map(({ name }) => name)) : new Set();
}

/**
 * What keeps the form from being sent, by field.
 * @param kept names of stored secrets that are left as they are
 */
export function findFormProblems(shown: ConfigField[], values: FormValues, kept: Set<string>): Record<string, string> {
  const problems: Record<string, string> = {};
  const isHostNeeded = shown.some(({ name }) => name === "host");
  for (const field of shown) {
    const value = values[field.name] ?? "";
    const problem = findProblem(field, value, isHostNeeded && field.name === "host");
    if (problem !== null && !kept.has(field.name)) problems[field.name] = problem;
  }
  return problems;
}

/**
 * The config to send. Secrets that are kept are left out; a field that was emptied is null, which takes it away.
 * @param isNew a new connection has nothing to take away
 */
export function toConfig(
  fields: ConfigField[],
  shown: ConfigField[],
  values: FormValues,
  options: { kept: Set<string>; isNew: boolean },
): Record<string, unknown> {
  const isShown = new Set(shown.map(({ name }) => name));
  const entries = fields.flatMap((field): [string, unknown][] => {
    if (isShown.has(field.name) && options.kept.has(field.name)) return [];
    const value = isShown.has(field.name) ? toWire(field, values[field.name] ?? "") : null;
    return value === null && options.isNew ? [] : [[field.name, value]];
  });
  return Object.fromEntries(entries);
}

function findProblem(field: ConfigField, value: string | boolean, isNeeded: boolean): string | null {
  if (typeof value === "boolean") return null;
  const text = value.trim();
  if (text === "") return field.required || isNeeded ? `${field.label} is needed.` : null;
  if (field.kind === "number" && !Number.isFinite(Number(text))) return "A number is needed.";
  if (field.kind === "json" && parseJson(text) === undefined) return "This is not valid JSON.";
  return null;
}

function toInitialValue(field: ConfigField, config: Record<string, unknown> | null): string | boolean {
  const stored = config?.[field.name];
  if (field.kind === "boolean") return typeof stored === "boolean" ? stored : field.default === true;
  if (field.secret) return "";
  if (stored !== undefined && stored !== null) {
    return field.kind === "json" ? JSON.stringify(stored, null, 2) : String(stored);
  }
  // A stored connection without the value has none on purpose; only a choice always stands somewhere.
  const isFresh = config === null || field.kind === "select";
  return isFresh && field.default !== undefined ? String(field.default) : "";
}

function toWire(field: ConfigField, value: string | boolean): unknown {
  if (typeof value === "boolean") return value;
  // A password may begin or end with a space.
  const text = field.secret ? value : value.trim();
  if (text === "") return null;
  if (field.kind === "number") return Number(text);
  return field.kind === "json" ? parseJson(text) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSetMark(value: unknown): boolean {
  return typeof value === "object" && value !== null && "set" in value && value.set === true;
}
