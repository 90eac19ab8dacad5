"use client";

import { closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyField,
  historyKeymap,
  indentWithTab,
  toggleComment,
} from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view"; // biome-ignore format: one look at the whole list
import { useEffect, useEffectEvent, useRef } from "react";
import { sqlCompletion } from "@/components/editor/completion";
import { editorScript } from "@/components/editor/editor-script";
import { highlightFunctions } from "@/components/editor/function-names";
import { editorLanguage } from "@/components/editor/languages";
import type { ScriptLanguage } from "@/components/editor/script";
import { errorMark, setErrorMark, statementBar } from "@/components/editor/statement-mark";
import { editorTheme } from "@/components/editor/theme";
import type { EditorHandle } from "@/components/workspace/editor-memory";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { Entity } from "@/lib/client/api";

export type CodeEditorProps = {
  consoleId: string;
  label: string;
  content: string;
  language: ScriptLanguage;
  entities: Entity[];
  /** The piece to underline, and the text in which it stood; null for none. */
  error: { from: number; to: number; content: string } | null;
  onChange: (content: string) => void;
  onRun: () => void;
  onRunAll: () => void;
  onFormat: () => void;
  /** Escape, when the editor itself has nothing to close. @returns whether it was used */
  onEscape: () => boolean;
};

/** The editor of one console. Mount it anew for another console; history and selection come back from memory. */
export function CodeEditor(props: CodeEditorProps) {
  const { editors } = useWorkspace();
  const hostRef = useRef<HTMLDivElement>(null);
  const viewRef = useRef<EditorView | null>(null);
  const language = useRef(new Compartment());
  const latest = useRef(props);
  latest.current = props;

  const mount = useEffectEvent((host: HTMLElement) => {
    const { consoleId, content, language: spoken } = latest.current;
    const trace = editors.recall(consoleId);
    const kept = trace?.state instanceof EditorState && trace.state.doc.toString() === content ? trace.state : null;
    const extensions = buildExtensions(
      () => latest.current,
      language.current.of(editorLanguage(spoken)),
      (view) => {
        const head = view.state.selection.main.head;
        const line = view.state.doc.lineAt(head);
        editors.moveCursor({ line: line.number, column: head - line.from + 1 });
      },
    );
    const fresh = () => EditorState.create({ doc: content, selection: { anchor: content.length }, extensions });
    const view = new EditorView({ state: kept ? restore(kept, extensions) : fresh(), parent: host });
    viewRef.current = view;
    view.scrollDOM.scrollTop = trace?.scrollTop ?? 0;
    const handle = toHandle(view, consoleId);
    editors.active = handle;
    const line = view.state.doc.lineAt(view.state.selection.main.head);
    editors.moveCursor({ line: line.number, column: view.state.selection.main.head - line.from + 1 });
    // Not from under the hands of somebody who writes to the agent meanwhile.
    const isWriting = document.activeElement?.matches("[data-keeps-focus]") ?? false;
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

  // The text can change from outside: another tab of the browser, a repair. What was typed here is already the same.
  useEffect(() => {
    const view = viewRef.current;
    if (!view || view.state.doc.toString() === props.content) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: props.content } });
  }, [props.content]);

  useEffect(() => {
    viewRef.current?.dispatch({ effects: language.current.reconfigure(editorLanguage(props.language)) });
  }, [props.language]);

  const { error } = props;
  useEffect(() => {
    const view = viewRef.current;
    const isSame = error !== null && view?.state.doc.toString() === error.content;
    view?.dispatch({ effects: setErrorMark.of(isSame ? { from: error.from, to: error.to } : null) });
  }, [error]);

  return <div ref={hostRef} className="code-host" />;
}

function buildExtensions(
  read: () => CodeEditorProps,
  language: Extension,
  onCursor: (view: EditorView) => void,
): Extension[] {
  return [
    Prec.highest(
      keymap.of([
        { key: "Mod-Enter", preventDefault: true, run: (view) => takeWhole(view, read().onRun) },
        { key: "Mod-Shift-Enter", preventDefault: true, run: (view) => takeWhole(view, read().onRunAll) },
        { key: "Shift-Alt-f", preventDefault: true, run: () => take(read().onFormat) },
      ]),
    ),
    Prec.low(keymap.of([{ key: "Escape", run: () => read().onEscape() }])),
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    statementBar,
    errorMark,
    language,
    highlightFunctions,
    sqlCompletion(() => read().entities),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    placeholder("Ask your data something, such as: select * from orders limit 10"),
    EditorView.contentAttributes.of({
      "aria-label": read().label,
      autocapitalize: "off",
      spellcheck: "false",
      // Its box scrolls when lines are long, and what scrolls has to be known as reachable by the keyboard.
      tabindex: "0",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) read().onChange(update.state.field(editorScript).text);
      if (update.docChanged || update.selectionSet) onCursor(update.view);
    }),
    editorTheme,
  ];
}

/** The key is used, whatever the action makes of it: its usual meaning would change the text. */
function take(action: () => void): true {
  action();
  return true;
}

/** The same for what asks about the text as it stands: no completion is waited for. */
function takeWhole(view: EditorView, action: () => void): true {
  closeCompletion(view);
  return take(action);
}

/** History is part of what is kept. */
const HISTORY_FIELDS = { history: historyField };

/** A kept state carries the extensions of the editor that is gone: text, selection and history go on under the new ones. */
function restore(kept: EditorState, extensions: Extension[]): EditorState {
  return EditorState.fromJSON(kept.toJSON(HISTORY_FIELDS), { extensions }, HISTORY_FIELDS);
}

function toHandle(view: EditorView, consoleId: string): EditorHandle {
  return {
    consoleId,
    leave: () => ({ state: view.state, scrollTop: view.scrollDOM.scrollTop }),
    focus: () => view.focus(),
    read: () => {
      const { main } = view.state.selection;
      return {
        content: view.state.doc.toString(),
        position: main.head,
        selectionFrom: main.from,
        selectionTo: main.to,
      };
    },
    replace: (from, to, text) => {
      view.dispatch({
        changes: { from, to, insert: text },
        selection: { anchor: from + text.length },
        scrollIntoView: true,
        userEvent: "input.replace",
      });
      view.focus();
    },
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    goTo: (position) => {
      const at = Math.min(position, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    rewrite: (text) => {
      const { state } = view;
      const at = Math.min(state.selection.main.head, text.length);
      view.dispatch({
        changes: { from: 0, to: state.doc.length, insert: text },
        selection: { anchor: at },
        scrollIntoView: true,
        userEvent: "input.format",
      });
      view.focus();
    },
    find: () => openSearchPanel(view),
    toggleComment: () => {
      toggleComment(view);
      view.focus();
    },
  };
}
