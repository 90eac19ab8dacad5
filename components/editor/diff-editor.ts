import { history, historyKeymap, standardKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { highlightFunctions } from "@/components/editor/function-names";
import { editorLanguage } from "@/components/editor/languages";
import { diffTheme } from "@/components/editor/theme";
import type { SqlDialect } from "@/lib/base/sql/dialects";

/** What colours a text: a dialect of SQL by its name, or any other language as the editor has it. */
export type TextLanguage = SqlDialect | { extension: Extension };

/** Unchanged stretches longer than this are folded, with some lines left on both sides. */
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
  // In a row of its own: over the line it would hide what it is about.
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

/** Two texts side by side, to read. @returns how to take it away */
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

/** Two texts in one, to read. */
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

/** The saved text and the person's own, which can be edited and take single pieces of the saved one. */
export function showMerge(host: HTMLElement, { theirs, mine, dialect, isNarrow, onChange }: Merge): () => void {
  const own = extensionsOf("Your text", dialect, true, onChange);
  if (isNarrow) {
    const view = new EditorView({
      doc: mine,
      extensions: [own, unifiedMergeView({ original: theirs, mergeControls: toPieceButton, gutter: true })],
      parent: host,
    });
    return () => view.destroy();
  }
  const view = new MergeView({
    a: { doc: theirs, extensions: extensionsOf("The saved text", dialect, false) },
    b: { doc: mine, extensions: own },
    parent: host,
    revertControls: "a-to-b",
    renderRevertControl: () => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "take-piece";
      button.textContent = "→";
      button.title = "Take this piece of the saved text";
      button.setAttribute("aria-label", "Take this piece of the saved text");
      return button;
    },
  });
  return () => view.destroy();
}

/** Only the way to the saved text: a piece that is kept needs no press. */
function toPieceButton(kind: "reject" | "accept", act: (event: MouseEvent) => void): HTMLElement {
  if (kind === "accept") {
    const nothing = document.createElement("span");
    nothing.hidden = true;
    return nothing;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn sm";
  button.textContent = "Take the saved piece";
  button.onclick = act;
  return button;
}
