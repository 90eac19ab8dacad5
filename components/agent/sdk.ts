/*
 * The only import of the ai SDK in the browser. The SDK validates with zod, which tests whether it may compile code.
 * The pages' policy forbids that, and the browser would report each test. zod reads its settings when it loads, so they
 * are set before it here.
 */
import "@/components/agent/quiet-zod";

export { Chat, useChat } from "@ai-sdk/react";
export { DefaultChatTransport, type FileUIPart, type UIMessage } from "ai";
