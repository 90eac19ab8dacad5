import { type Completion, type CompletionContext, type CompletionResult, ifNotIn } from "@codemirror/autocomplete";
import { tsxLanguage } from "@codemirror/lang-javascript";
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import {
  type AppScript,
  bindingAt,
  expectedAt,
  importsOf,
  keyOf,
  MODULE,
  membersOfCall,
  membersOfVariable,
  readAppScript,
  textOf,
} from "@/components/editor/app-context";
import {
  BINDING_NAME,
  COLUMN,
  type Declared,
  entriesOf,
  exportedDeclarations,
  findExported,
  literalOf,
  type Member,
  membersOf,
  type SyntaxNode,
  unquoted,
  wordsOf,
} from "@/components/editor/app-declarations";
import { toInfo } from "@/components/editor/info";
import { IMPORTABLE } from "@/lib/features/apps/types/declarations.generated";

/** A binding of the app. `fields` are null until its rows have been read. */
export type KnownBinding = {
  name: string;
  description: string | null;
  fields: readonly { name: string; type: string }[] | null;
};

const WORD = /[\w$]*/;
const WHOLE_WORD = /^[\w$]*$/;
const TEXT = /^[^"'`\n]*$/;
/** Ranks the module's names above words of the language. */
const OURS = 2;
/** Types of rows in scripts. Exact numbers are text: as numbers they would lose digits. */
const ROW_TYPES: Record<string, string> = { int32: "number", float64: "number", boolean: "boolean" };
const WIDE_TYPES: Record<string, string> = { int64: "number | string", json: "unknown", array: "unknown" };

/**
 * Completion and hover texts of `@millrace/app` in the scripts of an app, from the module's declarations, and of the
 * app's bindings and their columns.
 * @param readBindings returns the current bindings
 */
export function appCompletion(readBindings: () => readonly KnownBinding[]): Extension {
  const source = (context: CompletionContext) => offerApp(context, readBindings());
  return [
    tsxLanguage.data.of({ autocomplete: ifNotIn(["LineComment", "BlockComment", "RegExp"], source) }),
    hoverTooltip((view, position) => {
      const found = explainApp(view.state, position, readBindings());
      if (found === null) return null;
      const { from, to, title, text } = found;
      return {
        pos: from,
        end: to,
        above: true,
        create: () => {
          const dom = toInfo({ title, text });
          dom.className = "cm-explained";
          return { dom };
        },
      };
    }),
  ];
}

/** Returns completions at a position; null where the module has none. */
export function offerApp(context: CompletionContext, bindings: readonly KnownBinding[]): CompletionResult | null {
  const { state, pos, explicit } = context;
  const script = readAppScript(state);
  const node = syntaxTree(state).resolveInner(pos, -1);
  if (node.name === "String" && pos > node.from) return offerTexts(script, node, bindings);
  const word = context.matchBefore(WORD);
  const from = word?.from ?? pos;
  const at = (options: Completion[]) => (options.length === 0 ? null : { from, options, validFor: WHOLE_WORD });
  const isWritten = from < pos;
  if (node.name === "." || node.name === "PropertyName") {
    const value = node.parent?.name === "MemberExpression" ? node.parent.firstChild : null;
    return value?.name === "VariableName" ? at(membersOfVariable(script, textOf(state, value)).map(toMember)) : null;
  }
  const around = node.name === "PropertyDefinition" || node.name === "⚠" ? node.parent : node;
  const holder = around?.name === "Property" || around?.name === "PatternProperty" ? around.parent : around;
  // A brace followed by Enter asks for a new line, not for a completion.
  if (!explicit && !isWritten) return null;
  if (around && holder) {
    switch (holder.name) {
      case "ImportGroup":
        return at(
          exportedDeclarations()
            .filter(({ name }) => isNew(script, name, node) && isOurImport(state, holder))
            .map(toDeclared),
        );
      case "ObjectExpression":
        // After the colon, a value is expected.
        if (around.name === "Property" && node.name !== "PropertyDefinition") break;
        return at(offerKeys(script, holder, node, bindings));
      case "ObjectPattern":
        return holder.parent?.name === "VariableDeclaration"
          ? at(withoutUsed(membersOfCall(script, holder.parent).map(toMember), namesIn(state, holder, node)))
          : null;
      case "PropertyType":
      case "ObjectType":
        return at(offerRowType(script, holder.name === "PropertyType" ? holder.parent : holder, node, bindings));
    }
  }
  if (node.name === "VariableName" || (explicit && !isWritten && EXPRESSIONS.has(node.name))) {
    return at(
      exportedDeclarations()
        .filter(({ kind, name }) => kind !== "type" && !isTaken(script, name))
        .map(toImported),
    );
  }
  if (node.name === "TypeName") {
    return at(
      exportedDeclarations()
        .filter(({ kind, name }) => kind === "type" && !isTaken(script, name))
        .map(toImported),
    );
  }
  return null;
}

const EXPRESSIONS: ReadonlySet<string> = new Set(["Script", "Block", "=", "Equals", "("]);

/** Returns the hover text of a word in a script; null if the word is not from the module. */
export function explainApp(
  state: EditorState,
  position: number,
  bindings: readonly KnownBinding[],
): { from: number; to: number; title: string; text: string } | null {
  const script = readAppScript(state);
  const node = syntaxTree(state).resolveInner(position, 1);
  const { from, to, parent } = node;
  const words = textOf(state, node);
  const toTip = (title: string, text: string) => ({ from, to, title, text });
  const toMemberTip = (members: Member[]) => {
    const member = members.find(({ name }) => name === words);
    return member ? toTip(member.signature, member.doc) : null;
  };
  switch (node.name) {
    case "VariableName":
    case "VariableDefinition":
    case "TypeName": {
      const isImport = parent?.name === "ImportGroup" && isOurImport(state, parent);
      const exported = isImport ? words : script.imported.get(words);
      const declared = exported === undefined ? null : findExported(exported);
      if (declared) return toTip(declared.signature, declared.doc);
      const declaration = parent?.name === "PatternProperty" ? parent.parent?.parent : null;
      return declaration ? toMemberTip(membersOfCall(script, declaration)) : null;
    }
    case "PropertyName": {
      const value = parent?.name === "MemberExpression" ? parent.firstChild : null;
      return value?.name === "VariableName" ? toMemberTip(membersOfVariable(script, textOf(state, value))) : null;
    }
    case "PropertyDefinition": {
      const object = parent?.name === "Property" ? parent.parent : null;
      if (!object) return null;
      const forms = expectedAt(script, object);
      if (forms.some((form) => entriesOf(form)?.key === COLUMN)) return toColumnTip(words);
      return toMemberTip(forms.flatMap(membersOf));
    }
    case "String": {
      const name = unquoted(words);
      const wanted = new Set(expectedAt(script, node).map(wordsOf));
      if (wanted.has(BINDING_NAME)) {
        const binding = bindings.find((each) => each.name === name);
        return binding ? toTip(`bindings/${name}.sql`, toWords(binding)) : null;
      }
      return wanted.has(COLUMN) ? toColumnTip(name) : null;
    }
    default:
      return null;
  }
  function toColumnTip(name: string) {
    const column = columnsAt(script, node, bindings).find((each) => each.name === name);
    return column ? toTip(`${column.name}: ${column.type}`, `Column of ${column.of}`) : null;
  }
}

function offerTexts(script: AppScript, node: SyntaxNode, bindings: readonly KnownBinding[]): CompletionResult | null {
  const from = node.from + 1;
  const at = (options: Completion[]) => (options.length === 0 ? null : { from, options, validFor: TEXT });
  if (node.parent?.name === "ImportDeclaration") {
    const words = textOf(script.state, node).slice(1);
    // A path refers to a file of the app.
    if (words.startsWith(".") || words.startsWith("/")) return null;
    return at(IMPORTABLE.map((label) => ({ label, type: "namespace", boost: OURS })));
  }
  const forms = expectedAt(script, node);
  const wanted = new Set(forms.map(wordsOf));
  const literals = forms.flatMap((form) => literalOf(form) ?? []);
  return at([
    ...(wanted.has(BINDING_NAME) ? bindings.map(toBinding) : []),
    ...literals.map((label) => ({ label, type: "enum", boost: OURS })),
    ...(wanted.has(COLUMN) ? [...columnsAt(script, node, bindings).map(toColumn), ...namedIn(script, node)] : []),
  ]);
}

function offerKeys(
  script: AppScript,
  object: SyntaxNode,
  node: SyntaxNode,
  bindings: readonly KnownBinding[],
): Completion[] {
  const forms = expectedAt(script, object);
  const columns = forms.some((form) => entriesOf(form)?.key === COLUMN) ? columnsAt(script, node, bindings) : [];
  const members = new Map(forms.flatMap(membersOf).map((member) => [member.name, member]));
  return withoutUsed(
    [
      ...[...members.values()].map(toMember),
      ...columns.map((column) => ({
        ...toColumn(column),
        apply: WHOLE_WORD.test(column.name) ? column.name : JSON.stringify(column.name),
      })),
    ],
    namesIn(script.state, object, node),
  );
}

/** Offers a row type with the binding's columns, as a type argument of the call. */
function offerRowType(
  script: AppScript,
  type: SyntaxNode | null,
  node: SyntaxNode,
  bindings: readonly KnownBinding[],
): Completion[] {
  if (type?.parent?.name !== "TypeArgList" || bindingAt(script, type) === null) return [];
  const used = new Set(
    type
      .getChildren("PropertyType")
      .filter((each) => !holds(each, node))
      .flatMap((each) => keyOf(script.state, each) ?? []),
  );
  return withoutUsed(
    columnsAt(script, type, bindings).map((column) => {
      const key = WHOLE_WORD.test(column.name) ? column.name : JSON.stringify(column.name);
      return { ...toColumn(column), apply: `${key}: ${rowTypeOf(column.type)}` };
    }),
    used,
  );
}

function rowTypeOf(type: string): string {
  const known = ROW_TYPES[type] ?? WIDE_TYPES[type] ?? "string";
  return known === "unknown" ? known : `${known} | null`;
}

/** Returns the columns of the binding at the position; without one, those of all bindings. */
function columnsAt(script: AppScript, node: SyntaxNode, bindings: readonly KnownBinding[]) {
  const name = bindingAt(script, node);
  const asked = name === null ? bindings : bindings.filter((each) => each.name === name);
  const columns = asked.flatMap((each) => (each.fields ?? []).map((column) => ({ ...column, of: each.name })));
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

/** Returns the columns that the query around a position names: rows can be sorted by them. */
function namedIn(script: AppScript, node: SyntaxNode): Completion[] {
  const property = node.parent?.name === "Property" ? node.parent : null;
  if (!property || keyOf(script.state, property) !== "by") return [];
  const query = property.parent?.parent?.parent?.parent;
  const names: string[] = [];
  query?.cursor().iterate(({ name, node: each }) => {
    const value = each.getChild("String");
    if (name === "Property" && value && keyOf(script.state, each) === "as")
      names.push(unquoted(textOf(script.state, value)));
  });
  return [...new Set(names)].map((label) => ({ label, type: "property", detail: "column of this query", boost: OURS }));
}

/** Returns whether the script declares or imports the word. */
function isTaken({ imported, state }: AppScript, name: string): boolean {
  let isTaken = [...imported.values()].includes(name);
  syntaxTree(state).iterate({
    enter: (node) => {
      if (node.name === "VariableDefinition" || node.name === "TypeDefinition")
        isTaken ||= textOf(state, node) === name;
      return !isTaken;
    },
  });
  return isTaken;
}

/** Returns whether a name is not imported yet, or is being typed: the parser takes that for an import already. */
function isNew({ state, imported }: AppScript, name: string, node: SyntaxNode): boolean {
  return textOf(state, node) === name || ![...imported.values()].includes(name);
}

function isOurImport(state: EditorState, group: SyntaxNode): boolean {
  return importsOf(state).some((each) => each.from === group.parent?.from);
}

function namesIn(state: EditorState, object: SyntaxNode, node: SyntaxNode): Set<string> {
  const properties = [...object.getChildren("Property"), ...object.getChildren("PatternProperty")];
  return new Set(
    properties
      .filter((each) => !holds(each, node))
      .map((each) => keyOf(state, each) ?? textOf(state, each).split(":")[0] ?? ""),
  );
}

function holds(outer: SyntaxNode, { from, to }: SyntaxNode): boolean {
  return outer.from <= from && to <= outer.to;
}

function withoutUsed(options: Completion[], used: ReadonlySet<string>): Completion[] {
  return options.filter(({ label }) => !used.has(label));
}

function toMember({ name, signature, doc, isMethod }: Member): Completion {
  return {
    label: name,
    type: isMethod ? "method" : "property",
    boost: OURS,
    info: () => toInfo({ title: signature, text: doc }),
  };
}

function toDeclared({ name, kind, signature, doc }: Declared): Completion {
  return { label: name, type: kind, detail: MODULE, boost: OURS, info: () => toInfo({ title: signature, text: doc }) };
}

/** Returns a completion that adds the import when it is selected. */
function toImported(declared: Declared): Completion {
  return {
    ...toDeclared(declared),
    boost: 0,
    apply: (view: EditorView, _, from: number, to: number) => {
      view.dispatch({
        changes: [importOf(view.state, declared), { from, to, insert: declared.name }],
        // After the word, shifted by the length of the inserted import.
        selection: { anchor: from + declared.name.length + importOf(view.state, declared).insert.length },
        userEvent: "input.complete",
        scrollIntoView: true,
      });
    },
  };
}

function importOf(state: EditorState, { name, kind }: Declared): { from: number; insert: string } {
  for (const each of importsOf(state)) {
    const group = each.getChild("ImportGroup");
    // `import type { }` takes no values.
    if (!group || each.getChild("type")) continue;
    const last = group.lastChild?.prevSibling;
    const own = kind === "type" ? `type ${name}` : name;
    if (!last || last.name === "{") return { from: group.from + 1, insert: ` ${own} ` };
    return { from: last.to, insert: last.name === "," ? ` ${own}` : `, ${own}` };
  }
  return { from: 0, insert: `import { ${kind === "type" ? "type " : ""}${name} } from "${MODULE}";\n` };
}

function toBinding(binding: KnownBinding): Completion {
  const info = { title: `bindings/${binding.name}.sql`, text: toWords(binding) };
  return { label: binding.name, type: "constant", boost: OURS, info: () => toInfo(info) };
}

function toWords({ description, fields }: KnownBinding): string {
  const list = fields === null ? "Run the query once to see its columns." : fields.map(({ name }) => name).join(", ");
  return description === null ? list : `${description}. ${list}`;
}

function toColumn({ name, type, of }: { name: string; type: string; of: string }): Completion {
  return {
    label: name,
    type: "property",
    detail: type,
    boost: OURS,
    info: () => toInfo({ title: name, text: `Column of ${of}` }),
  };
}
