import type { Ref } from "../../plan";
import { isLateDate, type Table } from "../../schema";
import { nameWords, stemOf } from "../../words";
import { isRank, nameOf } from "../column-facts";
import type { Adjective, ModifierOf } from "../question";
import { isKeySaid } from "./columns";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/* Finds columns that no word names: those of adjectives and of times. */

/** Returns the column that an adjective such as "oldest" compares. */
export function adjectiveColumn(resolution: Resolution, { columns }: Adjective): Ref {
  const table = resolution.from ?? resolution.target;
  const found = (table?.columns ?? []).filter(
    ({ name, kind }) =>
      nameWords(name).some((word) => columns.map(stemOf).includes(word)) ||
      (kind === "date" && columns.includes("date")),
  );
  // What a thing costs its seller is not what makes it expensive.
  const prices = columns.includes("price") ? found.filter(({ words }) => words.includes("price")) : [];
  const [only, ...others] = prices.length > 0 ? prices : found;
  if (table && found.length === 0) return adjectiveAbove(resolution, table, columns);
  if (!table || !only || others.length > 0 || only.kind === "text") throw new Unresolved();
  if (found.length > 1) resolution.assume(`I assumed that ${nameOf({ table, column: only })} is meant.`);
  return { table, column: only };
}

/** Returns the column of a row above, such as a player's person. */
function adjectiveAbove(resolution: Resolution, from: Table, names: readonly string[]): Ref {
  const found = resolution.schema.edges
    .filter((edge) => edge.from === from)
    .flatMap(({ to }) => to.columns.map((column) => ({ table: to, column })))
    .filter(({ column }) => column.kind === "number" && names.includes(column.name.toLowerCase()));
  const [only] = found;
  if (!only || found.length > 1) throw new Unresolved();
  return only;
}

/** Returns the column whose highest or lowest value a question asks for. */
export function extremeOf(
  resolution: Resolution,
  { column, adjective, isDescending }: ModifierOf<"extreme">,
): { ref: Ref; isDescending: boolean } {
  if (column) {
    const ref = resolution.pick(column, (each) => each.column.kind === "number" || each.column.kind === "date");
    // "Most counties" is no highest key of a county.
    if (isRank(ref.column) || (resolution.isReference(ref) && !isKeySaid(column))) throw new Unresolved();
    return { ref, isDescending };
  }
  if (!adjective) throw new Unresolved();
  const table = resolution.from ?? resolution.target;
  const { opposite } = adjective;
  const births = opposite ? table?.columns.filter(({ words }) => words.some((word) => word.startsWith(opposite))) : [];
  const dates = births?.filter(({ kind, isYear }) => kind === "date" || isYear);
  if (table && dates?.length === 1 && dates[0] && !table.columns.some(({ words }) => words.includes("age"))) {
    return { ref: { table, column: dates[0] }, isDescending: !isDescending };
  }
  return { ref: adjectiveColumn(resolution, adjective), isDescending };
}

/** Returns the only column that holds a time, or the only one that holds years. */
export function timeColumn(resolution: Resolution, isYears = false): Ref {
  const from = resolution.from as Table;
  const timesOf = (table: Table) => {
    const found = table.columns.filter(
      ({ kind, isYear, words }) => kind === "date" || isYear || words.join() === "year",
    );
    const years = found.filter(({ kind }) => kind !== "date");
    return (isYears && years.length === 1 ? years : found).map((column) => ({ table, column }));
  };
  const own = timesOf(from);
  // "Authors who published papers in 2015".
  const found = own.length > 0 ? own : resolution.all("scope").flatMap(({ table }) => timesOf(table.table));
  const [only] = found;
  if (found.length > 1) {
    // Each row has the time at which it came to be; later events may never happen.
    const events = found.filter(({ column }) => !column.nullable && !isLateDate(column));
    // A document store says of no field that each row has it.
    const created = found.filter(({ column }) =>
      column.words.some((word) => /^(?:creat|plac|order|borrow|join|issu)/.test(word)),
    );
    const [event, ...others] = events.length > 0 ? events : created;
    if (!event || others.length > 0) return resolution.choose("the time", found, nameOf);
    resolution.assume(`I assumed the time of ${nameOf(event)}.`);
    return event;
  }
  if (!only) throw new Unresolved();
  return only;
}
