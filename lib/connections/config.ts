import "server-only";
import { AppError, type InputProblem } from "@/lib/http/errors";
import { open, SealError, type Sealed, seal } from "@/lib/secrets/seal";
import { contextOf } from "@/lib/secrets/sealed-fields";
import type { Driver } from "./data-source";
import type { ConnectionDoc } from "./model";
import type { ConfigField } from "./schema";

/** Long enough for a private key with its certificates; nothing else in a config is larger. */
export const VALUE_CHARS_MAX = 32_000;

export type Config = Record<string, unknown>;

/**
 * Judges a config against the fields of its type: unknown names are refused (T43), defaults filled in.
 * @throws AppError `invalid_request` naming each field that is wrong
 */
export function parseConfig(driver: Driver, input: Config): Config {
  const problems: InputProblem[] = Object.keys(input)
    .filter((name) => !driver.fields.some((field) => field.name === name))
    .map((name) => ({ path: `config.${name}`, message: `${driver.label} has no such setting.` }));
  const config: Config = {};
  for (const field of driver.fields) {
    const value = input[field.name] ?? field.default;
    const problem = problemOf(field, value);
    if (problem) problems.push({ path: `config.${field.name}`, message: problem });
    else if (!isAbsent(value)) config[field.name] = value;
  }
  if (problems[0]) throw invalidConfig(problems);
  return config;
}

/** Splits a config into what is stored as it is and what is sealed for this record. */
export function sealConfig(
  driver: Driver,
  doc: Pick<ConnectionDoc, "_id" | "workspaceId">,
  config: Config,
): { config: Config; secrets: Record<string, Sealed> } {
  const shown: Config = {};
  const secrets: Record<string, Sealed> = {};
  for (const field of driver.fields) {
    const value = config[field.name];
    if (isAbsent(value)) continue;
    if (field.secret) secrets[field.name] = seal(JSON.stringify(value), contextOf(doc, `secrets.${field.name}`));
    else shown[field.name] = value;
  }
  return { config: shown, secrets };
}

/**
 * The whole config, its secrets opened. Never answer or log it.
 * @throws AppError `precondition_failed` naming each secret that does not open: its key is gone, or it was moved
 */
export function openConfig(doc: ConnectionDoc): Config {
  const { config, lost } = openWhatOpens(doc);
  const [first] = Object.values(lost);
  if (!first) return config;
  throw new AppError("precondition_failed", first.message, { cause: first, details: enterAgain(Object.keys(lost)) });
}

/** A config as far as it opens, for whoever enters the rest again: `lost` are the secrets that do not, by name. */
export type OpenedConfig = { config: Config; lost: Record<string, SealError> };

/** Never answer or log it. */
export function openWhatOpens(doc: ConnectionDoc): OpenedConfig {
  const opened: OpenedConfig = { config: { ...doc.config }, lost: {} };
  for (const [name, sealed] of Object.entries(doc.secrets)) {
    try {
      opened.config[name] = JSON.parse(open(sealed, contextOf(doc, `secrets.${name}`)));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      opened.lost[name] = error;
    }
  }
  return opened;
}

/**
 * The config after a change. A secret that is not sent (or comes back as `{set: true}`, the form in which it was
 * shown) is kept, unless it would then go somewhere else, or does not open any more.
 * @throws AppError `invalid_request` when a kept secret would be sent to a new place or less safely, or is lost
 */
export function mergeConfig(driver: Driver, { config: kept, lost }: OpenedConfig, change: Config): Config {
  const secretNames = driver.fields.filter((field) => field.secret).map((field) => field.name);
  const sent = Object.fromEntries(
    Object.entries(change).filter(([name, value]) => !(secretNames.includes(name) && isSetMark(value))),
  );
  // A connection string is target and secret at once: sending it brings the secret along.
  const moves = driver.fields.some(
    ({ name, isTarget, secret }) => isTarget && !secret && name in sent && sent[name] !== kept[name],
  );
  const unsent = secretNames.filter((name) => !(name in sent));
  const gone = unsent.filter((name) => name in lost);
  if (gone.length > 0) throw invalidConfig(enterAgain(gone));
  if (moves || isLessSafe(driver, kept, sent)) {
    const missing = unsent.filter((name) => !isAbsent(kept[name]));
    if (missing.length > 0) {
      throw invalidConfig(
        missing.map((name) => ({
          path: `config.${name}`,
          message: "Enter it again: the connection changes where it leads.",
        })),
      );
    }
  }
  const merged = { ...kept, ...sent };
  // null takes a setting away.
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/** All secret values of a config as text, for masking them in messages. */
export function secretValues(driver: Driver, config: Config): string[] {
  return driver.fields
    .filter((field) => field.secret)
    .map((field) => config[field.name])
    .flatMap((value) => (typeof value === "string" ? [value] : isAbsent(value) ? [] : [JSON.stringify(value)]));
}

function enterAgain(names: string[]): InputProblem[] {
  return names.map((name) => ({ path: `config.${name}`, message: "Enter it again: what is stored does not open." }));
}

function problemOf(field: ConfigField, value: unknown): string | null {
  if (isAbsent(value)) return field.required ? `${field.label} is needed.` : null;
  switch (field.kind) {
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? null : "A number is needed.";
    case "boolean":
      return typeof value === "boolean" ? null : "true or false is needed.";
    case "select":
      return field.options?.some((option) => option.value === value)
        ? null
        : `One of these is needed: ${field.options?.map((option) => option.value).join(", ")}.`;
    case "json":
      return JSON.stringify(value).length <= VALUE_CHARS_MAX ? null : "This is too long.";
    default:
      if (typeof value !== "string") return "Text is needed.";
      return value.length <= VALUE_CHARS_MAX ? null : "This is too long.";
  }
}

function isLessSafe({ fields }: Driver, kept: Config, sent: Config): boolean {
  // A kept connection string says how safely it travels where the field says nothing, and we do not know what it says.
  const isSaidElsewhere = fields.some(
    ({ name, isTarget, secret }) => isTarget && secret && !(name in sent) && !isAbsent(kept[name]),
  );
  return fields.some(({ name, isSafety, options = [] }) => {
    if (!isSafety || !(name in sent)) return false;
    const safetyOf = (config: Config, whenAbsent: number) =>
      isAbsent(config[name]) ? whenAbsent : options.findIndex(({ value }) => value === config[name]);
    return safetyOf(sent, 0) < safetyOf(kept, isSaidElsewhere ? options.length - 1 : 0);
  });
}

function isSetMark(value: unknown): boolean {
  return typeof value === "object" && value !== null && "set" in value && value.set === true;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function invalidConfig(problems: InputProblem[]): AppError {
  return new AppError("invalid_request", problems[0]?.message ?? "The settings are not complete.", {
    details: problems,
  });
}
