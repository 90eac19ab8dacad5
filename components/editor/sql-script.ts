import { Facet, StateField } from "@codemirror/state";
import type { SqlDialect } from "@/lib/sql/dialects";
import { SqlScript } from "@/lib/sql/statements";

/** How the SQL of the editor's connection is read. */
export const sqlDialect = Facet.define<SqlDialect, SqlDialect>({ combine: ([dialect]) => dialect ?? "standard" });

/** The editor's text, cut into its statements; a change costs what it touches. */
export const sqlScript = StateField.define<SqlScript>({
  create: (state) => SqlScript.of(state.doc.toString(), state.facet(sqlDialect)),
  update: (script, { docChanged, state }) => {
    const dialect = state.facet(sqlDialect);
    if (dialect !== script.dialect) return SqlScript.of(state.doc.toString(), dialect);
    return docChanged ? script.with(state.doc.toString()) : script;
  },
});
