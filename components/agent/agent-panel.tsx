"use client";

import { useSyncExternalStore } from "react";
import { ChatList } from "@/components/agent/chat-list";
import { ChatView } from "@/components/agent/chat-view";
import { useWorkspace } from "@/components/layout/workspace-context";
import "./agent.css";

/** The agent's panel: one chat, or the list of them. */
export function AgentPanel() {
  const { agent } = useWorkspace();
  const { chatId, isListing } = useSyncExternalStore(agent.subscribe, agent.read, agent.read);
  if (chatId === "") return null;
  return isListing ? <ChatList /> : <ChatView key={chatId} chatId={chatId} />;
}
