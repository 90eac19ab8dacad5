import { inngest } from "@/inngest/client";
import { database } from "@/lib/db/client";

/** What the steps of these functions have done, in the store: it outlives the process. */
export type CrashNote = { key: string; step: string };
export const notes = () => database().collection<CrashNote>("crash_notes");

const doubled = inngest.createFunction(
  { id: "crash-doubled", triggers: [{ event: "crash/doubled" }], retries: 1 },
  async ({ event, step }) => step.run("double", () => note(event.data.key, "double", Number(event.data.n) * 2)),
);

const crashing = inngest.createFunction(
  { id: "crashing", triggers: [{ event: "crash/go" }], retries: 1 },
  async ({ event, step }) => {
    const { key } = event.data;
    const one = await step.run("one", () => note(key, "one", 1));
    const [two, three] = await Promise.all([
      step.run("two", () => note(key, "two", one + 1)),
      step.run("three", () => note(key, "three", one + 2)),
    ]);
    const six = await step.invoke("invoke", { function: doubled, data: { key, n: three } });
    return step.run("last", () => note(key, "last", [one, two, three, six]));
  },
);

export const crashFunctions = [doubled, crashing];
export const CRASH_STEPS = ["one", "two", "three", "double", "last"];
export const CRASH_RESULT = [1, 2, 3, 6];

async function note<T>(key: string, step: string, result: T): Promise<T> {
  await notes().insertOne({ key, step });
  return result;
}
