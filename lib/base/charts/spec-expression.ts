import { parseExpression } from "vega-expression";

/** Longer than any readable expression. */
const CHARS_MAX = 2_000;
/** Maximum number of values in a sequence, and of characters in a padded text. */
const VALUES_MAX = 1_000;
const PADDED_CHARS_MAX = 200;
const FORMAT_CHARS_MAX = 200;

const words = (text: string) => text.split(/\s+/);
/** Functions whose cost and result are proportional to their input. */
const PLAIN = new Set(
  words(`isNaN isFinite abs acos asin atan atan2 ceil cos exp floor hypot log max min pow random round sin sqrt tan clamp
    isArray isBoolean isDate isDefined isNumber isObject isString isValid toBoolean toDate toNumber toString if
    now datetime date day dayofyear year quarter month week hours minutes seconds milliseconds time timezoneoffset utc
    utcdate utcday utcdayofyear utcyear utcquarter utcmonth utcweek utchours utcminutes utcseconds utcmilliseconds
    isoweek utcisoweek timeOffset utcOffset monthFormat monthAbbrevFormat dayFormat dayAbbrevFormat timeUnitSpecifier
    length lower upper slice substring trim truncate indexof lastindexof join split parseFloat parseInt btoa atob
    extent clampRange inrange lerp peek pluck reverse sort span merge
    rgb hsl lab hcl luminance contrast encodeURIComponent
    scale invert bandwidth domain range
    quantileNormal quantileLogNormal quantileUniform cumulativeNormal cumulativeLogNormal cumulativeUniform
    densityNormal densityLogNormal densityUniform`),
);
/** Members that give access to code. */
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype", "toString", "valueOf", "toJSON"]);
const NODES = new Set(
  words(`Literal Identifier MemberExpression CallExpression ArrayExpression ObjectExpression Property UnaryExpression
    BinaryExpression LogicalExpression ConditionalExpression`),
);

type Node = { type: string; [key: string]: unknown };

/** `fields` and `names` list each reference to a field of `datum` and to a parameter, including repeats. */
export type ExpressionUse = { fields: string[]; names: string[] };
/** Placeholder in `fields` for a field that only the rows can name. */
export const ANY_FIELD = "*";

/**
 * Checks a Vega expression against the list of functions that a chart may call, and their bounds.
 * @returns the names that it refers to, or the reason to refuse it
 */
export function readExpression(text: string): ExpressionUse | string {
  if (text.length > CHARS_MAX)
    return `An expression can have at most ${CHARS_MAX} characters. Compute the value in the query.`;
  const use: ExpressionUse = { fields: [], names: [] };
  try {
    visit(parseExpression(text) as unknown as Node, use);
    return use;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    if (error instanceof RangeError) return "The expression is nested too deeply. Compute the value in the query.";
    return "Invalid expression. Check its spelling, brackets and quotes.";
  }
}

/** Returns the reason to reject a format of numbers or times; null for one that produces a short text. */
export function refuseFormat(format: string): string | null {
  if (format.length > FORMAT_CHARS_MAX) return `A format can have at most ${FORMAT_CHARS_MAX} characters.`;
  // A width in a number's format is filled with characters.
  return /\d{3}/.test(format) ? "A format has at most two digits in a row, so that no number is wider than 99." : null;
}

class Refused extends Error {}

function visit(node: Node, use: ExpressionUse): void {
  if (!NODES.has(node.type) || node.regex) {
    throw new Refused("Patterns are not supported in a chart. Match the text in the query.");
  }
  switch (node.type) {
    case "Identifier":
      refuseMember(node.name);
      if (node.name === "datum") use.fields.push(ANY_FIELD);
      else use.names.push(String(node.name));
      return;
    case "MemberExpression":
      visitMember(node, use);
      return;
    case "CallExpression":
      visitCall(node, use);
      return;
    case "Property": {
      const key = node.key as Node;
      refuseMember(key.name ?? key.value);
      visit(node.value as Node, use);
      return;
    }
  }
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) visit(each, use);
  }
}

function visitMember({ object, property, computed }: Node, use: ExpressionUse): void {
  const [of, by] = [object as Node, property as Node];
  const name = computed ? (by.type === "Literal" ? String(by.value) : null) : String(by.name);
  if (name !== null) refuseMember(name);
  if (of.type === "Identifier" && of.name === "datum") use.fields.push(name ?? ANY_FIELD);
  else visit(of, use);
  if (computed) visit(by, use);
}

function refuseMember(name: unknown): void {
  if (FORBIDDEN.has(String(name))) throw new Refused(`“${name}” is not supported in a chart's expression.`);
}

function visitCall({ callee, arguments: given }: Node, use: ExpressionUse): void {
  const name = String((callee as Node).name);
  const args = given as Node[];
  const refuse = (why: string) => {
    throw new Refused(why);
  };
  if (name === "sequence") {
    const numbers = args.map(toNumber);
    const [from = 0, to] = numbers.length === 1 ? [0, numbers[0]] : numbers;
    const step = numbers[2] ?? 1;
    const isShort =
      numbers.every((each) => each !== null) && Math.abs(((to ?? 0) - (from ?? 0)) / (step || 0)) <= VALUES_MAX;
    if (!isShort) refuse(`“sequence” accepts only numbers and produces at most ${VALUES_MAX} values.`);
  } else if (name === "pad") {
    const length = args[1] && toNumber(args[1]);
    const isShort = typeof length === "number" && length <= PADDED_CHARS_MAX;
    const fill = args[2]?.value ?? " ";
    if (!isShort || typeof fill !== "string" || fill.length > 1 || (args[2] && args[2].type !== "Literal")) {
      refuse(`“pad” requires a length of at most ${PADDED_CHARS_MAX} as a number, and one character.`);
    }
  } else if (name === "replace") {
    const isPlain = [args[1], args[2]].every((each) => typeof each?.value === "string" && !each.value.includes("$"));
    if (!isPlain) refuse("“replace” requires two quoted strings without a dollar sign. Replace the rest in the query.");
  } else if (/^(?:format|(?:time|utc)(?:Format|Parse))$/.test(name)) {
    const format = args[1] === undefined ? "" : args[1].value;
    if (typeof format !== "string") refuse(`“${name}” requires its format as a quoted string.`);
    const why = refuseFormat(String(format));
    if (why !== null) refuse(why);
  } else if (!PLAIN.has(name))
    refuse(`The function “${name}” is not supported in a chart. Compute the value in the query.`);
  for (const each of args) visit(each, use);
}

function toNumber(node: Node): number | null {
  if (node.type === "Literal") return typeof node.value === "number" ? node.value : null;
  if (node.type !== "UnaryExpression" || node.operator !== "-") return null;
  const value = toNumber(node.argument as Node);
  return value === null ? null : -value;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
