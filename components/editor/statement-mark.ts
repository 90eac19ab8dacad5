import { type EditorState, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutterLineClass } from "@codemirror/view";
import { editorScript } from "@/components/editor/editor-script";

class LineClass extends GutterMarker {
  constructor(override readonly elementClass: string) {
    super();
  }
}
const STATEMENT_LINE = new LineClass("cm-statement");
const ERROR_LINE = new LineClass("cm-errorLine");

/** Bar in the gutter beside the statement at the cursor, which Run would execute. */
export const statementBar = StateField.define<RangeSet<GutterMarker>>({
  create: markStatement,
  update: (marks, { selection, startState, state }) =>
    selection || startState.field(editorScript) !== state.field(editorScript) ? markStatement(state) : marks,
  provide: (field) => gutterLineClass.from(field),
});

/**
 * Marks the position of a query's error; null removes the mark. It moves with the text and disappears when the marked
 * text is edited.
 */
export const setErrorMark = StateEffect.define<{ from: number; to: number } | null>();

export const errorMark = StateField.define<{ from: number; to: number } | null>({
  create: () => null,
  update: (place, transaction) => {
    let next = place;
    if (next !== null && transaction.docChanged) {
      const { from, to } = next;
      const isTouched = transaction.changes.touchesRange(from, to) !== false;
      next = isTouched ? null : { from: transaction.changes.mapPos(from, 1), to: transaction.changes.mapPos(to, -1) };
    }
    for (const effect of transaction.effects) if (effect.is(setErrorMark)) next = effect.value;
    return next;
  },
  provide: (field) => [
    EditorView.decorations.compute([field, "doc"], (state): DecorationSet => {
      const place = state.field(field);
      if (place === null || place.to > state.doc.length) return Decoration.none;
      const marks = [Decoration.line({ class: "cm-errorLine" }).range(state.doc.lineAt(place.from).from)];
      if (place.to > place.from) marks.push(Decoration.mark({ class: "cm-errorMark" }).range(place.from, place.to));
      return Decoration.set(marks);
    }),
    gutterLineClass.compute([field, "doc"], (state) => {
      const place = state.field(field);
      if (place === null || place.from > state.doc.length) return RangeSet.empty;
      return RangeSet.of(ERROR_LINE.range(state.doc.lineAt(place.from).from));
    }),
  ],
});

function markStatement(state: EditorState): RangeSet<GutterMarker> {
  const builder = new RangeSetBuilder<GutterMarker>();
  const script = state.field(editorScript);
  const statement = script.at(state.selection.main.head);
  if (statement !== null) {
    let at = state.doc.lineAt(statement.from).from;
    while (at <= statement.to) {
      builder.add(at, at, STATEMENT_LINE);
      const end = script.text.indexOf("\n", at);
      if (end < 0) break;
      at = end + 1;
    }
  }
  return builder.finish();
}
