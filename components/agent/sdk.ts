/*
 * The one way to the ai SDK in the browser. It checks what comes by zod, which tries whether it may compile code; the
 * pages' policy forbids that, and the browser would report each try. zod reads its settings when it is loaded, so they
 * are put before it here.
 */
import "@/components/agent/quiet-zod";

export { Chat, useChat } from "@ai-sdk/react";
export { DefaultChatTransport, type FileUIPart, type UIMessage } from "ai";
