import { fork } from "node:child_process";
import { once } from "node:events";
import { ObjectId } from "mongodb";
import { collections } from "@/lib/features/instance/collections";
import { nextChannel } from "@/lib/features/notifications/channels/stored";
import { fanOut } from "@/lib/features/notifications/fan-out";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { endRun } from "@/test/fixtures/notifications/ended-run";
import type { Seen } from "./receivers-process";

/** Starts receivers in a separate process. @param bundle of receivers-process.ts */
export async function startReceivers(bundle: string, count: number, answerMs: number) {
  const child = fork(bundle, [String(count), String(answerMs)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [urls] = (await once(child, "message")) as [string[]];
  const look = async (): Promise<Seen> => {
    child.send("look");
    return (await once(child, "message"))[0];
  };
  const close = async () => {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  };
  return { urls, look, close };
}

/** Creates a rule for each URL. */
export async function addRules(workspace: string, consoleId: string, urls: string[]): Promise<void> {
  const now = new Date();
  const workspaceId = new ObjectId(workspace);
  for (const url of urls) {
    const place = { _id: new ObjectId(), workspaceId };
    await collections.notificationRules().insertOne({
      ...place,
      resourceType: "scheduled_query",
      resourceId: new ObjectId(consoleId),
      enabled: true,
      triggers: ["success"],
      channel: nextChannel(place, null, { channelType: "webhook", url }).channel,
      createdBy: new ObjectId(),
      createdAt: now,
      updatedAt: now,
      revision: 1,
    });
  }
}

/** Queues deliveries without sending them. @returns the events that would have been sent */
export async function queue(workspaceId: string, consoleId: string, runs: number): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  sendJobEventsBy(async (sent) => {
    for (const event of sent) {
      if (event.name === "flow.run.terminal") await fanOut(event.data as Parameters<typeof fanOut>[0]);
      else events.push(event);
    }
  });
  for (let i = 0; i < runs; i += 1) await endRun({ workspaceId, consoleId });
  return events;
}
