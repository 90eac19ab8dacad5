/** The part of JSON Schema that the API's description uses. */
export type JsonSchema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
};

/** A row of a table of fields. `depth` is its nesting level. */
export type FieldRow = { name: string; depth: number; type: string; isRequired: boolean; note: string };

const NAMES: Record<string, string> = { string: "text", integer: "integer", number: "number", boolean: "boolean", null: "null", object: "object", array: "list" }; // biome-ignore format: one look at the whole list
const ID_PATTERN = "^[0-9a-fA-F]{24}$";
const FORMATS: Record<string, string> = { "date-time": "time", uuid: "UUID", email: "email", uri: "address" };

/** Returns the fields of an object, or of the objects in a list, from the outside in. */
export function toFieldRows(schema: JsonSchema | undefined, depth = 0): FieldRow[] {
  const object = toObject(schema);
  if (!object?.properties) return [];
  const required = new Set(object.required);
  return Object.entries(object.properties).flatMap(([name, property]) => [
    { name, depth, type: toTypeName(property), isRequired: required.has(name), note: toNote(property) },
    ...toFieldRows(property, depth + 1),
  ]);
}

/** Returns a type in words: "id", "list of text", "owner, admin or member", "time or null". */
export function toTypeName(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return toChoice(schema.enum.map(String));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return toChoice([...new Set(variants.map(toTypeName))]);
  if (Array.isArray(schema.type)) return toChoice(schema.type.map((type) => NAMES[type] ?? type));
  if (schema.type === "array")
    return schema.items && Object.keys(schema.items).length > 0 ? `list of ${toTypeName(schema.items)}` : "list";
  if (schema.type === "string") {
    if (schema.pattern === ID_PATTERN) return "id";
    return FORMATS[schema.format ?? ""] ?? "text";
  }
  return NAMES[schema.type ?? ""] ?? "anything";
}

/** Returns a valid example value. */
export function toExample(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const variant = schema.type === undefined ? (schema.anyOf ?? schema.oneOf)?.[0] : undefined;
  if (variant) return toExample(variant);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "object": {
      const required = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
      return Object.fromEntries(required.map(([name, property]) => [name, toExample(property)]));
    }
    case "array":
      return [];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "string":
      if (schema.pattern === ID_PATTERN) return "665f1c2ab7d09e4f8a31c702";
      return { "date-time": "2027-05-21T00:00:00.000Z", email: "ana@example.com" }[schema.format ?? ""] ?? "...";
    default:
      return {};
  }
}

function toObject(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (!schema) return undefined;
  if (schema.items) return toObject(schema.items);
  // Beside properties, variants only say which of them belong together.
  const variants = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf);
  return variants ? variants.map(toObject).find((each) => each?.properties) : schema;
}

function toNote(schema: JsonSchema): string {
  const notes: string[] = [];
  if (schema.description && toTypeName(schema) !== "id") notes.push(schema.description.replace(/\.$/, ""));
  if (schema.default !== undefined && schema.type !== "object") notes.push(`default ${JSON.stringify(schema.default)}`);
  if (schema.maxLength !== undefined) notes.push(`at most ${schema.maxLength.toLocaleString("en-US")} characters`);
  // An integer without an explicit bound has the language's bounds.
  if (schema.maximum !== undefined && Math.abs(schema.maximum) < Number.MAX_SAFE_INTEGER)
    notes.push(`at most ${schema.maximum}`);
  return notes.join("; ");
}

function toChoice(words: string[]): string {
  return words.length < 2 ? (words[0] ?? "anything") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
