import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyField, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view"; // biome-ignore format: one look at the whole list
import { editorTheme } from "@/components/editor/theme";
import { isApple } from "@/components/ui/use-browser";

/**
 * What every editor of texts can do, in whatever language.
 * @param label how it is called by those who do not see it
 * @param own keys and parts of one editor alone; keys of its own stand in front of these by `Prec`
 */
export function baseExtensions(label: string, own: Extension): Extension[] {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    // Alt as elsewhere; the platform's own key stays.
    EditorView.clickAddsSelectionRange.of((event) => event.altKey || (isApple() ? event.metaKey : event.ctrlKey)),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    own,
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({
      "aria-label": label,
      autocapitalize: "off",
      spellcheck: "false",
      // Its box scrolls when lines are long, and what scrolls has to be known as reachable by the keyboard.
      tabindex: "0",
    }),
    editorTheme,
  ];
}

/** History is part of what is kept. */
const HISTORY_FIELDS = { history: historyField };

/** A kept state carries the extensions of the editor that is gone: text, selection and history go on under the new ones. */
export function restoreState(kept: EditorState, extensions: Extension): EditorState {
  return EditorState.fromJSON(kept.toJSON(HISTORY_FIELDS), { extensions }, HISTORY_FIELDS);
}
