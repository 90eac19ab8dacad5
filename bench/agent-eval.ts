import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { OFFLINE_MODEL_ID, offlineModel } from "@/lib/features/agent/offline";
import { sqliteFileEngine, type TestEngine } from "@/test/fixtures/agent/engines";
import { evaluate, type Outcome } from "@/test/fixtures/agent/evaluate";
import { databaseFile, type PublishedQuestion, publishedQuestions } from "@/test/fixtures/agent/published-sets";
import { questionSets } from "@/test/fixtures/agent/question-sets";
import type { Half } from "@/test/fixtures/agent/questions/question";

/**
 * Asks a model the question set over real databases, and prints accuracy, steps, tokens and time: npm run eval:agent --
 * --model anthropic/<name> [--failures] [--sets <folder> [--database <name>] [--held-back]] `--failures` shows the
 * wrong answers of the visible half alone: the other half stays hidden for a fair test. `--sets` asks published questions
 * instead (test/fixtures/agent/published-sets.ts describes the folder); those of the held back databases only with
 * `--held-back`, so that their figures guide no change.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: "string", default: OFFLINE_MODEL_ID },
      failures: { type: "boolean", default: false },
      sets: { type: "string" },
      database: { type: "string" },
      "held-back": { type: "boolean", default: false },
    },
  });
  const model = await openModel(values.model);
  if (values.sets) {
    const asked = publishedQuestions(values.sets).filter(
      ({ database, isHeldBack }) =>
        (values["held-back"] || !isHeldBack) && (values.database === undefined || database === values.database),
    );
    return runPublished(model, values.sets, asked, values.failures);
  }
  const folder = join(tmpdir(), "millrace-eval");
  mkdirSync(folder, { recursive: true });
  const all: (Outcome & { half: Half })[] = [];
  console.log(`${values.model}\n`);
  for (const { name, seen, unseen, open } of questionSets(join(folder, "shop.duckdb"))) {
    const engine = await open();
    if (!engine) {
      console.log(`${name}: left out, its database is not installed`);
      continue;
    }
    try {
      const ask = async (half: Half, questions: typeof seen) =>
        (await evaluate(model, engine, name, questions)).map((outcome) => ({ ...outcome, half }));
      const outcomes = [...(await ask("seen", seen)), ...(await ask("unseen", unseen))];
      all.push(...outcomes);
      print(name, outcomes);
      for (const { question, half, isRight, query, text } of outcomes) {
        if (!values.failures || isRight || half === "unseen") continue;
        console.log(
          `  wrong: ${[...(question.after ?? []), question.ask].join(" / ")}\n    ${query ?? text}`.slice(0, 800),
        );
      }
    } finally {
      await engine.stop();
    }
  }
  print(
    "seen half",
    all.filter(({ half }) => half === "seen"),
  );
  print(
    "unseen half",
    all.filter(({ half }) => half === "unseen"),
  );
  print("all", all);
}

/** Asks the published questions of a folder, and prints coverage and precision by database and difficulty. */
async function runPublished(
  model: LanguageModelV4,
  folder: string,
  asked: readonly PublishedQuestion[],
  showsFailures: boolean,
): Promise<void> {
  type Judged = Outcome & { published: PublishedQuestion };
  const judged: Judged[] = [];
  const groups = Map.groupBy(asked, ({ set, database }) => `${set}/${database}`);
  for (const [name, questions] of groups) {
    const [first] = questions;
    if (!first) continue;
    const engine = sqliteFileEngine(databaseFile(folder, first.set, first.database));
    try {
      const usable = await executable(engine, questions);
      const outcomes = await evaluate(
        model,
        engine,
        first.database,
        usable.map(({ ask, sql }) => ({ ask, sql })),
        engine,
        false,
      );
      const mine = outcomes.map((outcome, i) => ({ ...outcome, published: usable[i] as PublishedQuestion }));
      judged.push(...mine);
      printPrecision(`${name}${first.isHeldBack ? " (held back)" : ""}`, mine);
      // The held back questions stay unread.
      for (const each of first.isHeldBack || !showsFailures ? [] : mine) {
        if (each.isRight) continue;
        const label = each.answered ? "WRONG" : "refused";
        console.log(`  ${label} [${each.published.difficulty}] ${each.question.ask}`);
        if (each.answered) console.log(`    gold: ${each.question.sql}\n    mine: ${each.answered.query}`);
        console.log(`    said: ${each.text.replaceAll(/\s+/g, " ").slice(-300)}`);
      }
    } finally {
      await engine.stop();
    }
  }
  for (const isHeldBack of [false, true]) {
    const half = judged.filter(({ published }) => published.isHeldBack === isHeldBack);
    if (half.length === 0) continue;
    const title = isHeldBack ? "held back" : "development";
    printPrecision(`\n${title}`, half);
    for (const difficulty of ["easy", "medium", "hard", "extra"] as const) {
      printPrecision(
        `  ${title}, ${difficulty}`,
        half.filter(({ published }) => published.difficulty === difficulty),
      );
    }
  }
}

/** Returns the questions whose reference query runs and returns rows. */
async function executable(engine: TestEngine, questions: readonly PublishedQuestion[]): Promise<PublishedQuestion[]> {
  const usable: PublishedQuestion[] = [];
  for (const question of questions) {
    const rows = await engine.query(question.sql).then(
      (result) => result.rows.length,
      () => 0,
    );
    if (rows > 0) usable.push(question);
  }
  return usable;
}

function printPrecision(name: string, outcomes: readonly Outcome[]): void {
  const answered = outcomes.filter((each) => each.answered);
  const right = answered.filter(({ isRight }) => isRight);
  const silent = answered.filter(({ isRight, text }) => !isRight && !/\b(?:I assumed|I ignored)\b/.test(text));
  const percent = (part: number, all: number) => `${((100 * part) / (all || 1)).toFixed(1)} %`;
  console.log(
    `${name}: ${outcomes.length} questions, coverage ${percent(answered.length, outcomes.length)}, precision ${percent(right.length, answered.length)}, ${answered.length - right.length} wrong, ${silent.length} of them without a stated assumption`,
  );
}

function print(name: string, outcomes: readonly Outcome[]): void {
  const mean = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((sum, each) => sum + of(each), 0) / (outcomes.length || 1);
  const right = outcomes.filter(({ isRight }) => isRight).length;
  const share = ((100 * right) / (outcomes.length || 1)).toFixed(1);
  console.log(
    `${name}: ${right} of ${outcomes.length} right (${share} %), a question ${mean(({ steps }) => steps).toFixed(1)} steps, ${Math.round(mean(({ tokens }) => tokens))} tokens, ${Math.round(mean(({ ms }) => ms))} ms`,
  );
}

/** Opens a model by its id, "provider/name", with the key from the environment. */
async function openModel(id: string): Promise<LanguageModelV4> {
  if (id === OFFLINE_MODEL_ID) return offlineModel();
  const [provider = "", ...rest] = id.split("/");
  const name = rest.join("/");
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).anthropic(name);
    case "openai":
      return (await import("@ai-sdk/openai")).openai(name);
    case "google":
      return (await import("@ai-sdk/google")).google(name);
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const baseURL = process.env.OPENAI_COMPATIBLE_BASE_URL;
      if (!baseURL) throw new Error("Set OPENAI_COMPATIBLE_BASE_URL to the server's address.");
      const apiKey = process.env.OPENAI_COMPATIBLE_API_KEY;
      return createOpenAICompatible({ name: "compatible", baseURL, ...(apiKey && { apiKey }) })(name);
    }
    default:
      throw new Error(
        `Name the model as anthropic/..., openai/..., google/..., compatible/... or ${OFFLINE_MODEL_ID}.`,
      );
  }
}
