import { deskTables } from "../questions/desk-data";
import { DESK_QUESTIONS } from "../questions/desk-questions";
import { libraryTables } from "../questions/library-data";
import { LIBRARY_QUESTIONS } from "../questions/library-questions";
import type { Question } from "../questions/question";
import { SHOP_QUESTIONS } from "../questions/shop-questions";
import { UNSEEN_DESK_QUESTIONS, UNSEEN_LIBRARY_QUESTIONS, UNSEEN_SHOP_QUESTIONS } from "../questions/unseen-questions";
import { postgresEngine, shopEngine, sqliteEngine, type TestEngine } from "./engines";

export type QuestionSet = {
  name: string;
  seen: readonly Question[];
  unseen: readonly Question[];
  /** Null where the database is not installed. */
  open(): Promise<TestEngine | null>;
};

/** The three sets of data with their questions. @param shopFile where the sample shop is, or is built */
export function questionSets(shopFile: string): QuestionSet[] {
  return [
    { name: "Sample shop", seen: SHOP_QUESTIONS, unseen: UNSEEN_SHOP_QUESTIONS, open: () => shopEngine(shopFile) },
    {
      name: "Support desk",
      seen: DESK_QUESTIONS,
      unseen: UNSEEN_DESK_QUESTIONS,
      open: () => sqliteEngine(deskTables()),
    },
    {
      name: "Library",
      seen: LIBRARY_QUESTIONS,
      unseen: UNSEEN_LIBRARY_QUESTIONS,
      open: () => postgresEngine(libraryTables()),
    },
  ];
}
