import type { ObjectId } from "mongodb";
import type { DraftDoc } from "@/lib/features/folders/drafts";
import { accessOf, type ItemDoc } from "@/lib/features/folders/model";
import { readQuestion } from "./question";
import type { Console, ConsoleDraft, ConsoleSummary, Language } from "./schema";
import type { Expectation, VariableChoices, VariableDefaults } from "./settings-schema";

export type ConsoleDoc = ItemDoc & {
  connectionId: ObjectId | null;
  language: Language;
  /**
   * JSON, since property names of a specification ("$schema", "a.b") have a meaning to a document store; null for none.
   */
  chart: string | null;
  /** Absent in consoles of earlier versions, like `variables` and `expect`. */
  description?: string;
  variables?: VariableDefaults;
  choices?: VariableChoices;
  expect?: Expectation | null;
  /** JSON of the question that the text was rendered from, with the digest of both (`toStoredQuestion`). */
  question?: string | null;
};

export type ConsoleDraftDoc = DraftDoc & { consoleId: ObjectId };

export function toConsole(doc: ConsoleDoc): Console {
  const { content, chart, variables = {}, choices = {}, expect = null } = doc;
  const question = readQuestion(doc.question, content);
  return {
    ...toConsoleSummary(doc),
    content,
    chart: chart ? JSON.parse(chart) : null,
    variables,
    choices,
    expect,
    question,
  };
}

export function toConsoleSummary(
  doc: Omit<ConsoleDoc, "content" | "chart" | "variables" | "choices" | "expect" | "question">,
): ConsoleSummary {
  return {
    id: doc._id.toHexString(),
    path: doc.path,
    name: doc.name,
    folderId: doc.folderId?.toHexString() ?? null,
    connectionId: doc.connectionId?.toHexString() ?? null,
    language: doc.language,
    description: doc.description ?? "",
    access: accessOf(doc.space),
    ownerId: doc.ownerId.toHexString(),
    version: doc.version,
    schedule: null,
    lastRun: null,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}

export function toDraft(doc: ConsoleDraftDoc): ConsoleDraft {
  return {
    consoleId: doc.consoleId.toHexString(),
    content: doc.content,
    version: doc.version,
    updatedAt: doc.updatedAt.toISOString(),
  };
}
