import { tsxLanguage } from "@codemirror/lang-javascript";
import type { syntaxTree } from "@codemirror/language";
import { APP_DECLARATIONS } from "@/lib/features/apps/types/declarations.generated";

export type SyntaxNode = ReturnType<typeof syntaxTree>["topNode"];
/** A type node and the text that it was parsed from. */
export type TypeNode = { node: SyntaxNode; text: string };
export type Declared = {
  name: string;
  kind: "function" | "variable" | "type";
  isExported: boolean;
  /** Signature for display, without a long body. */
  signature: string;
  doc: string;
  node: SyntaxNode;
};
export type Member = { name: string; signature: string; doc: string; isMethod: boolean; type: TypeNode | null };

/** Types whose values come from the app: they are completed from its bindings. */
export const COLUMN = "Column";
export const BINDING_NAME = "BindingName";
const OWN_NAMES: ReadonlySet<string> = new Set([COLUMN, BINDING_NAME]);
/** Longer types are shown by name only; their members have their own signatures. */
const SIGNATURE_CHARS_MAX = 240;

const KINDS: Record<string, Declared["kind"]> = {
  TypeAliasDeclaration: "type",
  FunctionDeclaration: "function",
  VariableDeclaration: "variable",
};
const NO_TYPE =
  /^(?:[^A-Za-z]*|export|type|let|const|function|readonly|BlockComment|LineComment|LogicOp|Equals|Optional)$/;

const DECLARATIONS = readDeclarations(APP_DECLARATIONS);

/** Returns the exports of `@millrace/app`. */
export function exportedDeclarations(): Declared[] {
  return [...DECLARATIONS.values()].filter(({ isExported }) => isExported);
}

export function findExported(name: string): Declared | null {
  const found = DECLARATIONS.get(name);
  return found?.isExported ? found : null;
}

/** Returns the types of a function's parameters, in order. */
export function parametersOf({ node }: Declared): TypeNode[] {
  const list = node.getChild("ParamList");
  return list ? list.getChildren("TypeAnnotation").flatMap((each) => typeIn(each, APP_DECLARATIONS)) : [];
}

/** Returns the return type of a function; none for anything else. */
export function resultOf({ node }: Declared): TypeNode[] {
  const annotation = node.name === "FunctionDeclaration" ? node.getChild("TypeAnnotation") : null;
  return annotation ? typeIn(annotation, APP_DECLARATIONS) : [];
}

/** Parses a type annotation that uses names of the module. */
export function readType(text: string): TypeNode[] {
  const whole = `type T = ${text};`;
  const alias = tsxLanguage.parser.parse(whole).topNode.getChild("TypeAliasDeclaration");
  return alias ? typeIn(alias, whole) : [];
}

/** Returns the alternatives of a type: unions are split, names resolved. */
export function formsOf(type: TypeNode): TypeNode[] {
  const { node, text } = type;
  const inner = () => childrenOf(node).flatMap((child) => formsOf({ node: child, text }));
  switch (node.name) {
    case "UnionType":
    case "ReadonlyType":
    case "ParenthesizedType":
      return inner();
    case "TypeName": {
      const name = wordsOf(type);
      const declared = OWN_NAMES.has(name) ? undefined : DECLARATIONS.get(name);
      return declared?.kind === "type" ? typeIn(declared.node, APP_DECLARATIONS).flatMap(formsOf) : [type];
    }
    case "ParameterizedType": {
      const [head, list] = childrenOf(node);
      if (!head || !list) return [];
      const name = text.slice(head.from, head.to);
      if (name === "Record") return [type];
      if (name === "Readonly") return childrenOf(list).flatMap((child) => formsOf({ node: child, text }));
      return formsOf({ node: head, text });
    }
    case "IndexedType": {
      const [of, index] = childrenOf(node);
      const key = index && unquoted(text.slice(index.from, index.to));
      const members = of ? formsOf({ node: of, text }).flatMap(membersOf) : [];
      return members.filter(({ name }) => name === key).flatMap((each) => (each.type ? formsOf(each.type) : []));
    }
    default:
      return [type];
  }
}

/** Returns the members of an object type; none for other types. */
export function membersOf({ node, text }: TypeNode): Member[] {
  if (node.name !== "ObjectType") return [];
  return [...node.getChildren("PropertyType"), ...node.getChildren("MethodType")].flatMap((each) => {
    const name = each.getChild("PropertyDefinition");
    const annotation = each.getChild("TypeAnnotation");
    if (!name) return [];
    return {
      name: text.slice(name.from, name.to),
      signature: flat(text.slice(each.from, each.to)),
      doc: docBefore(each, text),
      isMethod: each.name === "MethodType",
      type: (annotation && typeIn(annotation, text)[0]) ?? null,
    };
  });
}

/** Returns the element types of an array type. */
export function elementsOf({ node, text }: TypeNode): TypeNode[] {
  if (node.name !== "ArrayType") return [];
  return childrenOf(node)
    .slice(0, 1)
    .map((child) => ({ node: child, text }));
}

/** Returns the key and value types of a mapping type. */
export function entriesOf({ node, text }: TypeNode): { key: string; value: TypeNode } | null {
  if (node.name !== "ParameterizedType") return null;
  const [head, list] = childrenOf(node);
  const [key, value] = list ? childrenOf(list) : [];
  if (!head || !key || !value || text.slice(head.from, head.to) !== "Record") return null;
  return { key: text.slice(key.from, key.to), value: { node: value, text } };
}

/** Returns the text of a string literal type; null for other types. */
export function literalOf(type: TypeNode): string | null {
  return type.node.name === "LiteralType" && type.node.firstChild?.name === "String" ? unquoted(wordsOf(type)) : null;
}

export function wordsOf({ node, text }: TypeNode): string {
  return text.slice(node.from, node.to);
}

export function unquoted(text: string): string {
  return text.replace(/^["'`]|["'`]$/g, "");
}

function readDeclarations(text: string): Map<string, Declared> {
  const found = new Map<string, Declared>();
  // The grammar parses the module's body as a block.
  const body = tsxLanguage.parser.parse(text).topNode.getChild("Block");
  for (let node = body?.firstChild ?? null; node; node = node.nextSibling) {
    const inner = node.name === "ExportDeclaration" ? childrenOf(node)[0] : node;
    const name = inner?.getChild("TypeDefinition") ?? inner?.getChild("VariableDefinition");
    if (!inner || !name || !KINDS[inner.name]) continue;
    const kind = KINDS[inner.name] ?? "type";
    const whole = flat(text.slice(inner.from, inner.to));
    const called = text.slice(name.from, name.to);
    found.set(called, {
      name: called,
      kind,
      isExported: node.name === "ExportDeclaration",
      signature: whole.length > SIGNATURE_CHARS_MAX ? `${kind} ${called}` : whole,
      doc: docBefore(node, text),
      node: inner,
    });
  }
  return found;
}

/** Returns the children without punctuation, keywords and comments. */
function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (!NO_TYPE.test(child.name)) children.push(child);
  return children;
}

/** Returns the type at the end of an annotation or an alias. */
function typeIn(node: SyntaxNode, text: string): TypeNode[] {
  return childrenOf(node)
    .slice(-1)
    .map((child) => ({ node: child, text }));
}

/** Returns the doc comment before a declaration, without its stars and code marks. */
function docBefore(node: SyntaxNode, text: string): string {
  const { prevSibling } = node;
  if (prevSibling?.name !== "BlockComment") return "";
  const lines = text
    .slice(prevSibling.from, prevSibling.to)
    .replace(/^\/\*\*|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("@"))
    .join(" ")
    .replaceAll("`", "");
}

function flat(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/;$/, "")
    .trim();
}
