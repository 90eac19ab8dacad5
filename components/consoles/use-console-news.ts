"use client";

import { useEffect, useState } from "react";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames } from "@/components/settings/use-settings";
import { showToast } from "@/components/ui/toast";

/** A typing user sends an event every 5 s; without one for this long, they have stopped. */
const EDITING_MS = 12_000;
const LOOK_EVERY_MS = 2000;

export type ConsoleNews = {
  /** User who saved the version that is newer than the draft; null when that is not known. */
  savedBy: string | null;
  /** Other users who are typing in it now. */
  editing: { id: string; name: string }[];
};

/** Follows what others do with the visible console, so that a save is noticed before the user's own. */
export function useConsoleNews({ id, name, saved, draft }: OpenConsole): ConsoleNews {
  const { user, consoles } = useWorkspace();
  const names = useMemberNames();
  const [savedBy, setSavedBy] = useState<{ consoleId: string; userId: string } | null>(null);
  const [editing, setEditing] = useState<{ consoleId: string; userId: string; until: number }[]>([]);
  const nameOf = (userId: string) => names.get(userId) ?? "Someone";
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
    // With a draft, a permanent notice is shown instead.
    if (draft === null) showToast(`${nameOf(userId)} saved ${name}`, { id: `news-${id}` });
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
