/* PostgreSQL's parse tree as JSON: each node is an object with one key, its kind. */

export type Node = Record<string, unknown>;
export type Parse = (query: string) => { stmts?: { stmt?: unknown }[] };

/** Casts that do not change a text. */
const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "varchar"]);

/** Returns a constant's text; undefined for a constant of another type, null for other expressions. */
export function constantText(argument: unknown): string | null | undefined {
  const [name, body] = entryOf(argument);
  if (name === "TypeCast") return isTextType(body.typeName) ? constantText(body.arg) : null;
  if (name !== "A_Const") return null;
  const text = (body.sval as Node | undefined)?.sval;
  return typeof text === "string" ? text : undefined;
}

/** A type with a length does not count, because it would cut the text after the check. */
function isTextType(typeName: unknown): boolean {
  const { names, typmods, arrayBounds } = (typeName ?? {}) as Node;
  const [schema, name] = [undefined, ...stringsOf(names)].slice(-2);
  const isBuiltIn = schema === undefined || schema === "pg_catalog";
  return isBuiltIn && TEXT_TYPES.has(name ?? "") && typmods === undefined && arrayBounds === undefined;
}

export function statementsOf(text: string, parse: Parse): unknown[] {
  // The parser rejects an empty text with a different error.
  return text.trim() === "" ? [] : (parse(text).stmts ?? []).map((each) => each.stmt);
}

export function stringsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const [name, body] = entryOf(item);
    return name === "String" && typeof body.sval === "string" ? [body.sval] : [];
  });
}

/** Returns the kind and body of a node, which is an object with one key. */
export function entryOf(node: unknown): [name: string, body: Node] {
  if (typeof node !== "object" || node === null) return ["", {}];
  const [entry] = Object.entries(node);
  if (!entry) return ["", {}];
  const [name, body] = entry;
  return [name, typeof body === "object" && body !== null ? (body as Node) : {}];
}
