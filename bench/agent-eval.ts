import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { OFFLINE_MODEL_ID, offlineModel } from "@/lib/features/agent/offline";
import { evaluate, type Outcome } from "@/test/fixtures/agent/evaluate";
import { questionSets } from "@/test/fixtures/agent/question-sets";
import type { Half } from "@/test/fixtures/agent/questions/question";

/**
 * Asks a model the question set over real databases, and prints accuracy, steps, tokens and time: npm run eval:agent --
 * --model anthropic/<name> [--failures] `--failures` shows the wrong answers of the visible half alone: the other half
 * stays hidden for a fair test.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { model: { type: "string", default: OFFLINE_MODEL_ID }, failures: { type: "boolean", default: false } },
  });
  const model = await openModel(values.model);
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
