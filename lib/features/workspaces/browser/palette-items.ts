/** Search scope that the first character selects: everything, or one kind. */
export type PaletteMode = "all" | "places" | "actions" | "tables" | "people";
export type PaletteKind = "console" | "connection" | "flow" | "dashboard" | "table" | "person" | "action";

/** An item to choose. `words` are searched in addition to the name. */
export type PaletteItem = {
  id: string;
  kind: PaletteKind;
  name: string;
  detail: string;
  words?: string;
  /** Found by the server in the text: it is kept whether or not its name matches. */
  isHit?: boolean;
  /** Matches every search, after all results. */
  isLast?: boolean;
};
export type PaletteGroup<T extends PaletteItem> = { kind: PaletteKind; label: string; items: T[] };

const LABELS: Record<PaletteKind, string> = {
  console: "Consoles",
  connection: "Connections",
  flow: "Flows",
  dashboard: "Dashboards",
  table: "Tables",
  person: "Members",
  action: "Actions",
};
/** Kinds that each mode searches. */
export const KINDS: Record<PaletteMode, PaletteKind[]> = {
  all: ["console", "dashboard", "table", "connection", "flow", "person", "action"],
  places: ["console", "dashboard", "table", "connection", "flow", "person"],
  actions: ["action"],
  tables: ["table"],
  people: ["person"],
};
const SIGNS: Record<string, PaletteMode> = { ">": "actions", "#": "tables", "@": "people" };
/** Maximum number of items per kind, among others and alone. */
const SHARED_MAX = 6;
const ALONE_MAX = 50;

/** Splits the mode's prefix from the search text. @param opened the mode that the palette was opened in */
export function readPaletteText(text: string, opened: PaletteMode): { mode: PaletteMode; search: string } {
  const mode = SIGNS[text.charAt(0)];
  return mode === undefined ? { mode: opened, search: text.trim() } : { mode, search: text.slice(1).trim() };
}

/**
 * Returns the items that match a search, best first, in groups; the group of the best match leads. Without a search,
 * the items keep their order, which is the most recent first. People and tables appear only with a search, unless the
 * mode is limited to them.
 */
export function groupPalette<T extends PaletteItem>(items: T[], mode: PaletteMode, search: string): PaletteGroup<T>[] {
  const kinds = KINDS[mode];
  const most = kinds.length === 1 ? ALONE_MAX : SHARED_MAX;
  const groups = kinds.flatMap((kind) => {
    if (search === "" && kinds.length > 1 && (kind === "table" || kind === "person")) return [];
    const found = items
      .filter((item) => item.kind === kind)
      .flatMap((item, at) => {
        const rank = rankOf(item, search);
        return rank === null ? [] : [{ item, at, rank }];
      })
      .sort((a, b) => a.rank - b.rank || a.at - b.at)
      .slice(0, most);
    const best = found[0];
    return best
      ? [{ rank: best.rank, group: { kind, label: LABELS[kind], items: found.map(({ item }) => item) } }]
      : [];
  });
  return groups.toSorted((a, b) => a.rank - b.rank).map(({ group }) => group);
}

/** Returns the rank of an item, the best lowest; null if it does not match. */
function rankOf(
  { name, detail, words = "", isHit = false, isLast = false }: PaletteItem,
  search: string,
): number | null {
  if (isLast) return 9;
  if (search === "") return 0;
  const wanted = search.toLowerCase();
  const lower = name.toLowerCase();
  if (lower === wanted) return 0;
  if (lower.startsWith(wanted)) return 1;
  if (lower.split(/[\s_./-]+/).some((part) => part.startsWith(wanted))) return 2;
  if (lower.includes(wanted)) return 3;
  const all = `${lower} ${detail.toLowerCase()} ${words.toLowerCase()}`;
  if (wanted.split(/\s+/).every((word) => all.includes(word))) return 4;
  if (isLoose(lower, wanted)) return 5;
  return isHit ? 6 : null;
}

/**
 * Returns whether the letters occur in order with others between: "wkrev" for "weekly-revenue". Short searches would
 * match everything.
 */
function isLoose(name: string, wanted: string): boolean {
  if (wanted.length < 3) return false;
  let at = 0;
  for (const letter of name) if (letter === wanted[at]) at++;
  return at === wanted.length;
}
