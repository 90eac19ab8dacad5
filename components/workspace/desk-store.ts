import { type Desk, EMPTY_DESK, mergeDesks, parseDesk } from "@/lib/ui/desk";

/** Typing is kept this long after the last key, so that not every key writes the whole desk. */
const KEEP_AFTER_MS = 250;

/**
 * Holds one person's desk in one workspace, keeps it in this browser, and follows what other tabs of the browser change.
 * `current` is null until the page is awake and the first visit has been decided.
 */
export class DeskStore {
  #desk: Desk | null = null;
  #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isSettled = false;
  readonly #key: string;

  constructor(
    userId: string,
    workspaceId: string,
    private readonly onFull: () => void,
  ) {
    this.#key = `millrace:desk:${userId}:${workspaceId}`;
  }

  read = (): Desk | null => this.#desk;

  /** True once the account's own copy has been asked for: only then is a missing desk a first visit. */
  isSettled = (): boolean => this.#isSettled;

  /** Takes in what the account keeps of this desk. @param kept null for nothing, and when the server did not answer */
  settle(kept: Desk | null): void {
    this.#isSettled = true;
    const merged = kept === null ? this.#desk : this.#desk === null ? kept : mergeDesks(this.#desk, kept);
    this.#show(merged);
    if (merged !== null) this.#keepSoon();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads what was kept and begins to follow other tabs. @returns how to stop; what is not kept yet is kept then */
  wake(): () => void {
    this.#show(parseDesk(this.#readKept()));
    const onStorage = (event: StorageEvent) => {
      if (event.key === this.#key) this.#show(parseDesk(event.newValue) ?? this.#desk);
    };
    const onLeave = () => this.#keep();
    addEventListener("storage", onStorage);
    addEventListener("pagehide", onLeave);
    document.addEventListener("visibilitychange", onLeave);
    return () => {
      removeEventListener("storage", onStorage);
      removeEventListener("pagehide", onLeave);
      document.removeEventListener("visibilitychange", onLeave);
      this.#keep();
    };
  }

  /** Changes the desk; a desk that nobody has yet begins empty. */
  change = (change: (desk: Desk) => Desk): void => {
    const next = change(this.#desk ?? EMPTY_DESK);
    if (next === this.#desk) return;
    this.#show({ ...next, changedAt: Date.now() });
    this.#keepSoon();
  };

  #keepSoon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), KEEP_AFTER_MS);
  }

  #show(desk: Desk | null): void {
    this.#desk = desk;
    for (const listener of this.#listeners) listener();
  }

  #readKept(): string | null {
    try {
      return localStorage.getItem(this.#key);
    } catch {
      return null;
    }
  }

  #keep(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#desk));
    } catch {
      this.onFull();
    }
  }
}
