import { type Range, RangeSet } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { editorScript } from "@/components/editor/editor-script";
import { colourOf } from "@/lib/base/sql/highlight";
import { SqlScript } from "@/lib/base/sql/statements";

const FUNCTION = Decoration.mark({ class: "cm-function" });

/** Highlights function names, which the language's grammar does not distinguish from other names. */
export const highlightFunctions = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = markFunctions(view);
    }
    update(update: ViewUpdate) {
      const isRead = update.startState.field(editorScript) !== update.state.field(editorScript);
      if (isRead || update.viewportChanged) this.decorations = markFunctions(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function markFunctions(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  const script = view.state.field(editorScript);
  if (!(script instanceof SqlScript)) return RangeSet.empty;
  for (const piece of script.pieces(view.viewport.from, view.viewport.to)) {
    const isFunction = piece.end >= view.viewport.from && colourOf(script.text, piece) === "function";
    if (isFunction) marks.push(FUNCTION.range(piece.start, piece.end));
  }
  return RangeSet.of(marks);
}
