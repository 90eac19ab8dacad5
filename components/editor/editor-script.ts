import { Facet, StateField } from "@codemirror/state";
import { readScript, type Script, type ScriptLanguage } from "@/components/editor/script";

/** Language of the editor's text. */
export const scriptLanguage = Facet.define<ScriptLanguage, ScriptLanguage>({
  combine: ([language]) => language ?? "standard",
});

/** Editor text split into statements; an edit parses only the part that it touches. */
export const editorScript = StateField.define<Script>({
  create: (state) => readScript(state.doc.toString(), state.facet(scriptLanguage)),
  update: (script, { docChanged, state }) => {
    const language = state.facet(scriptLanguage);
    if (language !== script.dialect) return readScript(state.doc.toString(), language);
    return docChanged ? script.with(state.doc.toString()) : script;
  },
});
