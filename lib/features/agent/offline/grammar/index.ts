import type { Linked, ValueHit } from "../link";
import type { Plan } from "../plan";
import { toSql } from "../render-sql";
import type { Schema } from "../schema";
import { parseQuestion } from "./parsing/parse";
import { type Resolved, resolveQuestion } from "./resolving/resolve";
import type { Choice } from "./resolving/unresolved";

/** Reads a question word by word: it returns a plan only if each word has a meaning and the meanings agree. */

export type { Choice };
export type Understood = Resolved | { choice: Choice | null };

/** Difference of weight within which two readings compete. */
const CLOSE = 0.5;

export function understandStrictly(linked: Linked, schema: Schema, hits: readonly ValueHit[]): Understood {
  const readings = parseQuestion(linked, schema, hits).sort((a, b) => b.weight - a.weight);
  const resolved: { weight: number; text: string; found: Resolved }[] = [];
  for (const { value, weight } of readings) {
    const [best] = resolved;
    if (best && weight < best.weight - CLOSE) break;
    const found = resolveQuestion(value, schema);
    if ("choice" in found) {
      // A likelier reading with several meanings is a question, and no less likely reading answers it.
      if (found.choice && resolved.length === 0) return found;
    } else resolved.push({ weight, text: sameText(found.plan), found });
  }
  const [best] = resolved;
  if (!best || resolved.some(({ text }) => text !== best.text)) return { choice: null };
  return best.found;
}

function sameText(plan: Plan): string {
  return toSql(plan, "standard");
}
