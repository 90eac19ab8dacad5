/** One `{{name}}` of a text; offsets in UTF-16 units, `end` exclusive. */
export type Mark = { name: string; start: number; end: number };
