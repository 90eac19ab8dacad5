import { ObjectId } from "mongodb";
import { type Credentials, callRaw } from "@/test/client";

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an event, key by key
export type Event = { type: string; [field: string]: any };

export const newId = () => new ObjectId().toHexString();

export function userMessage(text: string, parts: object[] = []) {
  return { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }, ...parts] };
}

type Asked = Credentials & {
  workspaceId: string;
  chatId?: string;
  messages?: object[];
  headers?: Record<string, string>;
  signal?: AbortSignal;
  [field: string]: unknown;
};

/** Sends a message to the agent, as a client without a library would. */
export function askRaw(text: string, asked: Asked): Promise<Response> {
  const { cookie, key, headers, signal, query, ...body } = asked as Asked & { query?: string };
  return callRaw("POST", `/api/agent/chat${query ?? ""}`, {
    ...(cookie !== undefined && { cookie }),
    ...(key !== undefined && { key }),
    ...(headers && { headers }),
    ...(signal && { signal }),
    body: { chatId: newId(), messages: [userMessage(text)], ...body },
  });
}

/** The same, with the answer read to its end. */
export async function ask(text: string, asked: Asked): Promise<{ status: number; events: Event[]; text: string }> {
  const response = await askRaw(text, asked);
  const whole = await response.text();
  return { status: response.status, events: eventsOf(whole), text: whole };
}

/** The events of a stream, whose last line has to be [DONE]. */
export function eventsOf(text: string): Event[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  if (lines.at(-1) !== "data: [DONE]") return [];
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)));
}

/** Reads a stream event by event. */
export async function* readEvents(response: Response): AsyncGenerator<Event> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split("\n\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: ") && line !== "data: [DONE]") yield JSON.parse(line.slice(6));
    }
  }
}

export function textOf(events: readonly Event[]): string {
  return events.flatMap((event) => (event.type === "text-delta" ? event.delta : [])).join("");
}
