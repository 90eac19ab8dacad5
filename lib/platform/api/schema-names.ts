import { z } from "zod";

/** A module under lib whose name ends with schema.ts. */
export type SchemaModule = { path: string; load: Record<string, unknown> };

/**
 * Returns the name of each exported schema in the API reference: `connectionSchema` is `Connection`. Objects and unions
 * have names, since they become types of generated clients; texts and numbers do not. Of two exports with one name, the
 * later one is prefixed with its folder's name.
 */
export function schemaNames(modules: readonly SchemaModule[]): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>();
  const taken = new Set<string>(["Failure"]);
  for (const { path, load } of modules) {
    for (const [key, value] of Object.entries(load)) {
      if (!isNamed(value) || names.has(value)) continue;
      const plain = capitalised(key.replace(/Schema$/, ""));
      const name = taken.has(plain) ? `${capitalised(folderOf(path))}${plain}` : plain;
      if (taken.has(name)) continue;
      taken.add(name);
      names.set(value, name);
    }
  }
  return names;
}

function isNamed(value: unknown): value is z.ZodType {
  return value instanceof z.ZodObject || value instanceof z.ZodUnion;
}

function folderOf(path: string): string {
  return (path.split("/").at(-2) ?? "").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
