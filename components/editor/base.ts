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
 * Returns the extensions shared by all text editors.
 * @param label accessible name of the editor
 * @param own extensions of one editor; its keys take precedence by `Prec`
 */
export function baseExtensions(label: string, own: Extension): Extension[] {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    // Alt-click adds a cursor as in other editors; the platform's own modifier works too.
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
      // Long lines make it scroll, and a scrolling element must be reachable by the keyboard.
      tabindex: "0",
    }),
    editorTheme,
  ];
}

/** History is part of the saved state. */
const HISTORY_FIELDS = { history: historyField };

/** Restores text, selection and history under new extensions: a saved state has those of the editor that is gone. */
export function restoreState(kept: EditorState, extensions: Extension): EditorState {
  return EditorState.fromJSON(kept.toJSON(HISTORY_FIELDS), { extensions }, HISTORY_FIELDS);
}
