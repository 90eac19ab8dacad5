import type { Choice, Chosen } from "../choice";
import type { Linked, ValueHit } from "../link";
import type { Schema } from "../schema";
import { parseQuestion } from "./parsing/parse";
import type { Question } from "./question";
import { type Resolved, resolveQuestion } from "./resolving/resolve";
import { planText } from "./same-plan";

/** Reads a question word by word: it returns a plan only if each word has a meaning and the meanings agree. */

export type { Resolved };
/** Rivals are readings of equal likelihood, which may give the same rows. */
export type Understood = Resolved | { choice: Choice | null; rivals?: Resolved[] };

/** Maximum number of meanings that are tried and offered. */
const OPTIONS_MAX = 8;
/** Maximum number of readings whose rows are compared. */
const RIVALS_MAX = 5;
/** Difference of weight within which two readings compete. */
const CLOSE = 0.5;

/** @param chosen the meanings that a person chose for names of the question */
export function understandStrictly(
  linked: Linked,
  schema: Schema,
  hits: readonly ValueHit[],
  chosen: Chosen = new Map(),
): Understood {
  const readings = parseQuestion(linked, schema, hits, chosen).sort((a, b) => b.weight - a.weight);
  const resolved: { weight: number; text: string; found: Resolved }[] = [];
  for (const { value, weight } of readings) {
    const [best] = resolved;
    if (best && weight < best.weight - CLOSE) break;
    const found = resolveQuestion(value, schema, chosen);
    if ("plan" in found) resolved.push({ weight, text: planText(found.plan), found });
    else if (found.choice && resolved.length === 0) {
      // A likelier reading with several meanings is a question, and no less likely reading answers it.
      const { said, isValue, isRepeat } = found.choice;
      if (isValue) return found;
      // No one is asked for a meaning that leaves no answer.
      const options = answerable(value, schema, chosen, found.choice);
      const [only, ...others] = options;
      if (!only) continue;
      // A time chooses a column, but not whose name a person means. What is sorted by related rows repeats.
      if (others.length > 0 || !(isTimed(value) || isRepeat))
        return { choice: { said, options: options.map(({ option }) => option), ...(isRepeat && { isRepeat }) } };
      if ("plan" in only.found) {
        const assumed = [...only.found.assumed, `I assumed that “${said}” means ${only.option}, which fits the rest.`];
        resolved.push({ weight, text: planText(only.found.plan), found: { ...only.found, assumed } });
      }
    }
  }
  const [best] = resolved;
  if (!best) return { choice: null };
  const rivals = [...new Map(resolved.toReversed().map(({ text, found }) => [text, found])).values()].reverse();
  if (rivals.length === 1) return best.found;
  return { choice: null, ...(rivals.length <= RIVALS_MAX && { rivals }) };
}

/** Whether a question has a time, which only some meanings of a name can have. */
function isTimed({ modifiers }: Question): boolean {
  return modifiers.some(
    (one) =>
      (one.kind === "groups" && one.entities.some((entity) => "grain" in entity)) ||
      (one.kind === "conditions" && one.conditions.some(({ kind }) => kind === "date" || kind === "years")),
  );
}

/** Returns the meanings of a name that have an answer, or another choice. */
function answerable(question: Question, schema: Schema, chosen: Chosen, { said, options }: Choice) {
  return options.slice(0, OPTIONS_MAX).flatMap((option) => {
    const found = resolveQuestion(question, schema, new Map([...chosen, [said.toLowerCase(), option]]));
    return "plan" in found || found.choice ? [{ option, found }] : [];
  });
}
