/** What an editor leaves behind when its tab is changed: history, selection and scroll, opaque to everything else. */
export type EditorTrace = { state: unknown; scrollTop: number };

/** Keeps the traces of the consoles' editors while the workspace is open, and who is at work now. */
export class EditorMemory {
  #traces = new Map<string, EditorTrace>();
  #listeners = new Set<() => void>();
  #cursor: EditorCursor | null = null;

  /** The editor that is shown, for whatever wants to write or look into it; null while none is. */
  active: EditorHandle | null = null;

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
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** 1-based line and column. */
export type EditorCursor = { line: number; column: number };

export type EditorHandle = {
  consoleId: string;
  /** What the editor would leave behind now. */
  leave: () => EditorTrace;
  focus: () => void;
  /** The text, the cursor and the selected range, now. */
  read: () => { content: string; position: number; selectionFrom: number; selectionTo: number };
  /** Replaces a range, puts the cursor behind it and takes the focus. */
  replace: (from: number, to: number, text: string) => void;
  /** Writes at the cursor, over the selection. */
  insert: (text: string) => void;
  /** Puts the cursor at a place, in sight. */
  goTo: (position: number) => void;
  /** Writes the whole text anew, as one step to undo; the cursor stays about where it was. */
  rewrite: (text: string) => void;
  /** Opens the field to find and replace. */
  find: () => void;
  /** Turns the lines of the selection into comments, or back. */
  toggleComment: () => void;
};
