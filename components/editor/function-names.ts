import { type Range, RangeSet } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { lexSql } from "@/lib/sql/lexer";

const FUNCTION = Decoration.mark({ class: "cm-function" });

/** Colours the names of functions, which the language's own grammar does not tell from other names. */
export const highlightFunctions = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = markFunctions(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.decorations = markFunctions(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function markFunctions(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  // From the top, since a quote or comment that is open further up decides what the visible lines are.
  const text = view.state.doc.sliceString(0, view.viewport.to);
  for (const { kind, from, to } of lexSql(text)) {
    if (kind === "function" && to >= view.viewport.from) marks.push(FUNCTION.range(from, to));
  }
  return RangeSet.of(marks);
}
