"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { toConsoleKey } from "@/components/consoles/console-service";
import { useActiveConsoleId } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useDatabases } from "@/components/schema/use-schema";
import { agentApi } from "@/lib/features/agent/browser/client";
import { findConsole, isSavedId } from "@/lib/features/consoles/browser/workbench";
import type { Console } from "@/lib/features/consoles/schema";
import { newId } from "@/lib/platform/browser/new-id";

export const toChatsKey = (workspaceId: string) => ["chats", workspaceId];
export const toChatKey = (workspaceId: string, chatId: string) => ["chat", workspaceId, chatId];

/** Returns the available models and modes; they change only with the server's settings. */
export function useAgentChoices() {
  const { agent } = useWorkspace();
  const { modelId, agentId } = useSyncExternalStore(agent.subscribe, agent.read, agent.read);
  const { data: models = [] } = useQuery({
    queryKey: ["agent-models"],
    queryFn: ({ signal }) => agentApi.listModels(signal),
  });
  const { data: modes = [] } = useQuery({
    queryKey: ["agent-modes"],
    queryFn: ({ signal }) => agentApi.listAgents(signal),
  });
  // A selected model that the server no longer has is not requested.
  const model = models.find(({ id }) => id === modelId) ?? models.find((each) => each.default) ?? null;
  const mode = modes.find(({ id }) => id === agentId) ?? modes.find((each) => each.default) ?? null;
  return { models, modes, model, mode };
}

/** Maximum length of a console's text in a message; the server shows the model less. */
const CONTENT_CHARS_MAX = 50_000;
/** Maximum number of consoles in a message, the active one first. */
const OPEN_MAX = 20;

/** Server ids of this page's unsaved consoles: some of the page's ids are no UUIDs. */
const unsavedIds = new Map<string, string>();

/** Returns the screen's content for a message: the open consoles with their editors' text, saved or not. */
export function useScreen() {
  const { workspace, workbench, drafts, consoles } = useWorkspace();
  const queryClient = useQueryClient();
  const activeId = useActiveConsoleId();
  const [firstDatabase] = useDatabases();
  return () => {
    const shown = workbench.read();
    const cut = (content: string) => content.slice(0, CONTENT_CHARS_MAX);
    const toOpen = (id: string) => {
      if (!isSavedId(id)) {
        const unsaved = shown && findConsole(shown, id);
        if (!unsaved) return null;
        const { name, content } = unsaved;
        const connectionId = unsaved.connectionId ?? firstDatabase?.id ?? null;
        return { id: toUnsavedId(id), title: name, content: cut(content), connectionId };
      }
      const saved = queryClient.getQueryData<Console>(toConsoleKey(workspace.id, id));
      // The server would refuse the whole message for a console that was deleted.
      if (!saved || consoles.find(id) === null) return null;
      const { name, connectionId, language } = saved;
      return { id, title: name, content: cut(drafts.read(id)?.content ?? saved.content), connectionId, language };
    };
    const active = activeId === null ? null : toOpen(activeId);
    const others = (shown?.tabs ?? []).filter((id) => id !== activeId).map(toOpen);
    const openConsoles = [active, ...others].filter((each) => each !== null).slice(0, OPEN_MAX);
    return { workspaceId: workspace.id, openConsoles, ...(active && { consoleId: active.id }) };
  };
}

function toUnsavedId(id: string): string {
  const known = unsavedIds.get(id) ?? newId();
  unsavedIds.set(id, known);
  return known;
}
