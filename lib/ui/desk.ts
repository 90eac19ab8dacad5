/**
 * A person's consoles in one workspace, as this browser keeps them until consoles are saved on the server: what is
 * written in them, which are open as tabs, and how far the first steps are. Pure changes; the store keeps and shows them.
 */

/** `connectionId` null means the one that the workspace offers first. */
export type DraftConsole = {
  id: string;
  name: string;
  content: string;
  connectionId: string | null;
  /** The chart over its result, as a Vega-Lite specification; absent before anybody chose one. */
  chart?: Record<string, unknown>;
};
export const STEPS = ["workspace", "sample", "table", "own", "connect", "invite"] as const;
export type Step = (typeof STEPS)[number];
export type Desk = {
  version: 1;
  consoles: DraftConsole[];
  /** Console ids in the order of their tabs. */
  tabs: string[];
  lastActiveId: string | null;
  done: Step[];
  isChecklistHidden: boolean;
  /** The line under the editor has said how to leave it by the keyboard. */
  isEditorHintSeen: boolean;
  /** The race strip has explained its two tones. */
  isStripExplained: boolean;
};

/** Shown as a tab of its own name in the address: letters that a path carries unchanged. */
export const SAMPLE_CONSOLE_ID = "best-sellers";
export const CONSOLE_NAME_MAX = 120;

export const EMPTY_DESK: Desk = {
  version: 1,
  consoles: [],
  tabs: [],
  lastActiveId: null,
  done: ["workspace"],
  isChecklistHidden: false,
  isEditorHintSeen: false,
  isStripExplained: false,
};

export function findConsole(desk: Pick<Desk, "consoles">, id: string | null): DraftConsole | null {
  return desk.consoles.find((each) => each.id === id) ?? null;
}

/** Adds a console and opens it as the last tab. */
export function addConsole(desk: Desk, added: DraftConsole): Desk {
  return { ...desk, consoles: [...desk.consoles, added], tabs: [...desk.tabs, added.id], lastActiveId: added.id };
}

export function changeConsole(desk: Desk, id: string, change: Partial<Omit<DraftConsole, "id">>): Desk {
  return { ...desk, consoles: desk.consoles.map((each) => (each.id === id ? { ...each, ...change } : each)) };
}

/** Opens a console as a tab, where it is not one yet. @param at its place among the tabs; the end when left out */
export function openTab(desk: Desk, id: string, at = desk.tabs.length): Desk {
  if (findConsole(desk, id) === null || (desk.lastActiveId === id && desk.tabs.includes(id))) return desk;
  const tabs = desk.tabs.includes(id) ? desk.tabs : desk.tabs.toSpliced(at, 0, id);
  return { ...desk, tabs, lastActiveId: id };
}

/** Closes a tab; its console stays in the list. The tab at its place becomes the active one, else the one before it. */
export function closeTab(desk: Desk, id: string): Desk {
  const at = desk.tabs.indexOf(id);
  if (at < 0) return desk;
  const tabs = desk.tabs.toSpliced(at, 1);
  const lastActiveId = desk.lastActiveId === id ? (tabs[at] ?? tabs[at - 1] ?? null) : desk.lastActiveId;
  return { ...desk, tabs, lastActiveId };
}

/** Moves a tab to another place. @param to its place afterwards */
export function moveTab(desk: Desk, id: string, to: number): Desk {
  const at = desk.tabs.indexOf(id);
  if (at < 0) return desk;
  const place = Math.min(Math.max(0, to), desk.tabs.length - 1);
  return { ...desk, tabs: desk.tabs.toSpliced(at, 1).toSpliced(place, 0, id) };
}

/** Takes a console away for good, its tab too. */
export function removeConsole(desk: Desk, id: string): Desk {
  const closed = closeTab(desk, id);
  return { ...closed, consoles: closed.consoles.filter((each) => each.id !== id) };
}

/** Puts a removed console back where it was. @param tabAt its tab's place; negative when it had none */
export function restoreConsole(desk: Desk, console: DraftConsole, at: number, tabAt: number): Desk {
  const restored = { ...desk, consoles: desk.consoles.toSpliced(at, 0, console) };
  return tabAt < 0 ? restored : openTab(restored, console.id, tabAt);
}

export function completeStep(desk: Desk, step: Step): Desk {
  return desk.done.includes(step) ? desk : { ...desk, done: [...desk.done, step] };
}

/** A name that no console has yet: "untitled.sql", "untitled-2.sql". */
export function toFreeName(desk: Desk, stem = "untitled", ending = ".sql"): string {
  const taken = new Set(desk.consoles.map((each) => each.name.toLowerCase()));
  for (let n = 1; ; n++) {
    const name = `${stem}${n === 1 ? "" : `-${n}`}${ending}`;
    if (!taken.has(name)) return name;
  }
}

/** What a person typed as a name, made fit to be one. @returns null when nothing is left */
export function toConsoleName(typed: string): string | null {
  const name = typed
    .replace(/[\p{Cc}/\\]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, CONSOLE_NAME_MAX);
  return name === "" ? null : name;
}

/** Reads what was kept. @returns null for nothing, and for what does not fit */
export function parseDesk(text: string | null): Desk | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isDesk(value) ? tidy(value) : null;
  } catch {
    return null;
  }
}

function isDesk(value: unknown): value is Desk {
  if (typeof value !== "object" || value === null) return false;
  const desk = value as Partial<Record<keyof Desk, unknown>>;
  return (
    desk.version === 1 &&
    Array.isArray(desk.consoles) &&
    desk.consoles.every(isDraft) &&
    Array.isArray(desk.tabs) &&
    Array.isArray(desk.done)
  );
}

function isDraft(value: unknown): value is DraftConsole {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Partial<Record<keyof DraftConsole, unknown>>;
  return typeof draft.id === "string" && typeof draft.name === "string" && typeof draft.content === "string";
}

/** Tabs of consoles that are gone are dropped. */
function tidy(desk: Desk): Desk {
  const known = new Set(desk.consoles.map(({ id }) => id));
  const tabs = desk.tabs.filter((id) => known.has(id));
  const isKnown = desk.lastActiveId !== null && known.has(desk.lastActiveId);
  return { ...EMPTY_DESK, ...desk, tabs, lastActiveId: isKnown ? desk.lastActiveId : (tabs[0] ?? null) };
}
