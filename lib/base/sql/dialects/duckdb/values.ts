/* DuckDB's syntax of values that results show in another form. */

const DATE_UNITS: Readonly<Record<string, string>> = { Y: "years", M: "months", W: "weeks", D: "days" };
const TIME_UNITS: Readonly<Record<string, string>> = { H: "hours", M: "minutes", S: "seconds" };

/** Returns `P1Y2M3DT4H5M6.7S` in DuckDB's interval syntax; any other text is returned unchanged. */
export function toDuckDbInterval(text: string): string {
  const [, date, time = ""] = /^P((?:-?[\d.]+[YMWD])*)(?:T((?:-?[\d.]+[HMS])*))?$/.exec(text) ?? [];
  if (date === undefined) return text;
  const words = (part: string, units: Readonly<Record<string, string>>) =>
    [...part.matchAll(/(-?[\d.]+)([YMWDHS])/g)].map(([, amount, unit = ""]) => `${amount} ${units[unit]}`);
  const all = [...words(date, DATE_UNITS), ...words(time, TIME_UNITS)];
  return all.length === 0 ? "0 seconds" : all.join(" ");
}

/**
 * Returns an expression for a list, struct, map or union from its JSON.
 * @param json expression of the JSON text
 */
export function fromDuckDbJson(json: string, type: string): string {
  const [key, value] = mapTypesOf(type) ?? [];
  // Results show a map whose keys are no texts as a list of its entries.
  if (key === undefined || /^VARCHAR$/i.test(key)) return `cast(cast(${json} as json) as ${type})`;
  return `map_from_entries(cast(cast(${json} as json) as struct(key ${key}, value ${value})[]))`;
}

/** Returns the types of a map's keys and values; null for other types. */
function mapTypesOf(type: string): [key: string, value: string] | null {
  if (!/^MAP\(.+\)$/is.test(type)) return null;
  const inner = type.slice(type.indexOf("(") + 1, -1);
  let depth = 0;
  let isQuoted = false;
  for (const [index, letter] of [...inner].entries()) {
    if (letter === '"' || letter === "'") isQuoted = !isQuoted;
    else if (!isQuoted && (letter === "(" || letter === "[")) depth += 1;
    else if (!isQuoted && (letter === ")" || letter === "]")) depth -= 1;
    else if (!isQuoted && depth === 0 && letter === ",")
      return [inner.slice(0, index).trim(), inner.slice(index + 1).trim()];
  }
  return null;
}
