"use client";

import { useEffect, useState } from "react";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames } from "@/components/settings/use-settings";

/** A typing user sends an event every 5 s; without one for this long, they have stopped. */
const EDITING_MS = 12_000;
const LOOK_EVERY_MS = 2000;

/** Returns the other users who are typing in a console now, and reads it again if events were missed. */
export function useEditingUsers(id: string): { id: string; name: string }[] {
  const { user, consoles } = useWorkspace();
  const names = useMemberNames();
  const [editing, setEditing] = useState<{ userId: string; until: number }[]>([]);
  useLive((event) => {
    if (event.kind === "reset") return void consoles.refresh(id);
    const { userId, resourceId } = event.data;
    if (resourceId !== id || typeof userId !== "string") return;
    const others = editing.filter((each) => each.userId !== userId);
    if (event.kind === "presence" && userId !== user.id) {
      setEditing([...others, { userId, until: Date.now() + EDITING_MS }]);
    } else if (event.kind === "console") setEditing(others);
  });
  const isAny = editing.length > 0;
  useEffect(() => {
    if (!isAny) return;
    const timer = setInterval(() => setEditing((all) => all.filter(({ until }) => until > Date.now())), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAny]);
  return editing.map(({ userId }) => ({ id: userId, name: names.get(userId) ?? "Someone" }));
}
