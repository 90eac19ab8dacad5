import { setAgentOpen } from "@/components/agent/use-agent-panel";

/** What somebody wants of the agent beside its panel: to mend a query that failed, or to answer a question. */
export type AgentRequest =
  | { kind: "fix"; consoleId: string; query: string; message: string }
  | { kind: "ask"; text: string };

export type AgentState = {
  /** 24 hexadecimal digits; a chat that the server does not know yet begins with its first message. */
  chatId: string;
  /** Nothing was sent in it yet, so the server does not know it. */
  isFresh: boolean;
  /** Somebody has asked for the panel: it is loaded now, not in a quiet moment. */
  isWanted: boolean;
  /** The list of chats rather than one of them. */
  isListing: boolean;
  /** Null for what the server takes by itself. */
  modelId: string | null;
  agentId: string | null;
  /** What is to be sent as soon as the panel is there. */
  request: AgentRequest | null;
};

const ID_BYTES = 12;

/**
 * Which chat the agent's panel shows, and what it is asked from elsewhere. It lives above the panel, which is loaded
 * late; the chat is remembered in this browser.
 */
export class AgentStore {
  #state: AgentState;
  /** The person has just asked for the panel, who writes next; a page that is loaded with it keeps its own focus. */
  #isSummoned = false;
  readonly #listeners = new Set<() => void>();
  readonly #key: string;

  constructor(userId: string, workspaceId: string) {
    this.#key = `millrace:agent:${userId}:${workspaceId}`;
    this.#state = {
      chatId: "",
      isFresh: false,
      isWanted: false,
      isListing: false,
      modelId: null,
      agentId: null,
      request: null,
    };
  }

  /** What the address asks for comes before what was kept, and opens the panel. Called in the browser: the server has neither. */
  wake(): void {
    if (this.#state.chatId !== "") return;
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

  read = (): AgentState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  change = (change: Partial<AgentState>): void => {
    this.#state = { ...this.#state, ...change };
    const { chatId, isFresh, modelId, agentId } = this.#state;
    try {
      localStorage.setItem(this.#key, JSON.stringify({ chatId: isFresh ? null : chatId, modelId, agentId }));
    } catch {
      // A full or closed store costs the memory of the chat, not the chat.
    }
    for (const listener of this.#listeners) listener();
  };

  /** Shows the panel. @param request is sent at once */
  open = (request?: AgentRequest): void => {
    this.#isSummoned = true;
    this.change({ isWanted: true, ...(request && { request, isListing: false }) });
    setAgentOpen(true);
  };

  begin = (): void => {
    this.#isSummoned = true;
    this.change({ chatId: newChatId(), isFresh: true, isListing: false });
  };

  /** The field for a message takes the focus. */
  summon = (): void => {
    this.#isSummoned = true;
    this.change({});
  };

  /** Whether the field for a message takes the focus; asked once each time. */
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
