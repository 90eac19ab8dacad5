"use client";

import { ArrowRight, MessageSquare } from "lucide-react";
import { useActiveConsoleId } from "@/components/consoles/use-console-actions";
import { useOpenConsole } from "@/components/consoles/use-consoles";
import { useDatabases, useEntities, useFindConnection } from "@/components/schema/use-schema";
import type { Entity } from "@/lib/base/values/fields";

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

const QUESTIONS_MAX = 4;
/** Maximum number of tables whose columns are read: a database may have thousands. */
const LOOKED_AT_MAX = 200;

/** Returns questions that the columns can answer: counts, by time, by category. */
export function toQuestions(entities: readonly Entity[]): string[] {
  const tables = entities
    .slice(0, LOOKED_AT_MAX)
    .filter(({ columns }) => (columns?.length ?? 0) > 0)
    .sort((a, b) => (b.rowEstimate ?? 0) - (a.rowEstimate ?? 0));
  const words = (name: string) => name.replaceAll("_", " ");
  const ofType = ({ columns = [] }: Entity, type: RegExp) => columns.filter((column) => type.test(column.type));
  const questions: string[] = [];
  const [first] = tables;
  if (first) questions.push(`How many ${words(first.name)} are there?`);
  const timed = tables.find((table) => ofType(table, /date|time/i).length > 0);
  if (timed) questions.push(`How many ${words(timed.name)} per month?`);
  const grouped = tables.find((table) => categoryOf(table) !== undefined);
  const category = grouped && categoryOf(grouped);
  if (grouped && category) questions.push(`How many ${words(grouped.name)} per ${words(category)}?`);
  for (const table of tables.slice(1)) questions.push(`How many ${words(table.name)} are there?`);
  return [...new Set(questions)].slice(0, QUESTIONS_MAX);
}

function categoryOf({ columns = [] }: Entity): string | undefined {
  return columns.find(
    ({ name, type }) =>
      /char|text|string|enum/i.test(type) && /status|state|country|region|city|type|kind|category|channel/i.test(name),
  )?.name;
}
