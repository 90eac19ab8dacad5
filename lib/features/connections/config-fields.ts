import type { ConfigField } from "./schema";

/*
 * How the fields of a type lie in a config. A field called `auth.kind` is `kind` within the object `auth`; deeper there
 * is nothing. Server and form read configs by these functions alone.
 */

type Config = Record<string, unknown>;

/** The part of a config that a field is in: `auth` of `auth.kind`; null for one that stands by itself. */
export function groupOf(name: string): string | null {
  const dot = name.indexOf(".");
  return dot < 0 ? null : name.slice(0, dot);
}

/** What stands at the field; undefined when nothing does. */
export function valueAt(config: Config, name: string): unknown {
  const group = groupOf(name);
  if (group === null) return ownValue(config, name);
  const inner = ownValue(config, group);
  return isPlainObject(inner) ? ownValue(inner, name.slice(group.length + 1)) : undefined;
}

/** The config with this value at the field; undefined takes it away, and a group that has become empty with it. */
export function withValue(config: Config, name: string, value: unknown): Config {
  const group = groupOf(name);
  if (group === null) return put(config, name, value);
  const before = ownValue(config, group);
  const inner = put(isPlainObject(before) ? before : {}, name.slice(group.length + 1), value);
  return put(config, group, Object.keys(inner).length === 0 ? undefined : inner);
}

/**
 * Whether a field has a meaning beside what is chosen elsewhere, such as a token where the kind of sign-in is "bearer".
 * @param read what stands at another field; its default where nothing does
 */
export function isFieldShown(
  { showWhen }: ConfigField,
  fields: readonly ConfigField[],
  read: (name: string) => unknown,
): boolean {
  if (showWhen === undefined) return true;
  const value = read(showWhen.field) ?? fields.find(({ name }) => name === showWhen.field)?.default;
  return showWhen.oneOf.some((each) => each === value);
}

/** A mark in the place of a secret: it is set, and not shown. */
export function isSetMark(value: unknown): boolean {
  return isPlainObject(value) && value.set === true;
}

export function isPlainObject(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownValue(object: Config, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function put(object: Config, name: string, value: unknown): Config {
  const { [name]: _, ...others } = object;
  return value === undefined ? others : { ...object, [name]: value };
}
