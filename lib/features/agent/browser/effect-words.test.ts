import { expect, it } from "vitest";
import type { PlanEffect } from "@/lib/features/agent/schema";
import { describeEffect } from "./effect-words";

const [APP, FOLDER, UNKNOWN] = ["a".repeat(24), "b".repeat(24), "f".repeat(24)];
const NAMES: Record<string, { name: string }> = { [APP]: { name: "Tickets" }, [FOLDER]: { name: "team/old" } };

it.each<[PlanEffect, string]>([
  [
    { effect: "delete", kind: "app", id: APP, recursive: false },
    "Delete app “Tickets” and its drafts. This can't be undone.",
  ],
  [
    { effect: "delete", kind: "console_folder", id: FOLDER, recursive: true },
    "Delete folder “team/old” and everything in it.",
  ],
  [{ effect: "delete", kind: "dashboard_folder", id: FOLDER, recursive: false }, "Delete empty folder “team/old”."],
  [{ effect: "delete", kind: "console_folder", id: UNKNOWN, recursive: false }, `Delete empty folder “${UNKNOWN}”.`],
  [
    { effect: "access", kind: "app", id: APP, access: "workspace" },
    "Make app “Tickets” visible to everyone in the workspace.",
  ],
  [{ effect: "access", kind: "app", id: APP, access: "private" }, "Make app “Tickets” private."],
  [
    { effect: "access", kind: "app", id: null, access: "workspace" },
    "Make the new app visible to everyone in the workspace.",
  ],
  [
    { effect: "notify", kind: "scheduled_query", id: FOLDER, recipient: "eve@example.com" },
    "Send notifications of console “team/old” to eve@example.com.",
  ],
])("describes %j", (effect, words) => {
  expect(describeEffect(effect, (id) => NAMES[id] ?? null)).toBe(words);
});
