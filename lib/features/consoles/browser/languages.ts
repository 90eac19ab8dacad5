import type { Language } from "../schema";

/** File extensions by language. */
export const ENDINGS = { sql: ".sql", mongodb: ".mongodb" } as const satisfies Record<Language, string>;
