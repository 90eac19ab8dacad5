import {
  groupOf,
  isFieldShown,
  isPlainObject,
  isSetMark,
  valueAt,
  withValue,
} from "@/lib/features/connections/config-fields";
import type { ConfigField } from "@/lib/features/connections/schema";

/**
 * The form of a connection, built from the fields of its type: the input values, their problems, and the config to
 * send. Values are kept as the inputs hold them.
 */
export type FormValues = Record<string, string | boolean>;
/** A database's address comes as single fields or as one string. Types with only one way are always "fields". */
export type AddressWay = "fields" | "string";

export const STRING_FIELD = "connectionString";
/** Fields that a connection string replaces. */
const SAID_BY_STRING = new Set(["host", "port", "database", "user", "password", "ssl"]);

export function hasTwoWays(fields: ConfigField[]): boolean {
  const names = new Set(fields.map(({ name }) => name));
  return names.has(STRING_FIELD) && names.has("host");
}

/** The settings of an SSH tunnel, which are set or unset as a whole. */
const TUNNEL = "ssh";
export const isTunnelField = ({ name }: ConfigField) => groupOf(name) === TUNNEL;
/** Fields that the form shows in separate sections, after the type's other settings. */
export const SCHEMAS_FIELD = "schemas";
const LIMIT_FIELDS = new Set([SCHEMAS_FIELD, "statementTimeoutMs", "queriesMax"]);
export const isLimitField = ({ name }: ConfigField) => LIMIT_FIELDS.has(name);

export function hasTunnel(config: Record<string, unknown> | null): boolean {
  return isPlainObject(config?.[TUNNEL]);
}

/** Returns the fields that the form shows for this way of giving the address and the present choices. */
export function toShownFields(fields: ConfigField[], way: AddressWay, values: FormValues = {}): ConfigField[] {
  const shown = fields.filter((field) => isFieldShown(field, fields, (name) => values[name]));
  if (!hasTwoWays(fields)) return shown;
  return shown.filter(({ name }) => (way === "string" ? !SAID_BY_STRING.has(name) : name !== STRING_FIELD));
}

/**
 * Returns the field that a server problem is about: `resources.0.path` is about `resources`. Null for none of these.
 */
export function toFieldOfPath(path: string, fields: readonly ConfigField[]): string | null {
  const about = fields.filter(({ name }) => path === name || path.startsWith(`${name}.`));
  return about.toSorted((a, b) => b.name.length - a.name.length)[0]?.name ?? null;
}

/**
 * Returns the form's initial values.
 * @param config the stored one, null for a new connection
 */
export function toInitialValues(fields: ConfigField[], config: Record<string, unknown> | null): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, toInitialValue(field, config)]));
}

/** Returns the names of the stored secrets. The server says that they are set, never their values. */
export function toStoredSecrets(fields: ConfigField[], config: Record<string, unknown> | null): Set<string> {
  const isStored = ({ name, secret }: ConfigField) => secret && config !== null && isSetMark(valueAt(config, name));
  return new Set(fields.filter(isStored).map(({ name }) => name));
}

/** Returns the stored secrets to enter again, because the connection would lead elsewhere or be less safe. */
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
 * Returns the problems that keep the form from being sent, by field.
 * @param kept names of stored secrets that stay unchanged
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
 * Returns the config to send. Kept secrets are omitted. An emptied field is null, which removes it.
 * @param isNew a new connection has nothing to remove
 */
export function toConfig(
  fields: ConfigField[],
  shown: ConfigField[],
  values: FormValues,
  options: { kept: Set<string>; isNew: boolean },
): Record<string, unknown> {
  const isShown = new Set(shown.map(({ name }) => name));
  let config: Record<string, unknown> = {};
  for (const field of fields) {
    if (isShown.has(field.name) && options.kept.has(field.name)) continue;
    const value = isShown.has(field.name) ? toWire(field, values[field.name] ?? "") : null;
    if (value !== null || !options.isNew) config = withValue(config, field.name, value);
  }
  return config;
}

/** A named secret of a field that shows the names: `text` is null while the stored secret is kept. */
export type NamedRow = { name: string; text: string | null };

/** Returns the rows of a field with named secrets, in the order of entry. */
export function toNamedRows(value: string): NamedRow[] {
  const parsed = value === "" ? {} : parseJson(value);
  const pairs: unknown[] = Array.isArray(parsed) ? parsed : Object.entries(isPlainObject(parsed) ? parsed : {});
  return pairs.map((pair) => {
    const [name, text] = Array.isArray(pair) ? pair : [];
    return { name: String(name ?? ""), text: typeof text === "string" ? text : null };
  });
}

/** Returns the field's text, empty for no rows. Rows are pairs, since a name that is being typed may be a duplicate. */
export function toNamedText(rows: NamedRow[]): string {
  return rows.length === 0 ? "" : JSON.stringify(rows.map(({ name, text }) => [name, text]));
}

/** Returns whether the values include stored secrets, which the browser does not know. */
export function keepsNamedSecrets(fields: ConfigField[], values: FormValues): boolean {
  return fields.some(
    ({ name, namesShown }) => namesShown && toNamedRows(String(values[name] ?? "")).some(({ text }) => text === null),
  );
}

function findNamedProblem(rows: NamedRow[]): string | null {
  const names = rows.map(({ name }) => name.trim().toLowerCase());
  if (names.includes("")) return "Enter a name for each row, or remove it.";
  const twice = rows.find((_, index) => names.indexOf(names[index] ?? "") !== index);
  if (twice) return `${twice.name.trim()} is a duplicate.`;
  const empty = rows.find(({ text }) => text === "");
  return empty ? `Enter a value for ${empty.name.trim()}, or remove it.` : null;
}

/** Returns a list of names as its input shows it: separated by commas, or as JSON where a name contains a comma. */
export function fromNames(names: readonly string[]): string {
  const text = names.join(", ");
  const isPlain = names.every((name, index) => toNames(text)[index] === name) && toNames(text).length === names.length;
  return isPlain ? text : JSON.stringify(names);
}

/** Reverses `fromNames`. */
export function toNames(text: string): string[] {
  const list = text.trim().startsWith("[") ? parseJson(text) : undefined;
  if (Array.isArray(list)) return list.map(String);
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function findNamesProblem(names: string[], max: number): string | null {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `${twice} is a duplicate.`;
  return names.length > max ? `Use at most ${max} names.` : null;
}

function findProblem(field: ConfigField, value: string | boolean, isNeeded: boolean): string | null {
  if (typeof value === "boolean") return null;
  const text = value.trim();
  if (text === "") return field.required || isNeeded ? `${field.label} is required.` : null;
  if (field.namesShown) return findNamedProblem(toNamedRows(text));
  if (field.names) return findNamesProblem(toNames(text), field.names.max);
  if (field.kind === "number" && !Number.isFinite(Number(text))) return "Enter a number.";
  if (field.kind === "json" && parseJson(text) === undefined) return "Invalid JSON.";
  return null;
}

function toInitialValue(field: ConfigField, config: Record<string, unknown> | null): string | boolean {
  const stored = config === null ? undefined : valueAt(config, field.name);
  if (field.kind === "boolean") return typeof stored === "boolean" ? stored : field.default === true;
  if (field.namesShown) return isPlainObject(stored) ? toNamedText(toNamedRows(JSON.stringify(stored))) : "";
  if (field.secret) return "";
  if (stored !== undefined && stored !== null) {
    if (field.names) return Array.isArray(stored) ? fromNames(stored.map(String)) : "";
    return field.kind === "json" ? JSON.stringify(stored, null, 2) : String(stored);
  }
  if (config === null && field.suggested !== undefined) return field.suggested;
  // A stored connection without the value has none on purpose; only a choice always has a value.
  const isFresh = config === null || field.kind === "select";
  return isFresh && field.default !== undefined ? String(field.default) : "";
}

function toWire(field: ConfigField, value: string | boolean): unknown {
  if (typeof value === "boolean") return value;
  if (field.namesShown) {
    const rows = toNamedRows(value);
    const pairs = rows.map(({ name, text }) => [name.trim(), text ?? { set: true }]);
    return rows.length === 0 ? null : Object.fromEntries(pairs);
  }
  // A password may begin or end with a space.
  const text = field.secret ? value : value.trim();
  if (text === "") return null;
  if (field.kind === "number") return Number(text);
  if (field.names) return toNames(text);
  return field.kind === "json" ? parseJson(text) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
