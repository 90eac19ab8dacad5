"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { toConsoleKey } from "@/components/workspace/console-service";
import { useActiveConsoleId } from "@/components/workspace/use-console-actions";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { agentApi } from "@/lib/client/agent";
import type { Console } from "@/lib/client/consoles";
import { isSavedId } from "@/lib/ui/workbench";

export const toChatsKey = (workspaceId: string) => ["chats", workspaceId];
export const toChatKey = (workspaceId: string, chatId: string) => ["chat", workspaceId, chatId];

/** Which models and modes there are; they change with the server's settings alone. */
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
  // One that was chosen and is gone from the server is not asked for.
  const model = models.find(({ id }) => id === modelId) ?? models.find((each) => each.default) ?? null;
  const mode = modes.find(({ id }) => id === agentId) ?? modes.find((each) => each.default) ?? null;
  return { models, modes, model, mode };
}

/** Of a console's text to the agent; the server shows the model less. */
const CONTENT_CHARS_MAX = 50_000;
/** Consoles that go with a message, the one that is looked at first. */
const OPEN_MAX = 20;

/** What is on the screen, as a message takes it along: the open consoles that are saved, as their editors have them. */
export function useScreen() {
  const { workspace, workbench, drafts, consoles } = useWorkspace();
  const queryClient = useQueryClient();
  const activeId = useActiveConsoleId();
  return () => {
    const tabs = workbench.read()?.tabs ?? [];
    const ids = [...new Set([...(activeId === null ? [] : [activeId]), ...tabs])]
      // One that was deleted meanwhile would have the whole message refused.
      .filter((id) => isSavedId(id) && consoles.find(id) !== null)
      .slice(0, OPEN_MAX);
    const openConsoles = ids.flatMap((id) => {
      const saved = queryClient.getQueryData<Console>(toConsoleKey(workspace.id, id));
      const content = drafts.read(id)?.content ?? saved?.content;
      if (!saved || content === undefined) return [];
      const { name, connectionId, language } = saved;
      return [{ id, title: name, content: content.slice(0, CONTENT_CHARS_MAX), connectionId, language }];
    });
    const isActiveSaved = activeId !== null && ids.includes(activeId);
    return { workspaceId: workspace.id, openConsoles, ...(isActiveSaved && { consoleId: activeId }) };
  };
}
