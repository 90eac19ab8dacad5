/**
 * A person's workbench in one workspace: which consoles are open as tabs, the texts of those that were never saved, and how
 * far the first steps are. It is kept in this browser and with the account. Pure changes; the store keeps and shows them.
 */

/**
 * A console as the editor needs it. `connectionId` null means the one that the workspace offers first; `changedAt` is
 * epoch milliseconds, left out where nobody compares it.
 */
export type DraftConsole = {
  id: string;
  name: string;
  content: string;
  connectionId: string | null;
  changedAt?: number;
  /** The chart over its result, as a Vega-Lite specification; absent before anybody chose one. */
  chart?: Record<string, unknown>;
};
/** What a tab shows of a saved console before the server has answered. */
export type Title = { name: string; language: "sql" | "mongodb" };
export const STEPS = ["workspace", "sample", "table", "own", "connect", "invite"] as const;
export type Step = (typeof STEPS)[number];
export type Workbench = {
  version: 1;
  /** Those that were never saved. */
  consoles: DraftConsole[];
  /** Console ids in the order of their tabs. */
  tabs: string[];
  lastActiveId: string | null;
  /** Of the saved consoles among the tabs. */
  titles: Record<string, Title>;
  /** Unsaved consoles that were saved or deleted, and when: another browser drops its copy of them. */
  gone: Record<string, number>;
  /** Folders that were opened (true) or closed (false) in the explorer. */
  toggled: Record<string, boolean>;
  /** The saved console that the first visit made of the sample; null when there is none. */
  sampleId: string | null;
  /** Epoch milliseconds of the last change; of two workbenchs the later one decides. */
  changedAt: number;
  done: Step[];
  isChecklistHidden: boolean;
  /** The line under the editor has said how to leave it by the keyboard. */
  isEditorHintSeen: boolean;
  /** The race strip has explained its two tones. */
  isStripExplained: boolean;
};

/** The sample's console while it cannot be saved, and its address from before consoles were saved. */
export const SAMPLE_CONSOLE_ID = "best-sellers";
export const CONSOLE_NAME_MAX = 120;

export const EMPTY_WORKBENCH: Workbench = {
  version: 1,
  consoles: [],
  tabs: [],
  lastActiveId: null,
  titles: {},
  gone: {},
  toggled: {},
  sampleId: null,
  changedAt: 0,
  done: ["workspace"],
  isChecklistHidden: false,
  isEditorHintSeen: false,
  isStripExplained: false,
};

/** Saved consoles have the server's ids; unsaved ones have others. */
export function isSavedId(id: string): boolean {
  return /^[0-9a-f]{24}$/.test(id);
}

/** The name that a tab shows; null for a console that is not known here. */
export function findTitle(workbench: Pick<Workbench, "consoles" | "titles">, id: string): string | null {
  return findConsole(workbench, id)?.name ?? workbench.titles[id]?.name ?? null;
}

export function findConsole(workbench: Pick<Workbench, "consoles">, id: string | null): DraftConsole | null {
  return workbench.consoles.find((each) => each.id === id) ?? null;
}

/** Adds a console and opens it as the last tab. */
export function addConsole(workbench: Workbench, added: DraftConsole): Workbench {
  return {
    ...workbench,
    consoles: [...workbench.consoles, added],
    tabs: [...workbench.tabs, added.id],
    lastActiveId: added.id,
  };
}

/** Changes an unsaved console. */
export function changeConsole(workbench: Workbench, id: string, change: Partial<Omit<DraftConsole, "id">>): Workbench {
  return { ...workbench, consoles: workbench.consoles.map((each) => (each.id === id ? { ...each, ...change } : each)) };
}

/** Opens a console as a tab, where it is not one yet. @param at its place among the tabs; the end when left out */
export function openTab(workbench: Workbench, id: string, at = workbench.tabs.length): Workbench {
  if (!isKnown(workbench, id) || (workbench.lastActiveId === id && workbench.tabs.includes(id))) return workbench;
  const tabs = workbench.tabs.includes(id) ? workbench.tabs : workbench.tabs.toSpliced(at, 0, id);
  return { ...workbench, tabs, lastActiveId: id };
}

/** Closes a tab; its console stays in the list. The tab at its place becomes the active one, else the one before it. */
export function closeTab(workbench: Workbench, id: string): Workbench {
  const at = workbench.tabs.indexOf(id);
  if (at < 0) return workbench;
  const tabs = workbench.tabs.toSpliced(at, 1);
  const lastActiveId = workbench.lastActiveId === id ? (tabs[at] ?? tabs[at - 1] ?? null) : workbench.lastActiveId;
  return { ...workbench, tabs, lastActiveId };
}

/** Moves a tab to another place. @param to its place afterwards */
export function moveTab(workbench: Workbench, id: string, to: number): Workbench {
  const at = workbench.tabs.indexOf(id);
  if (at < 0) return workbench;
  const place = Math.min(Math.max(0, to), workbench.tabs.length - 1);
  return { ...workbench, tabs: workbench.tabs.toSpliced(at, 1).toSpliced(place, 0, id) };
}

/** Takes an unsaved console away for good, its tab too. @param now epoch milliseconds */
export function removeConsole(workbench: Workbench, id: string, now = 0): Workbench {
  const closed = closeTab(workbench, id);
  const consoles = closed.consoles.filter((each) => each.id !== id);
  return { ...closed, consoles, gone: now === 0 ? closed.gone : withGone(closed.gone, id, now) };
}

/** Remembers what a saved console is called; the workbench itself when that is known. */
export function setTitle(workbench: Workbench, id: string, { name, language }: Title): Workbench {
  const known = workbench.titles[id];
  if (known?.name === name && known.language === language) return workbench;
  return { ...workbench, titles: { ...workbench.titles, [id]: { name, language } } };
}

/** An unsaved console was saved: its tab is the saved one's from now on. @param now epoch milliseconds */
export function adoptSaved(workbench: Workbench, oldId: string, saved: { id: string } & Title, now: number): Workbench {
  return {
    ...setTitle(workbench, saved.id, saved),
    consoles: workbench.consoles.filter((each) => each.id !== oldId),
    tabs: workbench.tabs.map((id) => (id === oldId ? saved.id : id)),
    lastActiveId: workbench.lastActiveId === oldId ? saved.id : workbench.lastActiveId,
    sampleId: oldId === SAMPLE_CONSOLE_ID ? saved.id : workbench.sampleId,
    gone: withGone(workbench.gone, oldId, now),
  };
}

/**
 * The workbench of two browsers: tabs are the later one's, and no unsaved text of either is lost unless it was saved or
 * deleted after it was last changed.
 */
export function mergeWorkbenchs(mine: Workbench, theirs: Workbench): Workbench {
  const [late, early] = theirs.changedAt > mine.changedAt ? [theirs, mine] : [mine, theirs];
  const gone = { ...early.gone, ...late.gone };
  const isGone = ({ id, changedAt = 0 }: DraftConsole) => (gone[id] ?? -1) >= changedAt;
  const byId = new Map(late.consoles.map((each) => [each.id, each]));
  for (const each of early.consoles) {
    if ((byId.get(each.id)?.changedAt ?? -1) < (each.changedAt ?? 0)) byId.set(each.id, each);
  }
  const consoles = [...byId.values()].filter((each) => !isGone(each));
  const kept = early.tabs.filter((id) => !late.tabs.includes(id) && consoles.some((each) => each.id === id));
  return tidy({
    ...late,
    consoles,
    tabs: [...late.tabs, ...kept],
    titles: { ...early.titles, ...late.titles },
    gone,
    sampleId: late.sampleId ?? early.sampleId,
    done: [...new Set([...early.done, ...late.done])],
    isChecklistHidden: late.isChecklistHidden || early.isChecklistHidden,
    isEditorHintSeen: late.isEditorHintSeen || early.isEditorHintSeen,
    isStripExplained: late.isStripExplained || early.isStripExplained,
  });
}

/** The workbench without the longest unsaved texts, so that it takes at most `charsMax` characters as JSON. */
export function fitWorkbench(workbench: Workbench, charsMax: number): Workbench {
  const sizes = workbench.consoles
    .map((each) => ({ each, size: JSON.stringify(each).length }))
    .sort((a, b) => a.size - b.size);
  let left = charsMax - JSON.stringify({ ...workbench, consoles: [] }).length;
  const kept = new Set<DraftConsole>();
  for (const { each, size } of sizes) {
    left -= size + 1;
    if (left >= 0) kept.add(each);
  }
  return kept.size === workbench.consoles.length
    ? workbench
    : { ...workbench, consoles: workbench.consoles.filter((each) => kept.has(each)) };
}

/** Puts a removed console back where it was. @param tabAt its tab's place; negative when it had none */
export function restoreConsole(workbench: Workbench, console: DraftConsole, at: number, tabAt: number): Workbench {
  const restored = { ...workbench, consoles: workbench.consoles.toSpliced(at, 0, console) };
  return tabAt < 0 ? restored : openTab(restored, console.id, tabAt);
}

export function completeStep(workbench: Workbench, step: Step): Workbench {
  return workbench.done.includes(step) ? workbench : { ...workbench, done: [...workbench.done, step] };
}

/**
 * A name that no console has yet: "untitled.sql", "untitled-2.sql".
 * @param others names of saved consoles that it would stand beside
 */
export function toFreeName(
  workbench: Pick<Workbench, "consoles">,
  stem = "untitled",
  ending = ".sql",
  others: string[] = [],
): string {
  const taken = new Set([...workbench.consoles.map((each) => each.name), ...others].map((name) => name.toLowerCase()));
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
export function parseWorkbench(text: string | null): Workbench | null {
  try {
    return readWorkbench(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
}

/** The same for what came as JSON already. */
export function readWorkbench(value: unknown): Workbench | null {
  return isWorkbench(value) ? tidy(value) : null;
}

/** Ids of consoles that ended are remembered for the browsers of one person; more than these are forgotten. */
const GONE_MAX = 50;

function withGone(gone: Record<string, number>, id: string, now: number): Record<string, number> {
  const newest = Object.entries(gone)
    .sort(([, a], [, b]) => b - a)
    .slice(0, GONE_MAX - 1);
  return Object.fromEntries([...newest, [id, now]]);
}

function isKnown(workbench: Pick<Workbench, "consoles">, id: string): boolean {
  return isSavedId(id) || findConsole(workbench, id) !== null;
}

function isWorkbench(value: unknown): value is Workbench {
  if (typeof value !== "object" || value === null) return false;
  const workbench = value as Partial<Record<keyof Workbench, unknown>>;
  return (
    workbench.version === 1 &&
    Array.isArray(workbench.consoles) &&
    workbench.consoles.every(isDraft) &&
    Array.isArray(workbench.tabs) &&
    Array.isArray(workbench.done)
  );
}

function isDraft(value: unknown): value is DraftConsole {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Partial<Record<keyof DraftConsole, unknown>>;
  return typeof draft.id === "string" && typeof draft.name === "string" && typeof draft.content === "string";
}

/** Tabs of unsaved consoles that are gone are dropped, and names of consoles without a tab. */
function tidy(workbench: Workbench): Workbench {
  const tabs = workbench.tabs.filter((id) => isKnown(workbench, id));
  const isActiveKnown = workbench.lastActiveId !== null && isKnown(workbench, workbench.lastActiveId);
  const titles = Object.fromEntries(Object.entries(workbench.titles ?? {}).filter(([id]) => tabs.includes(id)));
  return {
    ...EMPTY_WORKBENCH,
    ...workbench,
    tabs,
    titles,
    lastActiveId: isActiveKnown ? workbench.lastActiveId : (tabs[0] ?? null),
  };
}
