import { type DatePreset, isDay, isPreset } from "@/lib/base/values/date-presets";
import { isRounded } from "@/lib/base/values/exact-json";

/** Types of a variable's value (docs/develop/api.md, Consoles). A date is ISO text. */
export const VARIABLE_KINDS = ["text", "number", "boolean", "date"] as const;
export type VariableKind = (typeof VARIABLE_KINDS)[number];
export type TypedValue =
  | { type: "text"; value: string }
  | { type: "number"; value: number | string }
  | { type: "boolean"; value: boolean }
  | { type: "date"; value: string }
  | { type: "date"; preset: DatePreset; edge?: "start" | "end" };
/** Input of a variable: text as it was typed. A date may be the name of a preset, with `/end` for its last day. */
export type VariableInput = { kind: VariableKind; text: string };

/** Guesses the type of a variable without a value from its name. */
export function guessKind(name: string): VariableKind {
  if (/(^|_)(date|day|since|until|from|to|after|before|start|end)(_|$)/i.test(name)) return "date";
  if (/^(is|has|with|only)_/i.test(name)) return "boolean";
  if (/(^|_)(id|limit|count|min|max|n|days|year|month|week|cents|amount|quantity)(_|$)/i.test(name)) return "number";
  return "text";
}

/** Returns the input that shows a value. */
export function toInput(value: string | number | boolean | TypedValue): VariableInput {
  if (typeof value === "string") return { kind: "text", text: value };
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) };
  if ("preset" in value) return { kind: "date", text: value.edge === "end" ? `${value.preset}/end` : value.preset };
  return { kind: value.type, text: String(value.value) };
}

/** Returns the parameter of an address that holds the value of a variable. */
export function toParam(name: string): string {
  return `var.${name}`;
}

export function isVariableParam(param: string): boolean {
  return param.startsWith(toParam(""));
}

/** Returns the input for a value in an address: of the expected kind if it fits, else text. */
export function fromAddress(text: string, kind: VariableKind): VariableInput {
  const isOfKind = kind === "boolean" ? text === "true" || text === "false" : toTypedValue({ kind, text }) !== null;
  return { kind: isOfKind || text === "" ? kind : "text", text };
}

/** Returns a value without its type where the type follows from the value. */
export function toShort(value: TypedValue): string | number | boolean | TypedValue {
  if ("preset" in value) return value;
  const isTyped = value.type === "date" || (value.type === "number" && typeof value.value === "string");
  return isTyped ? value : value.value;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** Returns the value to send, a number that JavaScript would round as text; null if the input does not fit its kind. */
export function toTypedValue({ kind, text }: VariableInput): TypedValue | null {
  if (kind === "text") return { type: "text", value: text };
  if (kind === "boolean") return { type: "boolean", value: text === "true" };
  const trimmed = text.trim();
  if (kind === "number") {
    const value = Number(trimmed);
    if (NUMBER.test(trimmed) && Number.isFinite(value) && isRounded(trimmed, value)) {
      return { type: "number", value: trimmed };
    }
    return trimmed !== "" && Number.isFinite(value) ? { type: "number", value } : null;
  }
  const [preset, edge] = trimmed.split("/");
  if (isPreset(preset)) return { type: "date", preset, ...(edge === "end" && { edge }) };
  return isDay(trimmed) ? { type: "date", value: trimmed } : null;
}

/** Parses the stored inputs; invalid ones are left out. */
export function parseInputs(text: string | null): Record<string, VariableInput> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, VariableInput] => isInput(entry[1])),
    );
  } catch {
    return {};
  }
}

function isInput(value: unknown): value is VariableInput {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("text" in value)) return false;
  return VARIABLE_KINDS.some((kind) => kind === value.kind) && typeof value.text === "string";
}
