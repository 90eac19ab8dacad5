import { isLarge, slicesOf } from "./slices.ts";
import { keysOf } from "./wide-keys.ts";

/** Maximum number of parts and characters of a value that is written at once: a few milliseconds. */
const PARTS_MAX = 2000;
const CHARS_MAX = 128 * 1024;

type Budget = { parts: number; chars: number };

/** Returns whether `JSON.stringify` takes a few milliseconds at most. Reads no more than that much of the value. */
export function isSmallJson(value: unknown): boolean {
  return fits(value, { parts: PARTS_MAX, chars: CHARS_MAX });
}

function fits(value: unknown, budget: Budget): boolean {
  budget.parts -= 1;
  if (typeof value === "string") budget.chars -= value.length;
  if (budget.parts < 0 || budget.chars < 0) return false;
  if (!isContainer(value)) return true;
  if (Array.isArray(value)) return value.length <= budget.parts && value.every((each) => fits(each, budget));
  for (const key of keysOf(value)) {
    budget.chars -= key.length;
    if (!fits(value[key as keyof typeof value], budget)) return false;
  }
  return true;
}

/**
 * Yields the text of `JSON.stringify` in slices that take a few milliseconds each.
 * @param value no undefined and no function: those have no text
 */
export function* jsonSlices(value: unknown): Generator<string, void> {
  if (typeof value === "string" && isLarge(value)) {
    yield '"';
    for (const slice of slicesOf(value)) yield JSON.stringify(slice).slice(1, -1);
    yield '"';
  } else if (!isContainer(value) || isSmallJson(value)) {
    yield JSON.stringify(value) ?? "null";
  } else if (Array.isArray(value)) {
    yield* listSlices(value);
  } else {
    yield* objectSlices(value);
  }
}

function* listSlices(list: readonly unknown[]): Generator<string, void> {
  yield "[";
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0) yield ",";
    yield* jsonSlices(list[index]);
  }
  yield "]";
}

function* objectSlices(object: object): Generator<string, void> {
  let before = "{";
  for (const key of keysOf(object)) {
    const value: unknown = object[key as keyof typeof object];
    if (value === undefined || typeof value === "function" || typeof value === "symbol") continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* jsonSlices(value);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** Dates and similar objects serialise themselves. */
function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !("toJSON" in value && typeof value.toJSON === "function");
}

/** Returns the start of the text of `JSON.stringify`: the whole text if it is shorter, else more than `chars` of it. */
export function jsonStart(value: unknown, chars: number): string {
  let text = "";
  for (const slice of jsonSlices(value)) {
    text += slice;
    if (text.length > chars) break;
  }
  return text;
}
