import { createStore } from "zustand/vanilla";

/** State of an editor when its tab is left: history, selection and scroll position; opaque to all other code. */
export type EditorTrace = { state: unknown; scrollTop: number };

/** All statements, or the one at the cursor. */
export type WhatToRun = "all" | "at-cursor";

/** Keeps the state of the consoles' editors while the workspace is open, and the active editor. */
export class EditorMemory {
  #traces = new Map<string, EditorTrace>();
  readonly #changes = createStore(() => 0);
  #cursor: EditorCursor | null = null;
  #asked: { consoleId: string; place: EditorPlace } | null = null;
  #toRun: { consoleId: string; what: WhatToRun } | null = null;

  /** The visible editor, for code that writes to it or reads from it; null without one. */
  active: EditorHandle | null = null;

  /** Opens a console at a position: in the visible editor, or in the editor that will show it. */
  askFor(consoleId: string, place: EditorPlace): void {
    if (this.active?.consoleId === consoleId) this.active.goToLine(place);
    else this.#asked = { consoleId, place };
  }

  isAskedFor(consoleId: string): boolean {
    return this.#asked?.consoleId === consoleId;
  }

  /** Returns the position at which a console is to be opened, and forgets it; null for none. */
  takeAsked(consoleId: string): EditorPlace | null {
    const asked = this.#asked;
    if (asked?.consoleId !== consoleId) return null;
    this.#asked = null;
    return asked.place;
  }

  /** Requests a run of a console: now if it is visible, else when it is shown. */
  askToRun(consoleId: string, what: WhatToRun = "all"): void {
    this.#toRun = { consoleId, what };
    this.#notify();
  }

  /** Returns the part of the console to run; null for nothing. */
  toRun(consoleId: string): WhatToRun | null {
    return this.#toRun?.consoleId === consoleId ? this.#toRun.what : null;
  }

  /** Drops the request: the console has been run, or cannot be. */
  forgetToRun(): void {
    this.#toRun = null;
    this.#notify();
  }

  recall(consoleId: string): EditorTrace | undefined {
    return this.#traces.get(consoleId);
  }

  remember(consoleId: string, trace: EditorTrace): void {
    this.#traces.set(consoleId, trace);
  }

  forget(consoleId: string): void {
    this.#traces.delete(consoleId);
  }

  /** Moves the state of a console to another id, that of the visible editor too. */
  move(from: string, to: string): void {
    const trace = this.active?.consoleId === from ? this.active.leave() : this.#traces.get(from);
    if (trace) this.#traces.set(to, trace);
    this.#traces.delete(from);
  }

  readCursor = (): EditorCursor | null => this.#cursor;

  moveCursor(cursor: EditorCursor | null): void {
    this.#cursor = cursor;
    this.#notify();
  }

  #notify(): void {
    this.#changes.setState((count) => count + 1);
  }

  readonly subscribe = this.#changes.subscribe;
}

/** A line, 1-based, and its text, by which it is found after the console has changed. */
export type EditorPlace = { line: number; text: string };

/** 1-based line and column. */
export type EditorCursor = { line: number; column: number };

export type EditorHandle = {
  consoleId: string;
  /** Returns the current state of the editor. */
  leave: () => EditorTrace;
  focus: () => void;
  /** Stops keyboard input: another console is being opened. */
  blur: () => void;
  /** Returns the current text, cursor and selection. */
  read: () => { content: string; position: number; selectionFrom: number; selectionTo: number };
  /** Replaces a range, moves the cursor after it or to a position in the new text, and takes the focus. */
  replace: (from: number, to: number, text: string, cursor?: number) => void;
  /** Inserts at the cursor, replacing the selection. */
  insert: (text: string) => void;
  /** Inserts a name in the same way, separated from the words beside it. */
  insertName: (name: string) => void;
  /** Moves the cursor to a position and scrolls it into view. */
  goTo: (position: number) => void;
  /** Does the same for a line. */
  goToLine: (place: EditorPlace) => void;
  /** Opens the find and replace panel. */
  find: () => void;
  /** Asks for a new name for the alias at the cursor. */
  renameName: () => void;
  /** Comments or uncomments the selected lines. */
  toggleComment: () => void;
};
