import { history, historyKeymap, standardKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { highlightFunctions } from "@/components/editor/function-names";
import { editorLanguage } from "@/components/editor/languages";
import { diffTheme } from "@/components/editor/theme";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";

/** Language for highlighting: an SQL dialect by name, or an editor extension for any other language. */
export type TextLanguage = SqlDialect | { extension: Extension };

/** Minimum size of an unchanged section that is folded, and the lines left on both sides. */
const FOLD = { margin: 3, minSize: 8 };

const mergeTheme = EditorView.theme({
  "&": { height: "auto" },
  "&.cm-merge-b .cm-changedLine, .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--diff-add)" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--diff-del)" },
  ".cm-changedText, .cm-insertedLine .cm-changedText": { background: "var(--diff-add-strong)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "var(--diff-del-strong)" },
  ".cm-insertedLine, .cm-deletedLine, .cm-deletedLine del": { textDecoration: "none" },
  ".cm-changedText *, .cm-deletedText *": { color: "var(--text-1) !important" },
  ".cm-changedText, .cm-deletedText": { color: "var(--text-1)" },
  "&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter": { backgroundColor: "var(--success)" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { backgroundColor: "var(--danger)" },
  // The default ornament is a letter that few fonts have.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: "none" },
  ".cm-collapsedLines": {
    padding: "4px 14px",
    fontFamily: "var(--font-ui)",
    fontSize: "12px",
    color: "var(--text-2)",
    background: "var(--surface-panel)",
    cursor: "pointer",
  },
  ".cm-deletedChunk .cm-chunkButtons button": {
    margin: "0",
    color: "var(--text-1)",
    border: "1px solid var(--line-2)",
    backgroundColor: "var(--surface-sheet)",
  },
  // On a separate line: over the text it would hide the chunk that it refers to.
  ".cm-deletedChunk .cm-chunkButtons": {
    position: "static",
    display: "flex",
    justifyContent: "flex-end",
    padding: "3px 8px",
    fontFamily: "var(--font-ui)",
  },
});

function extensionsOf(
  label: string,
  dialect: TextLanguage,
  isEditable: boolean,
  onChange?: (text: string) => void,
): Extension[] {
  return [
    lineNumbers(),
    drawSelection(),
    EditorView.lineWrapping,
    typeof dialect === "string" ? [editorLanguage(dialect), highlightFunctions] : dialect.extension,
    diffTheme,
    mergeTheme,
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
    isEditable
      ? [history(), keymap.of([...standardKeymap, ...historyKeymap])]
      : // Readable and reachable by the keyboard, since it scrolls.
        [
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ tabindex: "0" }),
        ],
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange?.(update.state.doc.toString());
    }),
  ];
}

type Sides = { before: string; after: string; beforeLabel: string; afterLabel: string; dialect: TextLanguage };

/** Shows two texts side by side, read-only. @returns a function that removes the view */
export function showSideBySide(
  host: HTMLElement,
  { before, after, beforeLabel, afterLabel, dialect }: Sides,
): () => void {
  const view = new MergeView({
    a: { doc: before, extensions: extensionsOf(beforeLabel, dialect, false) },
    b: { doc: after, extensions: extensionsOf(afterLabel, dialect, false) },
    parent: host,
    collapseUnchanged: FOLD,
  });
  return () => view.destroy();
}

/** Shows two texts in one view, read-only. */
export function showUnified(host: HTMLElement, { before, after, afterLabel, dialect }: Sides): () => void {
  const view = new EditorView({
    doc: after,
    extensions: [
      extensionsOf(afterLabel, dialect, false),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: FOLD }),
    ],
    parent: host,
  });
  return () => view.destroy();
}

type Merge = {
  theirs: string;
  mine: string;
  dialect: TextLanguage;
  isNarrow: boolean;
  onChange: (merged: string) => void;
};

/** Shows the saved text and the user's, which can be edited and accept single chunks of the saved one. */
export function showMerge(host: HTMLElement, { theirs, mine, dialect, isNarrow, onChange }: Merge): () => void {
  const own = extensionsOf("Your version", dialect, true, onChange);
  if (isNarrow) {
    const view = new EditorView({
      doc: mine,
      extensions: [own, unifiedMergeView({ original: theirs, mergeControls: toPieceButton, gutter: true })],
      parent: host,
    });
    return () => view.destroy();
  }
  const view = new MergeView({
    a: { doc: theirs, extensions: extensionsOf("Saved version", dialect, false) },
    b: { doc: mine, extensions: own },
    parent: host,
    revertControls: "a-to-b",
    renderRevertControl: () => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "take-piece";
      button.textContent = "→";
      button.title = "Use saved version of this change";
      button.setAttribute("aria-label", "Use saved version of this change");
      return button;
    },
  });
  return () => view.destroy();
}

/** Returns the button that accepts a chunk of the saved text; keeping a chunk needs no button. */
function toPieceButton(kind: "reject" | "accept", act: (event: MouseEvent) => void): HTMLElement {
  if (kind === "accept") {
    const nothing = document.createElement("span");
    nothing.hidden = true;
    return nothing;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn sm";
  button.textContent = "Use saved version";
  button.onclick = act;
  return button;
}
