"use client";

import { useEffect, useState } from "react";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames } from "@/components/settings/use-settings";
import { showToast } from "@/components/ui/toast";

/** Who types says so every five seconds; whoever has said nothing for this long has stopped. */
const EDITING_MS = 12_000;
const LOOK_EVERY_MS = 2000;

export type ConsoleNews = {
  /** Who has saved the version that is newer than one's own text; null when that is not known. */
  savedBy: string | null;
  /** Who else types in it now, by name. */
  editing: { id: string; name: string }[];
};

/** What others do with the console that is shown, as they do it: a save is read at once, not met at one's own. */
export function useConsoleNews({ id, name, saved, draft }: OpenConsole): ConsoleNews {
  const { user, consoles } = useWorkspace();
  const names = useMemberNames();
  const [savedBy, setSavedBy] = useState<{ consoleId: string; userId: string } | null>(null);
  const [editing, setEditing] = useState<{ consoleId: string; userId: string; until: number }[]>([]);
  const nameOf = (userId: string) => names.get(userId) ?? "Somebody";
  useLive((event) => {
    if (event.kind === "reset") return void consoles.refresh(id, null);
    if (event.data.resourceId !== id) return;
    const { userId, version } = event.data;
    if (typeof userId !== "string") return;
    const others = editing.filter((each) => each.userId !== userId);
    if (event.kind === "presence" && userId !== user.id) {
      setEditing([...others, { consoleId: id, userId, until: Date.now() + EDITING_MS }]);
    }
    if (event.kind !== "console" || typeof version !== "number" || saved === null || saved.version >= version) return;
    void consoles.refresh(id, version);
    if (userId === user.id) return;
    setSavedBy({ consoleId: id, userId });
    setEditing(others);
    // With a draft there is a notice that stays.
    if (draft === null) showToast(`${nameOf(userId)} has saved ${name}.`, { id: `news-${id}` });
  });
  const isAny = editing.length > 0;
  useEffect(() => {
    if (!isAny) return;
    const timer = setInterval(() => setEditing((all) => all.filter(({ until }) => until > Date.now())), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAny]);
  return {
    savedBy: savedBy?.consoleId === id ? nameOf(savedBy.userId) : null,
    editing: editing
      .filter(({ consoleId }) => consoleId === id)
      .map(({ userId }) => ({ id: userId, name: nameOf(userId) })),
  };
}
