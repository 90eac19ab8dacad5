import type { Chosen } from "../../choice";
import type { Linked, ValueHit } from "../../link";
import type { Schema } from "../../schema";
import type { Parser, Reading } from "../parsers";
import type { Question } from "../question";
import { conditionParsers } from "./conditions";
import { groupParsers } from "./groups";
import { itemParsers } from "./items";
import { modifierParsers } from "./modifiers";
import { nounPhraseParsers } from "./noun-phrases";
import { orderParsers } from "./orders";
import { questionParser } from "./questions";
import { rankingParsers } from "./rankings";
import { relatedRowParsers } from "./related-rows";
import { rowParsers } from "./rows";
import { tieParsers } from "./ties";
import { wordParsers } from "./words";

/** A longer question has more parts than the grammar knows. */
const TOKENS_MAX = 45;

/**
 * Reads a question by a small grammar that has to explain every word. Returns all complete readings; a word that no
 * rule explains leaves none.
 */
export function parseQuestion(
  linked: Linked,
  schema: Schema,
  hits: readonly ValueHit[],
  chosen: Chosen,
): Reading<Question>[] {
  const { tokens } = linked;
  if (tokens.length > TOKENS_MAX) return [];
  return grammar(linked, schema, hits, chosen)(0).filter(({ to }) => to === tokens.length);
}

/** Composes the rules, each of those before it. */
function grammar(linked: Linked, schema: Schema, hits: readonly ValueHit[], chosen: Chosen): Parser<Question> {
  const words = wordParsers(linked, schema, hits, chosen);
  const nouns = { ...words, ...nounPhraseParsers(words), ...tieParsers(words) };
  const asked = { ...nouns, ...conditionParsers(nouns), ...itemParsers(nouns), ...rowParsers(nouns) };
  const related = { ...asked, ...groupParsers(nouns), ...orderParsers(asked), ...relatedRowParsers(nouns) };
  const ranked = { ...related, ...rankingParsers(related) };
  return questionParser({ ...ranked, ...modifierParsers(ranked) });
}
