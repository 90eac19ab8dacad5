import type { LanguageModelV4 } from "@ai-sdk/provider";
import { generateText, isStepCount, type ModelMessage } from "ai";
import type { Question } from "../questions/question";
import type { TestEngine } from "./engines";
import { isSameAnswer } from "./judge";
import { workbench } from "./stand-in-tools";

/** The day on which all questions are asked: the data ends the day before. */
export const ASKED_ON = "2026-11-01";
/** As the product has it. */
const STEPS_MAX = 20;

export type Outcome = {
  question: Question;
  isRight: boolean;
  steps: number;
  tokens: number;
  ms: number;
  /** What was run last, and what was said: for who looks into a failure. */
  query: string | null;
  text: string;
};

/**
 * Asks each question in a conversation of its own and judges the rows of the last query that worked.
 * @param reference runs the reference SQL, when the database asked speaks another dialect
 */
export async function evaluate(
  model: LanguageModelV4,
  engine: TestEngine,
  name: string,
  questions: readonly Question[],
  reference: TestEngine = engine,
): Promise<Outcome[]> {
  const tables = await engine.tables();
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const messages: ModelMessage[] = [];
    const began = performance.now();
    let steps = 0;
    let tokens = 0;
    let text = "";
    let last: { query: string; fields: string[]; rows: Record<string, unknown>[] } | null = null;
    for (const ask of [...(question.after ?? []), question.ask]) {
      const { tools, ran } = workbench(engine, name, tables);
      messages.push({ role: "user", content: ask });
      try {
        const result = await generateText({
          model,
          instructions: `You answer questions about the data of a workspace by the tools you are given. Today is ${ASKED_ON} (UTC).`,
          messages,
          tools,
          stopWhen: isStepCount(STEPS_MAX),
          maxRetries: 2,
        });
        messages.push(...result.responseMessages);
        steps += result.steps.length;
        tokens += result.totalUsage.totalTokens ?? 0;
        text = result.text;
      } catch (error) {
        text = `failed: ${error instanceof Error ? error.message : String(error)}`;
      }
      last = ran.at(-1) ?? null;
    }
    const isRight = await judge(question, last, text, reference);
    outcomes.push({
      question,
      isRight,
      steps,
      tokens,
      ms: performance.now() - began,
      query: last?.query ?? null,
      text,
    });
  }
  return outcomes;
}

async function judge(
  question: Question,
  last: { fields: string[]; rows: Record<string, unknown>[] } | null,
  text: string,
  engine: TestEngine,
): Promise<boolean> {
  if (question.says) return question.says.every((word) => text.includes(word));
  if (!last) return false;
  const expected = await engine.query(question.sql);
  const isOrdered = question.isOrdered === true;
  const all = isOrdered ? await engine.query(question.sql.replace(/ limit \d+$/, "")) : expected;
  return isSameAnswer(last, expected, isOrdered, all);
}
