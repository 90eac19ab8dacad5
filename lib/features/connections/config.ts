import "server-only";
import { findClosest } from "@/lib/base/values/edit-distance";
import { toShownName } from "@/lib/base/values/problem-path";
import { AppError, type InputProblem, PROBLEMS_MAX } from "@/lib/platform/http/errors";
import { open, SealError, type Sealed, seal } from "@/lib/platform/secrets/seal";
import { contextOf } from "@/lib/platform/secrets/sealed-fields";
import { groupOf, isFieldShown, isPlainObject, isSetMark, valueAt, withValue } from "./config-fields";
import type { Driver } from "./data-source";
import { type ConnectionDoc, toFieldName, toSecretKey } from "./model";
import type { ConfigField } from "./schema";

/** Maximum characters of a value: a private key with its certificates fits, and is the largest. */
export const VALUE_CHARS_MAX = 32_000;

export type Config = Record<string, unknown>;

/** Maximum number of names in a field that shows the names of its secrets. */
const NAMES_MAX = 50;
/** A plain word, such as a header name: the names are stored in plain text. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,99}$/;

/**
 * Validates a config against the fields of its type and fills in defaults. Refuses unknown names (T43) and settings
 * that do not apply to the other choices.
 * @throws AppError `invalid_request` naming each field that is wrong
 */
export function parseConfig(driver: Driver, given: Config): Config {
  const { fields, label } = driver;
  const input = nest(fields, given);
  const unknown = findUnknown(fields, input).slice(0, PROBLEMS_MAX);
  const problems: InputProblem[] = unknown.map(({ path, isGroup }) => ({
    path: `config.${toShownName(path)}`,
    message: isGroup ? "Must be an object." : `Unknown setting for ${label}. ${toOffer(fields, path)}`,
  }));
  let config: Config = {};
  for (const field of fields) {
    const sent = valueAt(input, field.name);
    const isShown = isFieldShown(field, fields, (name) => valueAt(input, name));
    if (!isShown && isAbsent(sent)) continue;
    const value = sent ?? field.default;
    const problem = isShown ? problemOf(field, value) : "Not allowed with the selected option. Remove it.";
    if (problem) problems.push({ path: `config.${field.name}`, message: problem });
    else if (!isAbsent(value)) config = withValue(config, field.name, value);
  }
  if (problems[0]) throw invalidConfig(problems);
  return config;
}

/** Splits a config into the plain part and the secrets, which are encrypted for this record. */
export function sealConfig(
  driver: Driver,
  doc: Pick<ConnectionDoc, "_id" | "workspaceId">,
  config: Config,
): { config: Config; secrets: Record<string, Sealed> } {
  let shown: Config = {};
  const secrets: Record<string, Sealed> = {};
  for (const { name, secret, namesShown } of driver.fields) {
    const value = valueAt(config, name);
    if (isAbsent(value)) continue;
    if (secret) {
      const key = toSecretKey(name);
      secrets[key] = seal(JSON.stringify(value), contextOf(doc, `secrets.${key}`));
    }
    if (!secret) shown = withValue(shown, name, value);
    else if (namesShown) shown = withValue(shown, name, marksOf(value));
  }
  return { config: shown, secrets };
}

/**
 * Decrypts the whole config. Never return it in a response or log it.
 * @throws AppError `precondition_failed` naming each secret that does not decrypt: its key is gone, or it was moved
 */
export function openConfig(doc: ConnectionDoc): Config {
  const { config, lost } = openWhatOpens(doc);
  const [first] = Object.values(lost);
  if (!first) return config;
  throw new AppError("precondition_failed", first.message, { cause: first, details: enterAgain(Object.keys(lost)) });
}

/**
 * A config with the secrets that could be decrypted, for someone who enters the rest again. `lost` holds the others by
 * name.
 */
export type OpenedConfig = { config: Config; lost: Record<string, SealError> };

/** Decrypts the secrets that can be decrypted. Never return them in a response or log them. */
export function openWhatOpens(doc: ConnectionDoc): OpenedConfig {
  const opened: OpenedConfig = { config: { ...doc.config }, lost: {} };
  for (const [key, sealed] of Object.entries(doc.secrets)) {
    const name = toFieldName(key);
    try {
      opened.config = withValue(opened.config, name, JSON.parse(open(sealed, contextOf(doc, `secrets.${key}`))));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      opened.lost[name] = error;
      opened.config = withValue(opened.config, name, undefined);
    }
  }
  return opened;
}

/**
 * Merges a change into the stored config. A secret that is not sent, or comes back as `{set: true}` as it was shown, is
 * kept, unless it would be sent elsewhere or no longer decrypts. Settings that do not apply to a new choice are
 * removed, secrets included.
 * @throws AppError `invalid_request` when a kept secret would be sent to a new place or less safely, or is lost
 */
export function mergeConfig(driver: Driver, { config: kept, lost }: OpenedConfig, change: Config): Config {
  const { fields } = driver;
  const groups = groupsOf(fields);
  const sent = withoutMarks(fields, nest(fields, change));
  const isSent = (name: string) => sentAt(sent, name) !== undefined;
  let merged: Config = { ...kept };
  for (const [name, value] of Object.entries(sent)) {
    const isPart = groups.has(name) && isPlainObject(value);
    merged[name] = isPart ? { ...(isPlainObject(kept[name]) ? kept[name] : {}), ...value } : value;
  }
  const isMeant = (field: ConfigField) => isFieldShown(field, fields, (name) => valueAt(merged, name));
  for (const field of fields) {
    if (!isSent(field.name) && !isMeant(field)) merged = withValue(merged, field.name, undefined);
  }
  const secrets = fields.filter((field) => field.secret && isMeant(field)).map(({ name }) => name);
  const unsent = secrets.filter((name) => !isSent(name));
  const gone = unsent.filter((name) => name in lost);
  if (gone.length > 0) throw invalidConfig(enterAgain(gone));
  // A connection string is both target and secret: sending it sends the secret along.
  const moves = fields.some(
    ({ name, isTarget, secret }) =>
      isTarget && !secret && isSent(name) && !isSame(sentAt(sent, name), valueAt(kept, name)),
  );
  const staysPut = !moves && !isLessSafe(driver, kept, sent);
  const missing = staysPut ? [] : unsent.filter((name) => !isAbsent(valueAt(kept, name)));
  for (const { name } of fields.filter(({ namesShown }) => namesShown)) {
    const value = sentAt(sent, name);
    if (!isPlainObject(value)) continue;
    const { texts, unknown } = fillMarks(value, staysPut ? valueAt(kept, name) : undefined);
    missing.push(...unknown.map((each) => `${name}.${each}`));
    merged = withValue(merged, name, texts);
  }
  if (missing.length > 0) {
    const message = staysPut
      ? "Required: no saved value with this name."
      : "Enter it again because the connection target changed.";
    throw invalidConfig(missing.map((name) => ({ path: `config.${name}`, message })));
  }
  return withoutNulls(merged, groups);
}

/** Returns all secret values of a config as text, for masking them in messages. */
export function secretValues(driver: Driver, config: Config): string[] {
  return driver.fields
    .filter((field) => field.secret)
    .map((field) => valueAt(config, field.name))
    .flatMap((value) => {
      if (isAbsent(value)) return [];
      return isPlainObject(value) ? [JSON.stringify(value), ...Object.values(value).map(String)] : [String(value)];
    });
}

/**
 * Nests settings in their groups, since a type's list names them with dots: `auth.kind` and `auth: {kind}` are the same
 * (docs/develop/api.md, Connections).
 * @throws AppError `invalid_request` when one setting is sent in both forms
 */
function nest(fields: readonly ConfigField[], given: Config): Config {
  const flat = fields.map(({ name }) => name).filter((name) => groupOf(name) !== null && Object.hasOwn(given, name));
  if (flat.length === 0) return given;
  const config = Object.fromEntries(Object.entries(given).filter(([name]) => !flat.includes(name)));
  const twice = flat.filter((name) => {
    const group = groupOf(name) ?? "";
    return Object.hasOwn(config, group) && (!isPlainObject(config[group]) || valueAt(config, name) !== undefined);
  });
  if (twice.length > 0) {
    const message = "Send this setting once: with a dot or within its object.";
    throw invalidConfig(twice.map((name) => ({ path: `config.${name}`, message })));
  }
  return flat.reduce((nested, name) => {
    // Null removes a setting.
    return withValue(nested, name, given[name] === undefined ? null : given[name]);
  }, config);
}

function groupsOf(fields: readonly ConfigField[]): Set<string> {
  return new Set(fields.flatMap(({ name }) => groupOf(name) ?? []));
}

type Unknown = { path: string; isGroup: boolean };

/** Returns the names that match no field, and values that replace a group by something else. */
function findUnknown(fields: readonly ConfigField[], input: Config): Unknown[] {
  const names = new Set(fields.map(({ name }) => name));
  const groups = groupsOf(fields);
  return Object.entries(input).flatMap(([name, value]): Unknown[] => {
    if (!groups.has(name)) return names.has(name) && groupOf(name) === null ? [] : [{ path: name, isGroup: false }];
    if (isAbsent(value)) return [];
    if (!isPlainObject(value)) return [{ path: name, isGroup: true }];
    const paths = Object.keys(value).map((inner) => `${name}.${inner}`);
    return paths.filter((path) => !names.has(path)).map((path) => ({ path, isGroup: false }));
  });
}

/** Returns the similarly spelled setting, if any, or those available at this path. */
function toOffer(fields: readonly ConfigField[], path: string): string {
  const names = fields.map(({ name }) => name).filter((name) => groupOf(name) === groupOf(path));
  const meant = findClosest(path, names);
  if (meant !== null) return `Did you mean "${meant}"?`;
  const all = [...names, ...(groupOf(path) === null ? groupsOf(fields) : [])];
  return `Settings: ${all.join(", ")}.`;
}

/** Returns a change without the secrets that come back as they were shown. */
function withoutMarks(fields: readonly ConfigField[], change: Config): Config {
  const marked = fields.filter(({ name, secret }) => secret && isSetMark(valueAt(change, name)));
  return marked.reduce((sent, { name }) => withValue(sent, name, undefined), change);
}

/** Returns a change's value of a field; null when the field's whole group is removed. */
function sentAt(sent: Config, name: string): unknown {
  const group = groupOf(name);
  if (group !== null && Object.hasOwn(sent, group) && sent[group] === null) return null;
  return valueAt(sent, name);
}

/** Removes settings that are null. */
function withoutNulls(config: Config, groups: ReadonlySet<string>): Config {
  const withoutIn = (object: Config) => Object.fromEntries(Object.entries(object).filter(([, each]) => each !== null));
  const whole = withoutIn(config);
  for (const name of groups) if (isPlainObject(whole[name])) whole[name] = withoutIn(whole[name]);
  return whole;
}

function marksOf(value: unknown): Config {
  return Object.fromEntries(Object.keys(isPlainObject(value) ? value : {}).map((name) => [name, { set: true }]));
}

/** Replaces placeholders by the stored texts. `unknown` lists placeholders for which nothing is stored. */
function fillMarks(sent: Config, kept: unknown): { texts: Config; unknown: string[] } {
  const stored = isPlainObject(kept) ? kept : {};
  const marked = Object.keys(sent).filter((name) => isSetMark(sent[name]));
  const texts = Object.entries(sent).map(([name, value]) => [name, marked.includes(name) ? stored[name] : value]);
  return { texts: Object.fromEntries(texts), unknown: marked.filter((name) => !Object.hasOwn(stored, name)) };
}

function enterAgain(names: string[]): InputProblem[] {
  return names.map((name) => ({
    path: `config.${name}`,
    message: "Enter it again: the saved value can't be decrypted.",
  }));
}

function problemOf(field: ConfigField, value: unknown): string | null {
  if (isAbsent(value)) return field.required ? `${field.label} is required.` : null;
  switch (field.kind) {
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? null : "Must be a number.";
    case "boolean":
      return typeof value === "boolean" ? null : "Must be true or false.";
    case "select":
      return field.options?.some((option) => option.value === value)
        ? null
        : `Must be one of: ${field.options?.map((option) => option.value).join(", ")}.`;
    case "json":
      if (JSON.stringify(value).length > VALUE_CHARS_MAX) return "This is too long.";
      if (field.names) return problemOfList(value, field.names);
      return field.namesShown ? problemOfNames(value) : null;
    default:
      if (typeof value !== "string") return "Must be text.";
      return value.length <= VALUE_CHARS_MAX ? null : "This is too long.";
  }
}

function problemOfList(value: unknown, { max, maxLength }: NonNullable<ConfigField["names"]>): string | null {
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return "Must be a list of names.";
  if (value.length > max) return `At most ${max} names.`;
  if (value.some((each) => each === "" || each.length > maxLength))
    return `Names must have 1 to ${maxLength} characters.`;
  if (value.some((each) => /\p{Cc}/u.test(each))) return "Names can't contain control characters.";
  const twice = value.find((each, index) => value.indexOf(each) !== index);
  return twice === undefined ? null : `Duplicate ${twice}.`;
}

function problemOfNames(value: unknown): string | null {
  if (!isPlainObject(value)) return "Must be an object of names and text values.";
  if (Object.keys(value).length > NAMES_MAX) return `At most ${NAMES_MAX} names.`;
  const name = Object.keys(value).find((each) => !NAME.test(each));
  if (name !== undefined) return "Names must start with a letter and contain only letters, digits, - and _.";
  const empty = Object.keys(value).find((each) => typeof value[each] !== "string" || value[each] === "");
  return empty === undefined ? null : `Enter a value for ${empty}.`;
}

function isLessSafe({ fields }: Driver, kept: Config, sent: Config): boolean {
  // A kept connection string may set the SSL mode where the field is empty, and its mode is unknown here.
  const isSaidElsewhere = fields.some(
    ({ name, isTarget, secret }) =>
      isTarget && secret && sentAt(sent, name) === undefined && !isAbsent(valueAt(kept, name)),
  );
  return fields.some(({ name, isSafety, options = [] }) => {
    if (!isSafety || sentAt(sent, name) === undefined) return false;
    const safetyOf = (chosen: unknown, whenAbsent: number) =>
      isAbsent(chosen) ? whenAbsent : options.findIndex(({ value }) => value === chosen);
    const before = safetyOf(valueAt(kept, name), isSaidElsewhere ? options.length - 1 : 0);
    return safetyOf(sentAt(sent, name), 0) < before;
  });
}

/** Compares two values; an empty input equals an absent one. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (isAbsent(one) && isAbsent(other));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function invalidConfig(problems: InputProblem[]): AppError {
  return new AppError("invalid_request", problems[0]?.message ?? "Some settings are missing or invalid.", {
    details: problems,
  });
}
