/** What an editor leaves behind when its tab is changed: history, selection and scroll, opaque to everything else. */
export type EditorTrace = { state: unknown; scrollTop: number };

/** All statements, or the one at the cursor. */
export type WhatToRun = "all" | "at-cursor";

/** Keeps the traces of the consoles' editors while the workspace is open, and who is at work now. */
export class EditorMemory {
  #traces = new Map<string, EditorTrace>();
  #listeners = new Set<() => void>();
  #cursor: EditorCursor | null = null;
  #asked: { consoleId: string; place: EditorPlace } | null = null;
  #toRun: { consoleId: string; what: WhatToRun } | null = null;

  /** The editor that is shown, for whatever wants to write or look into it; null while none is. */
  active: EditorHandle | null = null;

  /** Where a console is to be opened, for the editor that will show it; or that does already. */
  askFor(consoleId: string, place: EditorPlace): void {
    if (this.active?.consoleId === consoleId) this.active.goToLine(place);
    else this.#asked = { consoleId, place };
  }

  isAskedFor(consoleId: string): boolean {
    return this.#asked?.consoleId === consoleId;
  }

  /** The place that a console is to be opened at, once; null for none. */
  takeAsked(consoleId: string): EditorPlace | null {
    const asked = this.#asked;
    if (asked?.consoleId !== consoleId) return null;
    this.#asked = null;
    return asked.place;
  }

  /** A console is to be run once it is shown; or now, when it is. */
  askToRun(consoleId: string, what: WhatToRun = "all"): void {
    this.#toRun = { consoleId, what };
    this.#notify();
  }

  /** What of the console is to be run; null for nothing. */
  toRun(consoleId: string): WhatToRun | null {
    return this.#toRun?.consoleId === consoleId ? this.#toRun.what : null;
  }

  /** The console has been run, or cannot be. */
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

  /** A console goes on under another id. The editor that is shown leaves its trace there too. */
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
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** A line, from 1, and what stands in it: a text that was changed since has it elsewhere. */
export type EditorPlace = { line: number; text: string };

/** 1-based line and column. */
export type EditorCursor = { line: number; column: number };

export type EditorHandle = {
  consoleId: string;
  /** What the editor would leave behind now. */
  leave: () => EditorTrace;
  focus: () => void;
  /** Takes no letter any more: another console is opened. */
  blur: () => void;
  /** The text, the cursor and the selected range, now. */
  read: () => { content: string; position: number; selectionFrom: number; selectionTo: number };
  /** Replaces a range, puts the cursor behind it or at a place in the new text, and takes the focus. */
  replace: (from: number, to: number, text: string, cursor?: number) => void;
  /** Writes at the cursor, over the selection. */
  insert: (text: string) => void;
  /** The same for a name, apart from the words beside it. */
  insertName: (name: string) => void;
  /** Puts the cursor at a place, in sight. */
  goTo: (position: number) => void;
  /** The same by its line. */
  goToLine: (place: EditorPlace) => void;
  /** Opens the field to find and replace. */
  find: () => void;
  /** Asks for another name for the alias at the cursor. */
  renameName: () => void;
  /** Turns the lines of the selection into comments, or back. */
  toggleComment: () => void;
};
