/*
 * Finds the BSON values that a page shows as a text, in MongoDB's Extended JSON. A page shows several types alike: a
 * text, an object id and a date are all texts within a list.
 */

/** Subtypes of bytes that MongoDB defines, without UUID, and the first user-defined one. A page does not show them. */
const SUBTYPES = ["00", "01", "02", "03", "05", "06", "07", "08", "09", "80"];
/**
 * Maximum length of a list or object whose bytes are searched with every subtype. In longer ones only the general
 * subtype is used: the operation would be too large.
 */
const SHORT_CHARS = 4000;

/** Returns an exact number, since a float could be rounded; numbers of all types compare with each other. */
export function toNumber(text: string, type: string): unknown {
  const number = Number(text);
  if (text.trim() === "" || (Number.isNaN(number) && text !== "NaN")) return undefined;
  if (!Number.isFinite(number) || type === "double") return Number.isFinite(number) ? number : { $numberDouble: text };
  if (Number.isSafeInteger(number)) return number;
  // A decimal compares with a long digit by digit; a long would be read as a float.
  return { $numberDecimal: text };
}

/** Parses a day, or a time with or without its zone. Without a zone it is UTC, as displayed. */
export function toDate(text: string): unknown {
  if (!/^[+-]?\d{4,6}-\d\d-\d\d/.test(text)) return undefined;
  const written = text.replace(" ", "T");
  const hasZone = !written.includes("T") || /(?:Z|[+-]\d\d:?\d\d)$/.test(written);
  const date = new Date(hasZone ? written : `${written}Z`);
  return Number.isNaN(date.getTime()) ? undefined : { $date: date.toISOString() };
}

export function toObjectId(text: string): unknown {
  return /^[\da-f]{24}$/i.test(text) ? { $oid: text.toLowerCase() } : undefined;
}

export function toUuid(text: string): unknown {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? { $uuid: text.toLowerCase() } : undefined;
}

/** @returns undefined for a text that is not base64 */
export function toBinaries(text: string, subtypes: readonly string[] = SUBTYPES): unknown[] | undefined {
  if (Buffer.from(text, "base64").toString("base64") !== text) return undefined;
  return subtypes.map((subType) => ({ $binary: { base64: text, subType } }));
}

export function toTimestamp(text: string): unknown {
  const [, t, i] = /^Timestamp\((\d{1,10}), (\d{1,10})\)$/.exec(text) ?? [];
  return t === undefined ? undefined : { $timestamp: { t: Number(t), i: Number(i) } };
}

export function toRegex(text: string): unknown {
  const [, pattern, options] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  return pattern === undefined ? undefined : { $regularExpression: { pattern, options } };
}

export function toKey(text: string): unknown {
  if (text === "MinKey") return { $minKey: 1 };
  return text === "MaxKey" ? { $maxKey: 1 } : undefined;
}

/**
 * Returns an expression that is true if a field is the list or object that a page shows as this JSON.
 * @param field field as an expression
 * @returns null for a text that is neither
 */
export function shownListOrObject(text: string, field: string): unknown {
  let shown: unknown;
  try {
    shown = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof shown !== "object" || shown === null) return null;
  return { $and: toMatches(field, shown, { depth: 1, subtypes: text.length > SHORT_CHARS ? ["00"] : SUBTYPES }) };
}

type Context = { depth: number; subtypes: readonly string[] };

/**
 * Returns conditions that must all be true. They are side by side, since an operation has at most 32 levels. So none
 * relies on another: each accepts a value of any type.
 * @param value a path or variable
 */
function toMatches(value: string, shown: unknown, context: Context): unknown[] {
  if (Array.isArray(shown)) {
    const isList = { $isArray: [value] };
    const list = { $cond: [isList, value, []] };
    const items = shown.map((item, index) => toInner({ $arrayElemAt: [list, index] }, "", item, context));
    return [isList, { $eq: [{ $size: list }, shown.length] }, ...items];
  }
  if (typeof shown !== "object" || shown === null) return [toLeafMatch(value, shown, context)];
  const isObject = { $eq: [{ $type: value }, "object"] };
  const pairs = { $objectToArray: { $cond: [isObject, value, { $literal: {} }] } };
  const entries = Object.entries(shown);
  const names = { $map: { input: pairs, as: "entry", in: "$$entry.k" } };
  const keys = { $literal: entries.map(([key]) => key) };
  // JSON lists integer keys first, regardless of their position in the document.
  const isMoved = entries.some(([key]) => /^\d+$/.test(key));
  const haveKeys = isMoved
    ? [{ $eq: [{ $size: names }, entries.length] }, { $setEquals: [names, keys] }]
    : [{ $eq: [names, keys] }];
  const fields = entries.flatMap(([key, item], index) => {
    if (/^[A-Za-z_][A-Za-z0-9_ -]*$/.test(key)) return toMatches(`${value}.${key}`, item, context);
    const at = isMoved ? { $indexOfArray: [names, { $literal: key }] } : index;
    return [toInner({ $arrayElemAt: [pairs, at] }, ".v", item, context)];
  });
  return [isObject, ...haveKeys, ...fields];
}

/** Matches a part of a list or object under a variable, so that it is written only once. */
function toInner(part: unknown, path: string, shown: unknown, context: Context): unknown {
  const name = `part${context.depth}`;
  const matches = toMatches(`$$${name}${path}`, shown, { ...context, depth: context.depth + 1 });
  return { $let: { vars: { [name]: part }, in: matches.length === 1 ? matches[0] : { $and: matches } } };
}

function toLeafMatch(value: string, shown: unknown, { subtypes }: Context): unknown {
  if (shown === null) return { $eq: [{ $ifNull: [value, null] }, null] };
  if (typeof shown !== "string") return { $eq: [value, { $literal: shown }] };
  const date = toDate(shown);
  const others = [
    toObjectId(shown),
    toUuid(shown),
    // A page shows milliseconds and Z.
    typeof date === "object" && (date as { $date: string }).$date === shown ? date : undefined,
    toTimestamp(shown),
    toRegex(shown),
    toKey(shown),
    ...(toBinaries(shown, subtypes) ?? []),
  ].filter((each) => each !== undefined);
  const isEqual = { $in: [value, { $literal: [shown, ...others] }] };
  const numbers = toTextNumbers(shown);
  if (numbers === null) return isEqual;
  const isNumber = {
    $and: [{ $in: [{ $type: value }, numbers.types] }, { $in: [value, { $literal: numbers.values }] }],
  };
  return { $or: [isEqual, isNumber] };
}

/** Returns the numbers that a page shows as text: decimals, integers beyond a double, infinity and NaN. */
function toTextNumbers(text: string): { types: string[]; values: unknown[] } | null {
  if (/^(?:NaN|-?Infinity)$/.test(text)) {
    return { types: ["decimal", "double"], values: [{ $numberDouble: text }, { $numberDecimal: text }] };
  }
  if (!/^-?\d{1,40}(?:\.\d{1,40})?(?:E[+-]?\d{1,4})?$/.test(text)) return null;
  const isLong = /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
  return { types: isLong ? ["decimal", "long"] : ["decimal"], values: [{ $numberDecimal: text }] };
}
