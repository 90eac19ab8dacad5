"use client";

import { setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { baseExtensions, restoreState } from "@/components/editor/base";
import { useWorkspace } from "@/components/layout/workspace-context";

/** An error at a position; `line` and `column` are 1-based. */
export type TextProblem = { line: number; column: number | null; message: string };

type TextEditorProps = {
  /** Key under which history, selection and scroll position are remembered. */
  traceId: string;
  label: string;
  /** Highlighting and completion; read once. */
  language: Extension;
  content: string;
  isReadOnly: boolean;
  problems: readonly TextProblem[];
  /** Whether it takes the focus when it appears, unless the user is typing elsewhere. */
  takesFocus?: boolean;
  /** Position to scroll to; a new object scrolls again, even to the same position. */
  goTo: { line: number; column: number | null } | null;
  onChange: (content: string) => void;
};

/** Editor of one file. Use a new key for another file. */
export function TextEditor(props: TextEditorProps) {
  const { editors } = useWorkspace();
  const hostRef = useRef<HTMLDivElement>(null);
  const viewRef = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  /** True while an external change is applied, which must not count as the user's edit. */
  const isTakingIn = useRef(false);

  const reportCursor = ({ state }: EditorView) => {
    const head = state.selection.main.head;
    const line = state.doc.lineAt(head);
    editors.moveCursor({ line: line.number, column: head - line.from + 1 });
  };
  const mount = useEffectEvent((host: HTMLElement) => {
    const { traceId, content, label, language, isReadOnly, takesFocus = false } = latest.current;
    const trace = editors.recall(traceId);
    const kept = trace?.state instanceof EditorState && trace.state.doc.toString() === content ? trace.state : null;
    const extensions = baseExtensions(label, [
      language,
      EditorState.readOnly.of(isReadOnly),
      EditorView.editable.of(!isReadOnly),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !isTakingIn.current) latest.current.onChange(update.state.doc.toString());
        if (update.docChanged || update.selectionSet) reportCursor(update.view);
      }),
    ]);
    const state = kept ? restoreState(kept, extensions) : EditorState.create({ doc: content, extensions });
    const view = new EditorView({ state, parent: host });
    viewRef.current = view;
    view.scrollDOM.scrollTop = trace?.scrollTop ?? 0;
    reportCursor(view);
    const isWriting = document.activeElement?.closest('[data-keeps-focus],[role="dialog"],[role="tree"]') != null;
    if (takesFocus && matchMedia("(hover: hover)").matches && !isWriting) view.focus();
    return () => {
      editors.remember(traceId, { state: view.state, scrollTop: view.scrollDOM.scrollTop });
      editors.moveCursor(null);
      viewRef.current = null;
      view.destroy();
    };
  });
  useEffect(() => {
    if (hostRef.current) return mount(hostRef.current);
  }, []);

  // The text can change from outside: another tab, a push, the sandbox. The user's own edits are already in it.
  const { content, problems, goTo } = props;
  useEffect(() => {
    const view = viewRef.current;
    if (!view || view.state.doc.toString() === content) return;
    isTakingIn.current = true;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: content } });
    isTakingIn.current = false;
  }, [content]);

  useEffect(() => {
    const view = viewRef.current;
    if (!view) return;
    const { doc } = view.state;
    const marks = problems.map(({ line: at, column, message }) => {
      const line = doc.line(Math.min(Math.max(1, at), doc.lines));
      const from = Math.min(line.from + Math.max(0, (column ?? 1) - 1), line.to);
      // At the end of a line there is nothing to underline, so mark the whole line.
      return { from: from === line.to ? line.from : from, to: line.to, severity: "error" as const, message };
    });
    view.dispatch(setDiagnostics(view.state, marks));
  }, [problems]);

  useEffect(() => {
    const view = viewRef.current;
    if (!view || goTo === null) return;
    const { doc } = view.state;
    const line = doc.line(Math.min(Math.max(1, goTo.line), doc.lines));
    const at = Math.min(line.from + Math.max(0, (goTo.column ?? 1) - 1), line.to);
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    view.focus();
  }, [goTo]);

  return <div ref={hostRef} className="code-host" />;
}
