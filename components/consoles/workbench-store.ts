import { createStore } from "zustand/vanilla";
import {
  EMPTY_WORKBENCH,
  mergeWorkbenches,
  parseWorkbench,
  type Workbench,
} from "@/lib/features/consoles/browser/workbench";

/** Delay after the last key before typing is saved, so that not every key writes the whole workbench. */
const KEEP_AFTER_MS = 250;

/**
 * Holds a user's workbench in one workspace, saves it in this browser, and follows changes in other tabs of the
 * browser. `current` is null until the page is hydrated and the first visit has been decided.
 */
export class WorkbenchStore {
  readonly #state = createStore<{ workbench: Workbench | null; isSettled: boolean }>(() => ({
    workbench: null,
    isSettled: false,
  }));
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Changes made before the page was hydrated, for example by an early shortcut; null from then on. */
  #early: ((workbench: Workbench) => Workbench)[] | null = [];
  readonly #key: string;

  constructor(
    userId: string,
    workspaceId: string,
    private readonly onFull: () => void,
  ) {
    this.#key = `millrace:desk:${userId}:${workspaceId}`;
  }

  read = (): Workbench | null => this.#state.getState().workbench;

  /** Returns true once the account's copy has been requested: only then is a missing workbench a first visit. */
  isSettled = (): boolean => this.#state.getState().isSettled;

  /** Takes in the account's copy of this workbench. @param kept null for none, and if the server did not respond */
  settle(kept: Workbench | null): void {
    const here = this.read();
    const merged = kept === null ? here : here === null ? kept : mergeWorkbenches(here, kept);
    this.#state.setState({ workbench: merged, isSettled: true });
    if (merged !== null) this.#keepSoon();
  }

  readonly subscribe = this.#state.subscribe;

  /**
   * Reads the saved workbench and starts to follow other tabs.
   * @returns a function that stops this and saves pending changes
   */
  wake(): () => void {
    this.#show(parseWorkbench(this.#readKept()));
    const early = this.#early ?? [];
    this.#early = null;
    for (const change of early) this.change(change);
    const onStorage = (event: StorageEvent) => {
      if (event.key === this.#key) this.#show(parseWorkbench(event.newValue) ?? this.read());
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

  /** Changes the workbench; a missing one starts empty. */
  change = (change: (workbench: Workbench) => Workbench): void => {
    if (this.#early !== null) {
      this.#early.push(change);
      return;
    }
    const next = change(this.read() ?? EMPTY_WORKBENCH);
    if (next === this.read()) return;
    this.#show({ ...next, changedAt: Date.now() });
    this.#keepSoon();
  };

  #keepSoon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), KEEP_AFTER_MS);
  }

  #show(workbench: Workbench | null): void {
    this.#state.setState({ workbench });
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
      localStorage.setItem(this.#key, JSON.stringify(this.read()));
    } catch {
      this.onFull();
    }
  }
}
