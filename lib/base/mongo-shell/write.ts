/** Returns a collection's name in the shell, quoted if it is not a plain word: `db["shop orders"]`. */
export function collectionText({ name }: { name: string }): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `db.${name}` : `db[${JSON.stringify(name)}]`;
}

/** A value that JSON cannot express. */
export class ShellText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Matches a whole text, ignoring case. */
export function sameText(text: string): ShellText {
  return new ShellText(`/^${quotedPattern(text).replaceAll("/", "\\/")}$/i`);
}

/** Returns a value as the shell reads it. */
export function toShell(value: unknown): string {
  if (value instanceof ShellText) return value.text;
  if (Array.isArray(value)) return `[${value.map(toShell).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${toShell(each)}`);
  return `{${entries.join(", ")}}`;
}

/** Returns a regular expression for exactly this text. */
export function quotedPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
