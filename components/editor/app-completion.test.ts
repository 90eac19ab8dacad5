import { CompletionContext } from "@codemirror/autocomplete";
import { javascript } from "@codemirror/lang-javascript";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { explainApp, type KnownBinding, offerApp } from "@/components/editor/app-completion";

const IMPORT = 'import { type BindingQuery, readBinding, useBinding, useParams } from "@millrace/app";\n';
const BINDINGS: KnownBinding[] = [
  {
    name: "sales",
    description: "Orders of a day",
    fields: [
      { name: "region", type: "string" },
      { name: "amount", type: "decimal" },
      { name: "of which", type: "int32" },
    ],
  },
  { name: "plans", description: null, fields: [{ name: "goal", type: "float64" }] },
  { name: "unread", description: null, fields: null },
];

/** Parses a text in which a bar marks the cursor. */
function at(text: string) {
  const position = text.indexOf("|");
  const doc = text.replace("|", "");
  const begun = EditorState.create({ doc, extensions: javascript({ jsx: true, typescript: true }) });
  // A state parses for 20 ms only. The next state takes over the tree that is finished here.
  ensureSyntaxTree(begun, doc.length, Number.POSITIVE_INFINITY);
  return { state: begun.update({}).state, position };
}

function offered(text: string, explicit = true): string[] {
  const { state, position } = at(text);
  const found = offerApp(new CompletionContext(state, position, explicit), BINDINGS);
  return found?.options.map(({ label }) => label) ?? [];
}

function explained(text: string) {
  const { state, position } = at(text);
  const found = explainApp(state, position, BINDINGS);
  return found && [found.title, found.text];
}

const OPTIONS = ["groupBy", "measures", "where", "sort", "limit", "timeUnit", "timezone"];
const COLUMNS = ["region", "amount", "of which"];

describe("in a script of an app", () => {
  it.each([
    ["the options of a query", "{ | }", OPTIONS],
    [
      "those that are not there yet, behind one",
      '{ groupBy: ["region"], limit: 3, | }',
      ["measures", "where", "sort", "timeUnit", "timezone"],
    ],
    ["all of them while one is typed", "{ gr| }", OPTIONS],
    ["what an option consists of", "{ measures: [{ | }] }", ["field", "op", "as"]],
    [
      "the values of an option",
      '{ measures: [{ op: "|" }] }',
      ["count", "countDistinct", "sum", "avg", "median", "min", "max"],
    ],
    ["columns to group by", '{ groupBy: ["|"] }', COLUMNS],
    ["columns to group by, as a part", '{ groupBy: [{ field: "|" }] }', COLUMNS],
    ["columns to narrow by", "{ where: { | } }", COLUMNS],
    [
      "columns to sort by, those of the query as well",
      '{ measures: [{ op: "sum", as: "total" }], sort: [{ by: "|" }] }',
      [...COLUMNS, "total"],
    ],
    ["the forms of a condition", "{ where: { region: { | } } }", ["from", "to", "contains"]],
    ["nothing in a value that can be any", "{ limit: | }", []],
  ])("completes a call of useBinding with %s", (_, query, names) => {
    expect(offered(`${IMPORT}const sales = useBinding("sales", ${query});`)).toEqual(names);
  });

  it("completes names in texts and after a dot at once, elsewhere with the first letter", () => {
    const typed = (text: string) => offered(`${IMPORT}${text}`, false).length > 0;
    expect(['useBinding("|")', 'const a = useBinding("sales"); a.|', "useBinding('sales', { g| })"].map(typed)).toEqual(
      [true, true, true],
    );
    expect(['useBinding("sales", {|})', "const { | } = useBinding('sales')", "|"].map(typed)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("completes bindings by name, without columns of unread ones", () => {
    expect(offered(`${IMPORT}useBinding("|");`)).toEqual(["sales", "plans", "unread"]);
    expect(offered(`${IMPORT}await readBinding('pl|');`)).toEqual(["sales", "plans", "unread"]);
    expect(offered(`${IMPORT}useBinding("unread", { groupBy: ["|"] });`)).toEqual([]);
  });

  it("completes a row type with the binding's columns", () => {
    const text = `${IMPORT}useBinding<{ region: string; | }>("sales");`;
    expect(offered(text)).toEqual(["amount", "of which"]);
    const { state, position } = at(text);
    const found = offerApp(new CompletionContext(state, position, true), BINDINGS);
    expect(found?.options.map(({ apply }) => apply)).toEqual(["amount: string | null", '"of which": number | null']);
  });

  it("completes a standalone query with the columns of all bindings", () => {
    expect(offered(`${IMPORT}const QUERY: BindingQuery = { | };`)).toEqual(OPTIONS);
    expect(offered(`${IMPORT}const SUMS: BindingQuery["measures"] = [{ op: "sum", | }];`)).toEqual(["field", "as"]);
    expect(offered(`${IMPORT}const SUMS: BindingQuery["measures"] = [{ field: "|" }];`)).toEqual([...COLUMNS, "goal"]);
  });

  it("completes the members of a call's result", () => {
    const members = ["rows", "fields", "isLoading", "error", "ageMs", "truncated", "refresh"];
    expect(offered(`${IMPORT}const { | } = useBinding("sales");`)).toEqual(members);
    expect(offered(`${IMPORT}const { rows, | } = useBinding("sales");`)).toEqual(members.slice(1));
    expect(offered(`${IMPORT}const sales = useBinding("sales"); sales.|`)).toEqual(members);
    expect(offered(`${IMPORT}const data = await readBinding("sales"); data.b|;`)).toEqual([
      "fields",
      "rows",
      "builtAt",
      "ageMs",
      "truncated",
      "notice",
    ]);
  });

  it("completes an import with the module's public exports", () => {
    const names = offered('import { | } from "@millrace/app";');
    expect(names).toEqual(expect.arrayContaining(["useBinding", "useTheme", "openOutside", "BindingQuery", "Theme"]));
    expect(names).not.toContain("Scalar");
    expect(offered('import { | } from "react";')).toEqual([]);
    expect(offered('import x from "|";')).toEqual([
      "react",
      "react-dom",
      "react-dom/client",
      "vega-embed",
      "@millrace/app",
    ]);
    expect(offered('import x from "./|";')).toEqual([]);
  });

  it("adds a completed name to the imports", () => {
    const { state, position } = at(`${IMPORT}const theme = useTh|;`);
    const found = offerApp(new CompletionContext(state, position, false), BINDINGS);
    expect(found?.options.map(({ label }) => label)).toContain("useTheme");
    expect(found?.options.map(({ label }) => label)).not.toContain("useBinding");
    expect(offered(`${IMPORT}const [params] = useParams(); para|`)).not.toContain("params");
  });

  it.each([
    ["another function", `${IMPORT}other("sales", { | });`],
    ["one of the same name from elsewhere", 'import { useBinding } from "./mine"; useBinding("sales", { | });'],
    ["a comment", `${IMPORT}// useBinding("|`],
    ["a text", `${IMPORT}const name = "|";`],
    ["an object", `${IMPORT}const name = { | };`],
  ])("completes nothing of it in %s", (_, text) => {
    expect(offered(text)).toEqual([]);
  });

  it("documents a name of the module from its source", () => {
    expect(explained(`${IMPORT}const [params] = use|Params();`)).toEqual([
      "function useParams(): [AppParams, (next: AppParams) => void]",
      "Returns the parameters of the app's URL and a setter. Shared links contain them.",
    ]);
    expect(explained(`${IMPORT}useBinding("sales", { li|mit: 3 });`)).toEqual([
      "limit?: number",
      "Maximum number of result rows, up to 50,000.",
    ]);
    expect(explained(`${IMPORT}useBinding("sal|es");`)).toEqual([
      "bindings/sales.sql",
      "Orders of a day. region, amount, of which",
    ]);
    expect(explained(`${IMPORT}useBinding("sales", { where: { reg|ion: 1 } });`)).toEqual([
      "region: string",
      "Column of sales",
    ]);
    expect(explained(`${IMPORT}const { age|Ms } = useBinding("sales");`)).toEqual([
      "ageMs: number | null",
      "Age of the rows in ms; null before the first result.",
    ]);
    expect(explained("const limit = us|eBinding;")).toBeNull();
  });
});
