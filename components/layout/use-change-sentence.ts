"use client";

import type { ItemNews } from "@/components/layout/item-news";
import { useMemberNames } from "@/components/settings/use-settings";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Returns who made a change, and how. @param toSaved returns the sentence about a save */
export function useChangeSentence(news: ItemNews, toSaved: (name: string) => string): string {
  const names = useMemberNames();
  const { push, userId } = news;
  if (push !== null) return `${push.name} pushed ${push.sha}: ${formatCountOf(push.files, "file")} changed.`;
  return toSaved(names.get(userId) ?? "Someone");
}
