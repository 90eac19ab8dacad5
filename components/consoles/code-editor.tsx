"use client";

import { closeCompletion } from "@codemirror/autocomplete";
import { toggleComment } from "@codemirror/commands";
import { openSearchPanel, selectNextOccurrence } from "@codemirror/search";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import type { EditorHandle, EditorPlace } from "@/components/consoles/editor-memory";
import { baseExtensions, restoreState } from "@/components/editor/base";
import { completeWithSchema, sqlCompletion } from "@/components/editor/completion";
import { editorScript } from "@/components/editor/editor-script";
import { highlightFunctions } from "@/components/editor/function-names";
import { editorLanguage } from "@/components/editor/languages";
import { renameName } from "@/components/editor/rename-name";
import type { ScriptLanguage } from "@/components/editor/script";
import { errorMark, setErrorMark, statementBar } from "@/components/editor/statement-mark";
import { textChanges } from "@/components/editor/text-changes";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Entity } from "@/lib/base/values/fields";
import { spacedName } from "@/lib/platform/browser/spaced-name";

export type CodeEditorProps = {
  consoleId: string;
  label: string;
  content: string;
  language: ScriptLanguage;
  /** Whether long lines wrap. */
  wraps: boolean;
  entities: Entity[];
  /** Metrics to complete, as `metric(name)`. */
  metrics: readonly string[];
  /** Range to underline, and the text it refers to; null for none. */
  error: { from: number; to: number; content: string } | null;
  onChange: (content: string) => void;
  onRun: () => void;
  onRunAll: () => void;
  /** Called for the shortcut of a command that is also offered elsewhere. */
  onCommand: (id: string) => void;
  /** Called for Escape when the editor has nothing to close. @returns whether it was used */
  onEscape: () => boolean;
};

/** Editor of one console. Use a new key for another console; history and selection are restored from memory. */
export function CodeEditor(props: CodeEditorProps) {
  const { editors } = useWorkspace();
  const hostRef = useRef<HTMLDivElement>(null);
  const viewRef = useRef<EditorView | null>(null);
  const language = useRef(new Compartment());
  const wrapping = useRef(new Compartment());
  const latest = useRef(props);
  latest.current = props;

  const mount = useEffectEvent((host: HTMLElement) => {
    const { consoleId, content, language: spoken } = latest.current;
    const trace = editors.recall(consoleId);
    const kept = trace?.state instanceof EditorState && trace.state.doc.toString() === content ? trace.state : null;
    const extensions = buildExtensions(
      () => latest.current,
      [language.current.of(editorLanguage(spoken)), wrapping.current.of(toWrapping(latest.current.wraps))],
      (view) => {
        const head = view.state.selection.main.head;
        const line = view.state.doc.lineAt(head);
        editors.moveCursor({ line: line.number, column: head - line.from + 1 });
      },
    );
    const fresh = () => EditorState.create({ doc: content, selection: { anchor: content.length }, extensions });
    const view = new EditorView({ state: kept ? restoreState(kept, extensions) : fresh(), parent: host });
    viewRef.current = view;
    view.scrollDOM.scrollTop = trace?.scrollTop ?? 0;
    const handle = toHandle(view, consoleId);
    const asked = editors.takeAsked(consoleId);
    if (asked !== null) handle.goToLine(asked);
    editors.active = handle;
    const line = view.state.doc.lineAt(view.state.selection.main.head);
    editors.moveCursor({ line: line.number, column: view.state.selection.main.head - line.from + 1 });
    // Keep the focus of a user who is typing to the agent or in a dialog.
    const isWriting = document.activeElement?.closest('[data-keeps-focus],[role="dialog"]') != null;
    if (matchMedia("(hover: hover)").matches && !isWriting) view.focus();
    return () => {
      editors.remember(consoleId, { state: view.state, scrollTop: view.scrollDOM.scrollTop });
      if (editors.active === handle) {
        editors.active = null;
        editors.moveCursor(null);
      }
      viewRef.current = null;
      view.destroy();
    };
  });
  useEffect(() => {
    if (hostRef.current) return mount(hostRef.current);
  }, []);

  // The text can change from outside: another tab of the browser, a suggested fix. The user's own edits are already in
  // it.
  useEffect(() => {
    const view = viewRef.current;
    const shown = view?.state.doc.toString() ?? props.content;
    if (shown !== props.content) view?.dispatch({ changes: textChanges(shown, props.content) });
  }, [props.content]);

  useEffect(() => {
    viewRef.current?.dispatch({ effects: language.current.reconfigure(editorLanguage(props.language)) });
  }, [props.language]);

  useEffect(() => {
    viewRef.current?.dispatch({ effects: wrapping.current.reconfigure(toWrapping(props.wraps)) });
  }, [props.wraps]);

  useEffect(() => {
    if (viewRef.current && props.entities.length > 0) completeWithSchema(viewRef.current);
  }, [props.entities]);

  const { error } = props;
  useEffect(() => {
    const view = viewRef.current;
    const isSame = error !== null && view?.state.doc.toString() === error.content;
    view?.dispatch({ effects: setErrorMark.of(isSame ? { from: error.from, to: error.to } : null) });
  }, [error]);

  return <div ref={hostRef} className="code-host" />;
}

function toWrapping(wraps: boolean): Extension {
  return wraps ? EditorView.lineWrapping : [];
}

/** Returns the editor's extensions. @param changing extensions that are replaced while the editor is open */
function buildExtensions(
  read: () => CodeEditorProps,
  changing: Extension,
  onCursor: (view: EditorView) => void,
): Extension[] {
  return [
    Prec.highest(
      keymap.of([
        { key: "Mod-Enter", preventDefault: true, run: (view) => takeWhole(view, read().onRun) },
        { key: "Mod-Shift-Enter", preventDefault: true, run: (view) => takeWhole(view, read().onRunAll) },
        { key: "Shift-Alt-f", preventDefault: true, run: () => take(() => read().onCommand("format")) },
        // Shortcuts of desktop database clients, beside those of editors.
        { key: "Mod-Alt-l", preventDefault: true, run: () => take(() => read().onCommand("format")) },
        { key: "Alt-j", preventDefault: true, run: selectNextOccurrence },
        { key: "F2", preventDefault: true, run: (view) => take(() => void renameName(view)) },
        { key: "Alt-z", preventDefault: true, run: () => take(() => read().onCommand("wrap")) },
      ]),
    ),
    Prec.low(keymap.of([{ key: "Escape", run: () => read().onEscape() }])),
    baseExtensions(read().label, [
      statementBar,
      errorMark,
      changing,
      highlightFunctions,
      sqlCompletion(
        () => read().entities,
        () => read().metrics,
      ),
      placeholder("Write a query, for example: select * from orders limit 10"),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) read().onChange(update.state.field(editorScript).text);
        if (update.docChanged || update.selectionSet) onCursor(update.view);
      }),
    ]),
  ];
}

/** Runs the action and consumes the key in any case: its default would change the text. */
function take(action: () => void): true {
  action();
  return true;
}

/** Does the same for actions that read the current text, and closes an open completion first. */
function takeWhole(view: EditorView, action: () => void): true {
  closeCompletion(view);
  return take(action);
}

/** Returns the line with that text that is nearest to the given one; without a match, the given line. */
function findPlace({ doc }: EditorState, { line, text }: EditorPlace): number {
  const named = Math.min(Math.max(1, line), doc.lines);
  for (let away = 0; away < doc.lines; away += 1) {
    for (const number of away === 0 ? [named] : [named - away, named + away]) {
      if (number < 1 || number > doc.lines) continue;
      const at = doc.line(number).text.indexOf(text);
      if (at >= 0) return doc.line(number).from + at;
    }
  }
  return doc.line(named).from;
}

function toHandle(view: EditorView, consoleId: string): EditorHandle {
  return {
    consoleId,
    leave: () => ({ state: view.state, scrollTop: view.scrollDOM.scrollTop }),
    focus: () => view.focus(),
    blur: () => view.contentDOM.blur(),
    read: () => {
      const { main } = view.state.selection;
      return {
        content: view.state.doc.toString(),
        position: main.head,
        selectionFrom: main.from,
        selectionTo: main.to,
      };
    },
    replace: (from, to, text, cursor = text.length) => {
      view.dispatch({
        changes: { from, to, insert: text },
        selection: { anchor: from + cursor },
        scrollIntoView: true,
        userEvent: "input.replace",
      });
      view.focus();
    },
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    insertName: (name) => {
      const { from, to } = view.state.selection.main;
      const { doc } = view.state;
      const text = spacedName(name, doc.sliceString(Math.max(0, from - 1), from), doc.sliceString(to, to + 1));
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    goTo: (position) => {
      const at = Math.min(position, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    goToLine: (place) => {
      const at = findPlace(view.state, place);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    find: () => openSearchPanel(view),
    renameName: () => void renameName(view),
    toggleComment: () => {
      toggleComment(view);
      view.focus();
    },
  };
}
