import "server-only";
import type { PostgresSession } from "./session";
import { BUILT_IN_TYPES, type KnownType } from "./types";

const LOOK_UP = `
  select t.oid, format_type(t.oid, null), t.typtype, t.typcategory, t.typelem, t.typbasetype
  from pg_catalog.pg_type t where t.oid = any($1::oid[])`;

/** The types of one database: the built-in ones, and those of its users and extensions. */
export class TypeNames {
  readonly #own = new Map<number, KnownType>();
  readonly #open: (signal: AbortSignal) => Promise<PostgresSession>;

  /** @param open opens a session for the look-up only, which ends after it */
  constructor(open: (signal: AbortSignal) => Promise<PostgresSession>) {
    this.#open = open;
  }

  get(oid: number): KnownType | undefined {
    return BUILT_IN_TYPES.get(oid) ?? this.#own.get(oid);
  }

  /**
   * Looks up unknown types, once. Types that are not found stay unknown: their values are text.
   * @param signal ends the look-up's session, so that a silent server blocks no one
   */
  async learn(oids: readonly number[], signal: AbortSignal): Promise<void> {
    let unknown = oids.filter((oid) => !this.get(oid));
    if (unknown.length === 0) return;
    const session = await this.#open(signal);
    const onAbort = () => session.destroy();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      signal.throwIfAborted();
      while (unknown.length > 0) {
        const rows = await session.read(LOOK_UP, [unknown]);
        for (const oid of unknown) this.#own.set(oid, { name: String(oid), type: "other" });
        for (const row of rows) this.#add(row);
        const inner = rows.flatMap((row) => [Number(row[4]), Number(row[5])]);
        unknown = [...new Set(inner)].filter((oid) => oid !== 0 && !this.get(oid));
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      session.destroy();
    }
  }

  #add([oid, name, kind, category, element, base]: unknown[]): void {
    const known: KnownType = { name: String(name), type: "other" };
    if (category === "A" && Number(element) !== 0) Object.assign(known, { type: "array", element: Number(element) });
    else if (kind === "d") Object.assign(known, { base: Number(base), type: this.get(Number(base))?.type ?? "other" });
    else if (kind === "e" || category === "S") known.type = "string";
    this.#own.set(Number(oid), known);
  }
}
