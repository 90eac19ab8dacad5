import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import {
  BINDING_NAME,
  elementsOf,
  entriesOf,
  findExported,
  formsOf,
  type Member,
  membersOf,
  parametersOf,
  readType,
  resultOf,
  type SyntaxNode,
  type TypeNode,
  unquoted,
  wordsOf,
} from "@/components/editor/app-declarations";

export const MODULE = "@millrace/app";

/** A script of an app, with the names under which it imports from `@millrace/app`. */
export type AppScript = { state: EditorState; imported: ReadonlyMap<string, string> };

export function readAppScript(state: EditorState): AppScript {
  const imported = new Map<string, string>();
  for (const node of importsOf(state)) {
    const group = node.getChild("ImportGroup");
    for (let each = group?.firstChild ?? null; each; each = each.nextSibling) {
      if (each.name === "VariableName") {
        // In `a as b` the exported name comes first and is not bound locally.
        const local = each.nextSibling?.nextSibling;
        if (local?.name === "VariableDefinition") imported.set(textOf(state, local), textOf(state, each));
      } else if (each.name === "VariableDefinition" && each.prevSibling?.name !== "as") {
        imported.set(textOf(state, each), textOf(state, each));
      }
    }
  }
  return { state, imported };
}

/** Returns the imports from `@millrace/app`. */
export function importsOf(state: EditorState): SyntaxNode[] {
  const imports = syntaxTree(state).topNode.getChildren("ImportDeclaration");
  return imports.filter((node) => {
    const from = node.getChild("String");
    return from !== null && unquoted(textOf(state, from)) === MODULE;
  });
}

export function textOf(state: EditorState, { from, to }: { from: number; to: number }): string {
  return state.sliceDoc(from, to);
}

/** Returns the types that the module expects at a position: of an argument, an option or an element. */
export function expectedAt(script: AppScript, node: SyntaxNode): TypeNode[] {
  const { state } = script;
  const { parent } = node;
  switch (parent?.name) {
    case "ArgList": {
      const called = calledBy(script, parent.parent);
      return called ? parametersOf(called).slice(placeIn(parent, node)).slice(0, 1).flatMap(formsOf) : [];
    }
    case "ArrayExpression":
      return expectedAt(script, parent).flatMap(elementsOf).flatMap(formsOf);
    case "ParenthesizedExpression":
    case "ConditionalExpression":
      return expectedAt(script, parent);
    case "Property": {
      const key = keyOf(state, parent);
      if (!parent.parent || key === null) return [];
      return expectedAt(script, parent.parent).flatMap((form) => {
        const member = membersOf(form).find(({ name }) => name === key);
        if (member) return member.type ? formsOf(member.type) : [];
        const entries = entriesOf(form);
        return entries ? formsOf(entries.value) : [];
      });
    }
    case "VariableDeclaration": {
      const annotation = node.prevSibling?.name === "Equals" ? node.prevSibling.prevSibling : null;
      if (annotation?.name !== "TypeAnnotation") return [];
      const type = textOf(state, annotation).replace(/^:\s*/, "");
      const head = /^[\w$]+/.exec(type)?.[0] ?? "";
      const exported = script.imported.get(head);
      return exported === undefined ? [] : readType(exported + type.slice(head.length)).flatMap(formsOf);
    }
    default:
      return [];
  }
}

export function keyOf(state: EditorState, property: SyntaxNode): string | null {
  const key = property.getChild("PropertyDefinition") ?? property.getChild("String");
  return key ? unquoted(textOf(state, key)) : null;
}

/** Returns the binding named by the first argument of the enclosing call; null outside such a call. */
export function bindingAt(script: AppScript, node: SyntaxNode): string | null {
  for (let each: SyntaxNode | null = node; each; each = each.parent) {
    if (each.name !== "CallExpression") continue;
    const called = calledBy(script, each);
    const [first] = called ? parametersOf(called) : [];
    if (!first || wordsOf(first) !== BINDING_NAME) continue;
    const name = each.getChild("ArgList")?.getChild("String");
    return name ? unquoted(textOf(script.state, name)) : null;
  }
  return null;
}

/** Returns the members of a variable that was initialised by a call of the module. */
export function membersOfVariable(script: AppScript, name: string): Member[] {
  const found: Member[] = [];
  syntaxTree(script.state).iterate({
    enter: ({ name: kind, node }) => {
      if (kind !== "VariableDeclaration") return;
      const variable = node.getChild("VariableDefinition");
      if (variable && textOf(script.state, variable) === name) found.push(...membersOfCall(script, node));
    },
  });
  return found;
}

/** Returns the members of a declaration's value if a call of the module returns it. */
export function membersOfCall(script: AppScript, declaration: SyntaxNode): Member[] {
  const awaited = declaration.getChild("AwaitExpression");
  const called = calledBy(script, (awaited ?? declaration).getChild("CallExpression"));
  if (!called) return [];
  const results = resultOf(called).map((type) => (awaited ? withoutPromise(type) : type));
  return results.flatMap((type) => (type ? formsOf(type).flatMap(membersOf) : []));
}

function withoutPromise(type: TypeNode): TypeNode | null {
  const inner = /^Promise<(.+)>$/s.exec(wordsOf(type))?.[1];
  return inner === undefined ? null : (readType(inner)[0] ?? null);
}

/** Returns the called function of the module; null for any other call. */
function calledBy(script: AppScript, call: SyntaxNode | null) {
  if (call?.name !== "CallExpression") return null;
  const callee = call.firstChild?.name === "InstantiationExpression" ? call.firstChild.firstChild : call.firstChild;
  const exported = callee?.name === "VariableName" ? script.imported.get(textOf(script.state, callee)) : undefined;
  return exported === undefined ? null : findExported(exported);
}

/** Returns the index of an argument. */
function placeIn(list: SyntaxNode, node: SyntaxNode): number {
  return list.getChildren(",").filter(({ from }) => from < node.from).length;
}
