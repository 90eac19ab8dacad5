"use client";

import { ArrowRight, MessageSquare } from "lucide-react";
import { toQuestions } from "@/components/agent/chat-texts";
import { useActiveConsoleId } from "@/components/consoles/use-console-actions";
import { useOpenConsole } from "@/components/consoles/use-consoles";
import { useDatabases, useEntities, useFindConnection } from "@/components/schema/use-schema";

/** An empty chat: the agent's purpose, and four questions about the workspace's data. */
export function Suggestions({ onAsk }: { onAsk: (text: string) => void }) {
  const active = useOpenConsole(useActiveConsoleId());
  const databases = useDatabases();
  const find = useFindConnection();
  const connection = find(active?.connectionId) ?? databases[0] ?? null;
  const entities = useEntities(connection?.id ?? null);
  const questions = toQuestions(entities);
  return (
    <div className="empty agent-empty">
      <span className="empty-mark">
        <MessageSquare />
      </span>
      <h3 className="b6">Ask about your data</h3>
      <p>The agent writes and runs queries for you. Changes need your approval.</p>
      {questions.length > 0 && (
        <ul className="asks" aria-label={`Questions about ${connection?.name ?? "your data"}`}>
          {questions.map((question) => (
            <li key={question}>
              <button type="button" onClick={() => onAsk(question)}>
                <span className="grow">{question}</span>
                <ArrowRight className="s" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {connection && <p className="xs t3">Using {connection.name}. Type @ to mention another.</p>}
    </div>
  );
}
