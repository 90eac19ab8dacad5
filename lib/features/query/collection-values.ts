/*
 * The BSON values that a page shows as a text, in MongoDB's Extended JSON. A page shows several types alike: a text, an
 * object id and a date are texts within a list.
 */

/**
 * The subtypes of bytes that MongoDB defines, without that of a UUID, and the first of those that users define. A page does
 * not show them.
 */
const SUBTYPES = ["00", "01", "02", "03", "05", "06", "07", "08", "09", "80"];
/** In a longer list or object, bytes are of the general subtype alone: the operation would be too large. */
const SHORT_CHARS = 4000;

/** Exact, where a float would not be; numbers of all types are compared with each other. */
export function toNumber(text: string, type: string): unknown {
  const number = Number(text);
  if (text.trim() === "" || (Number.isNaN(number) && text !== "NaN")) return undefined;
  if (!Number.isFinite(number) || type === "double") return Number.isFinite(number) ? number : { $numberDouble: text };
  if (Number.isSafeInteger(number)) return number;
  // A decimal of any width is compared with a long digit by digit; the long itself would be read as a float.
  return { $numberDecimal: text };
}

/** A day, or a time of it with or without its zone: what has none is UTC, as it is shown. */
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

/** @returns undefined for a text that is no base64 */
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
 * Returns an expression that is true where a field is the list or object that a page shows as this JSON.
 * @param field as an expression
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
 * Conditions that hold together. They stand beside each other, since an operation has 32 levels at most, and so none
 * relies on another: each takes a value of any type.
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
  // JSON has names that are whole numbers first, wherever the document has them.
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

/** Matches a part of a list or object under a name, so that it is written once. */
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

/** Numbers that a page shows as text: decimals, integers beyond a double, infinity and NaN. */
function toTextNumbers(text: string): { types: string[]; values: unknown[] } | null {
  if (/^(?:NaN|-?Infinity)$/.test(text)) {
    return { types: ["decimal", "double"], values: [{ $numberDouble: text }, { $numberDecimal: text }] };
  }
  if (!/^-?\d{1,40}(?:\.\d{1,40})?(?:E[+-]?\d{1,4})?$/.test(text)) return null;
  const isLong = /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
  return { types: isLong ? ["decimal", "long"] : ["decimal"], values: [{ $numberDecimal: text }] };
}
