import { inngest } from "@/inngest/client";
import { database } from "@/lib/platform/db/client";

/** A completed step of these functions, in the store: it outlives the process. */
export type CrashNote = { key: string; step: string };
export const notes = () => database().collection<CrashNote>("crash_notes");

const crashing = inngest.createFunction(
  { id: "crashing", triggers: [{ event: "crash/go" }], retries: 1 },
  async ({ event, step }) => {
    const { key } = event.data;
    const one = await step.run("one", () => note(key, "one", 1));
    const [two, three] = await Promise.all([
      step.run("two", () => note(key, "two", one + 1)),
      step.run("three", () => note(key, "three", one + 2)),
    ]);
    return step.run("last", () => note(key, "last", [one, two, three]));
  },
);

/** Kills its process, in each of the modes in which a function runs. */
const deadly = inngest.createFunction(
  { id: "crash-deadly", triggers: [{ event: "crash/deadly" }], retries: 5 },
  async ({ event, step }) => {
    const { key, where } = event.data;
    const die = async () => {
      await note(key, where, null);
      process.kill(process.pid, "SIGKILL");
      await new Promise(() => {});
    };
    if (where === "outside of steps") await die();
    if (where === "after a step") await step.run("first", () => 1);
    if (where === "side by side") await Promise.all([step.run("other", () => 1), step.run("die", die)]);
    await step.run("die", die);
  },
);
/** Takes long enough to be running when its process ends. */
const steady = inngest.createFunction(
  { id: "crash-steady", triggers: [{ event: "crash/steady" }], retries: 0 },
  async ({ event, step }) => {
    await step.run("wait", () => new Promise((resolve) => setTimeout(resolve, 200)));
    return event.data.n;
  },
);

export const DEADLY_PLACES = ["in a step", "outside of steps", "after a step", "side by side"];
export const crashFunctions = [crashing, deadly, steady];
export const CRASH_STEPS = ["one", "two", "three", "last"];
export const CRASH_RESULT = [1, 2, 3];

async function note<T>(key: string, step: string, result: T): Promise<T> {
  await notes().insertOne({ key, step });
  return result;
}
