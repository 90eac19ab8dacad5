import type { ConfigField } from "./schema";

/*
 * Paths of a type's fields within a config. A field called `auth.kind` is `kind` within the object `auth`; there are no
 * deeper levels. Server and form read configs only through these functions.
 */

type Config = Record<string, unknown>;

/** Returns the group of a field: `auth` for `auth.kind`; null for a field without a group. */
export function groupOf(name: string): string | null {
  const dot = name.indexOf(".");
  return dot < 0 ? null : name.slice(0, dot);
}

/** Returns the value of a field; undefined when it is not set. */
export function valueAt(config: Config, name: string): unknown {
  const group = groupOf(name);
  if (group === null) return ownValue(config, name);
  const inner = ownValue(config, group);
  return isPlainObject(inner) ? ownValue(inner, name.slice(group.length + 1)) : undefined;
}

/** Returns the config with this value. Undefined removes the field, and its group when that becomes empty. */
export function withValue(config: Config, name: string, value: unknown): Config {
  const group = groupOf(name);
  if (group === null) return put(config, name, value);
  const before = ownValue(config, group);
  const inner = put(isPlainObject(before) ? before : {}, name.slice(group.length + 1), value);
  return put(config, group, Object.keys(inner).length === 0 ? undefined : inner);
}

/**
 * Returns whether a field applies given the other choices, such as a token where the sign-in kind is "bearer".
 * @param read returns another field's value, or its default when that is not set
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

/** Returns whether a value is the placeholder `{set: true}` of a secret, which is set but not shown. */
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
