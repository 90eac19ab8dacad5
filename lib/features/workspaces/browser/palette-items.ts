/** What the palette's first letter asks for: everything, or one kind alone. */
export type PaletteMode = "all" | "places" | "actions" | "tables" | "people";
export type PaletteKind = "console" | "connection" | "flow" | "dashboard" | "table" | "person" | "action";

/** Something that can be chosen. `words` are searched besides the name. */
export type PaletteItem = {
  id: string;
  kind: PaletteKind;
  name: string;
  detail: string;
  words?: string;
  /** Found by the server, in the text: it stays whatever its name is. */
  isHit?: boolean;
  /** It fits every search, after all that was looked for. */
  isLast?: boolean;
};
export type PaletteGroup<T extends PaletteItem> = { kind: PaletteKind; label: string; items: T[] };

const LABELS: Record<PaletteKind, string> = {
  console: "Consoles",
  connection: "Connections",
  flow: "Flows",
  dashboard: "Dashboards",
  table: "Tables",
  person: "People",
  action: "Do",
};
/** What each mode searches. */
export const KINDS: Record<PaletteMode, PaletteKind[]> = {
  all: ["console", "dashboard", "table", "connection", "flow", "person", "action"],
  places: ["console", "dashboard", "table", "connection", "flow", "person"],
  actions: ["action"],
  tables: ["table"],
  people: ["person"],
};
const SIGNS: Record<string, PaletteMode> = { ">": "actions", "#": "tables", "@": "people" };
/** Of one kind, among others and alone. */
const SHARED_MAX = 6;
const ALONE_MAX = 50;

/** Takes the sign off the front. @param opened the mode that the palette was opened in */
export function readPaletteText(text: string, opened: PaletteMode): { mode: PaletteMode; search: string } {
  const mode = SIGNS[text.charAt(0)];
  return mode === undefined ? { mode: opened, search: text.trim() } : { mode, search: text.slice(1).trim() };
}

/**
 * What fits a search, best first, in groups; the group of the best one leads. Without a search the order of the items stays, which is the recent ones first.
 * People and tables wait for a search unless they are asked for alone.
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

/** Lower is better; null for what does not fit. */
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

/** The letters in their order with others between: "wkrev" for "weekly-revenue". Short searches would fit everything. */
function isLoose(name: string, wanted: string): boolean {
  if (wanted.length < 3) return false;
  let at = 0;
  for (const letter of name) if (letter === wanted[at]) at++;
  return at === wanted.length;
}
