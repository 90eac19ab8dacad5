/**
 * A user's workbench in one workspace: the open console tabs, the text of unsaved consoles, and the onboarding
 * progress. It is stored in this browser and with the account. All changes are pure; the store keeps and shows them.
 */

/**
 * A console as the editor needs it. `connectionId` null means the workspace's first connection. `changedAt` is in epoch
 * milliseconds, omitted where nothing compares it.
 */
export type DraftConsole = {
  id: string;
  name: string;
  content: string;
  connectionId: string | null;
  changedAt?: number;
  /** Chart of the result, as a Vega-Lite specification; absent until one is chosen. */
  chart?: Record<string, unknown>;
};
/** Tab title of a saved console until the server has responded. */
export type Title = { name: string; language: "sql" | "mongodb" };
export const STEPS = ["workspace", "sample", "table", "own", "connect", "invite"] as const;
export type Step = (typeof STEPS)[number];
export type Workbench = {
  version: 1;
  /** Consoles that were never saved. */
  consoles: DraftConsole[];
  /** Console ids in the order of their tabs. */
  tabs: string[];
  lastActiveId: string | null;
  /** Titles of the saved consoles among the tabs. */
  titles: Record<string, Title>;
  /** Time at which unsaved consoles were saved or deleted, by id: other browsers drop their copies. */
  gone: Record<string, number>;
  /** Folders expanded (true) or collapsed (false) in the explorer. */
  toggled: Record<string, boolean>;
  /** Ids of dashboards that the user has marked, the last one first. */
  favouriteDashboards: string[];
  /** The saved console that the first visit created from the sample; null without one. */
  sampleId: string | null;
  /** Time of the last change, in epoch milliseconds; of two workbenches the later one wins. */
  changedAt: number;
  done: Step[];
  isChecklistHidden: boolean;
  /** True once the hint below the editor has explained how to leave it by keyboard. */
  isEditorHintSeen: boolean;
  /** True once the race strip has explained its two tones. */
  isStripExplained: boolean;
};

/** Id of the sample's console while it cannot be saved, and its address from before consoles were saved. */
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
  favouriteDashboards: [],
  sampleId: null,
  changedAt: 0,
  done: ["workspace"],
  isChecklistHidden: false,
  isEditorHintSeen: false,
  isStripExplained: false,
};

/** Returns whether an id is a saved console's: those come from the server, others do not. */
export function isSavedId(id: string): boolean {
  return /^[0-9a-f]{24}$/.test(id);
}

/** Returns the title of a tab; null for an unknown console. */
export function findTitle(workbench: Pick<Workbench, "consoles" | "titles">, id: string): string | null {
  return findConsole(workbench, id)?.name ?? workbench.titles[id]?.name ?? null;
}

export function findConsole(workbench: Pick<Workbench, "consoles">, id: string | null): DraftConsole | null {
  return workbench.consoles.find((each) => each.id === id) ?? null;
}

/** More would not fit the list that they are at the top of. */
const FAVOURITES_MAX = 50;

/** Marks or unmarks a dashboard. */
export function toggleFavouriteDashboard(workbench: Workbench, id: string): Workbench {
  const others = workbench.favouriteDashboards.filter((each) => each !== id);
  const favouriteDashboards =
    others.length < workbench.favouriteDashboards.length ? others : [id, ...others].slice(0, FAVOURITES_MAX);
  return { ...workbench, favouriteDashboards };
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

/** Opens a console as a tab unless it is open. @param at index among the tabs; default: the end */
export function openTab(workbench: Workbench, id: string, at = workbench.tabs.length): Workbench {
  if (!isKnown(workbench, id) || (workbench.lastActiveId === id && workbench.tabs.includes(id))) return workbench;
  const tabs = workbench.tabs.includes(id) ? workbench.tabs : workbench.tabs.toSpliced(at, 0, id);
  return { ...workbench, tabs, lastActiveId: id };
}

/** Closes a tab; its console stays in the list. An active tab hands over to the next one, else to the previous one. */
export function closeTab(workbench: Workbench, id: string): Workbench {
  const at = workbench.tabs.indexOf(id);
  if (at < 0) return workbench;
  const tabs = workbench.tabs.toSpliced(at, 1);
  const lastActiveId = workbench.lastActiveId === id ? (tabs[at] ?? tabs[at - 1] ?? null) : workbench.lastActiveId;
  return { ...workbench, tabs, lastActiveId };
}

/** Moves a tab. @param to its new index */
export function moveTab(workbench: Workbench, id: string, to: number): Workbench {
  const at = workbench.tabs.indexOf(id);
  if (at < 0) return workbench;
  const place = Math.min(Math.max(0, to), workbench.tabs.length - 1);
  return { ...workbench, tabs: workbench.tabs.toSpliced(at, 1).toSpliced(place, 0, id) };
}

/** Returns all other tabs, or only those to the right; none if the console has no tab. */
export function listOtherTabs({ tabs }: Workbench, id: string, from: "all" | "right"): string[] {
  const at = tabs.indexOf(id);
  if (at < 0) return [];
  return tabs.filter((each, place) => each !== id && (from === "all" || place > at));
}

/** Opens closed tabs again at their places. Tabs opened since then stay. @param tabs the tabs before they were closed */
export function restoreTabs(workbench: Workbench, tabs: readonly string[]): Workbench {
  return tabs.reduce((at, id, place) => (at.tabs.includes(id) ? at : openTab(at, id, place)), workbench);
}

/** Removes an unsaved console permanently, with its tab. @param now epoch milliseconds */
export function removeConsole(workbench: Workbench, id: string, now = 0): Workbench {
  const closed = closeTab(workbench, id);
  const consoles = closed.consoles.filter((each) => each.id !== id);
  return { ...closed, consoles, gone: now === 0 ? closed.gone : withGone(closed.gone, id, now) };
}

/** Stores the title of a saved console; returns the same workbench when it is unchanged. */
export function setTitle(workbench: Workbench, id: string, { name, language }: Title): Workbench {
  const known = workbench.titles[id];
  if (known?.name === name && known.language === language) return workbench;
  return { ...workbench, titles: { ...workbench.titles, [id]: { name, language } } };
}

/** Replaces an unsaved console by its saved one, in the same tab. @param now epoch milliseconds */
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
 * Merges the workbenches of two browsers. The tabs of the later one win. No unsaved text is lost, unless it was saved
 * or deleted after its last change.
 */
export function mergeWorkbenches(mine: Workbench, theirs: Workbench): Workbench {
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

/** Returns the workbench without its longest unsaved texts, so that it takes at most `charsMax` characters as JSON. */
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

/** Restores a removed console to its old place. @param tabAt index of its tab; negative when it had none */
export function restoreConsole(workbench: Workbench, console: DraftConsole, at: number, tabAt: number): Workbench {
  const restored = { ...workbench, consoles: workbench.consoles.toSpliced(at, 0, console) };
  return tabAt < 0 ? restored : openTab(restored, console.id, tabAt);
}

export function completeStep(workbench: Workbench, step: Step): Workbench {
  return workbench.done.includes(step) ? workbench : { ...workbench, done: [...workbench.done, step] };
}

/**
 * Returns an unused console name: "untitled.sql", "untitled-2.sql".
 * @param others names of saved consoles in the same place
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

/** Converts typed text to a valid console name. @returns null when nothing is left */
export function toConsoleName(typed: string): string | null {
  const name = typed
    .replace(/[\p{Cc}/\\]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, CONSOLE_NAME_MAX);
  return name === "" ? null : name;
}

/** Parses a stored workbench. @returns null for nothing, and for an invalid one */
export function parseWorkbench(text: string | null): Workbench | null {
  try {
    return readWorkbench(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
}

/** Reads a stored workbench from parsed JSON. */
export function readWorkbench(value: unknown): Workbench | null {
  return isWorkbench(value) ? tidy(value) : null;
}

/** Maximum number of removed console ids remembered for the user's other browsers. */
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

/** Drops tabs of removed unsaved consoles, and titles of consoles without a tab. */
function tidy(workbench: Workbench): Workbench {
  const tabs = workbench.tabs.filter((id) => isKnown(workbench, id));
  const isActiveKnown = workbench.lastActiveId !== null && isKnown(workbench, workbench.lastActiveId);
  const titles = Object.fromEntries(Object.entries(workbench.titles ?? {}).filter(([id]) => tabs.includes(id)));
  return {
    ...EMPTY_WORKBENCH,
    ...workbench,
    tabs,
    titles,
    favouriteDashboards: (workbench.favouriteDashboards ?? []).filter((id) => isSavedId(id)),
    lastActiveId: isActiveKnown ? workbench.lastActiveId : (tabs[0] ?? null),
  };
}
