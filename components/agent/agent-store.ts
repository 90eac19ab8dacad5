import { createStore } from "zustand/vanilla";
import { setAgentOpen } from "@/components/agent/use-agent-panel";

/** A request to the agent from outside its panel: to fix a failed query, or to answer a question. */
export type AgentRequest =
  | { kind: "fix"; consoleId: string; query: string; message: string; suggestions: string[] }
  | { kind: "ask"; text: string };

export type AgentState = {
  /** 24 hexadecimal digits. A chat that the server does not know yet is created with its first message. */
  chatId: string;
  /** Whether nothing was sent in it yet, so that the server does not know it. */
  isFresh: boolean;
  /** The user asked for the panel: it loads now, without waiting for an idle browser. */
  isWanted: boolean;
  /** Whether the panel shows the list of chats instead of one chat. */
  isListing: boolean;
  /** Null for the server's default. */
  modelId: string | null;
  agentId: string | null;
  /** Message to send once the panel is ready. */
  request: AgentRequest | null;
};

const ID_BYTES = 12;

/**
 * The agent's panel state: its current chat, and requests from outside. It exists before the panel, which loads late;
 * this browser remembers the chat.
 */
export class AgentStore {
  readonly #state = createStore<AgentState>(() => ({
    chatId: "",
    isFresh: false,
    isWanted: false,
    isListing: false,
    modelId: null,
    agentId: null,
    request: null,
  }));
  /** The user has just opened the panel and will type next. A page that loads with it keeps its focus. */
  #isSummoned = false;
  readonly #key: string;

  constructor(userId: string, workspaceId: string) {
    this.#key = `millrace:agent:${userId}:${workspaceId}`;
  }

  /** Opens the chat that the URL names, or else the stored one. Only for the browser: the server has neither. */
  wake(): void {
    if (this.read().chatId !== "") return;
    const kept = this.#readKept();
    const asked = new URLSearchParams(window.location.search);
    const chatId = [asked.get("chat"), kept.chatId].find((id) => typeof id === "string" && /^[0-9a-f]{24}$/.test(id));
    const text = (value: unknown) => (typeof value === "string" ? value : null);
    this.change({
      ...(typeof chatId === "string" ? { chatId } : { chatId: newChatId(), isFresh: true }),
      isListing: asked.has("chats"),
      modelId: text(kept.modelId),
      agentId: text(kept.agentId),
    });
    if (asked.has("chat") || asked.has("chats")) this.open();
  }

  readonly read = this.#state.getState;

  readonly subscribe = this.#state.subscribe;

  change = (change: Partial<AgentState>): void => {
    const { chatId, isFresh, modelId, agentId } = { ...this.read(), ...change };
    try {
      localStorage.setItem(this.#key, JSON.stringify({ chatId: isFresh ? null : chatId, modelId, agentId }));
    } catch {
      // Without browser storage, only the remembered chat is lost.
    }
    this.#state.setState(change);
  };

  /** Shows the panel. @param request to send at once */
  open = (request?: AgentRequest): void => {
    this.#isSummoned = true;
    this.change({ isWanted: true, ...(request && { request, isListing: false }) });
    setAgentOpen(true);
  };

  begin = (): void => {
    this.#isSummoned = true;
    this.change({ chatId: newChatId(), isFresh: true, isListing: false });
  };

  /** Focuses the message field. */
  summon = (): void => {
    this.#isSummoned = true;
    this.change({});
  };

  /** Returns whether to focus the message field, once for each request. */
  takeSummons(): boolean {
    const isSummoned = this.#isSummoned;
    this.#isSummoned = false;
    return isSummoned;
  }

  #readKept(): Record<string, unknown> {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
      return typeof kept === "object" && kept !== null ? (kept as Record<string, unknown>) : {};
    } catch {
      return {};
    }
  }
}

function newChatId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(ID_BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
