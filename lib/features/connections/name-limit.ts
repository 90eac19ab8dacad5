/** A database's maximum name length. Some cut a longer name silently, so that two tables become one. */
export type NameLimit = { max: number; unit: "bytes" | "characters" };

/** Returns whether a database would cut or refuse a name. Bytes are those of UTF-8. */
export function isOverLimit(name: string, limit: NameLimit | null | undefined): boolean {
  if (!limit) return false;
  return (limit.unit === "bytes" ? Buffer.byteLength(name) : [...name].length) > limit.max;
}

/** Returns the message about a name above the limit. */
export function overLimitText(kind: "table" | "schema" | "column", name: string, { max, unit }: NameLimit): string {
  const shown = [...name].length > 40 ? `${[...name].slice(0, 40).join("")}...` : name;
  return `The ${kind} name ${shown} is longer than ${max} ${unit}, which is the limit of the destination. Choose a shorter name.`;
}
