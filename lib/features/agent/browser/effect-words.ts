import type { PlanEffect } from "@/lib/features/agent/schema";

/**
 * Returns a sentence for what a plan deletes, shares or sends.
 * @param find null for a resource that is unknown; the sentence then has its ID
 */
export function describeEffect(effect: PlanEffect, find: (id: string) => { name: string } | null): string {
  const nameOf = (id: string) => `“${find(id)?.name ?? id}”`;
  switch (effect.effect) {
    case "delete":
      if (effect.kind === "app") return `Delete app ${nameOf(effect.id)} and its drafts. This can't be undone.`;
      return effect.recursive
        ? `Delete folder ${nameOf(effect.id)} and everything in it.`
        : `Delete empty folder ${nameOf(effect.id)}.`;
    case "notify": {
      const kind = effect.kind === "flow" ? "flow" : "console";
      return `Send notifications of ${kind} ${nameOf(effect.id)} to ${effect.recipient}.`;
    }
    case "access": {
      const app = effect.id === null ? "the new app" : `app ${nameOf(effect.id)}`;
      return `Make ${app} ${effect.access === "workspace" ? "visible to everyone in the workspace" : "private"}.`;
    }
  }
}
