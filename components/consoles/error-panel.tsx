"use client";

import { Check, CircleX, Copy, Database, MessageSquare, Play } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useDialect, useEngineName } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import type { ReadFailure } from "@/components/consoles/use-console-run";
import { SqlCode } from "@/components/editor/sql-code";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useDatabases } from "@/components/schema/use-schema";
import { useRights } from "@/components/settings/use-settings";
import { ColourTag } from "@/components/ui/colour-tag";
import { copyText } from "@/components/ui/copy-text";
import { announce } from "@/components/ui/live-region";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { ErrorPlace, QuerySuggestion } from "@/lib/base/sql/query-error";
import type { Connection } from "@/lib/features/connections/schema";

/** Maximum number of connections offered; the chip above the editor lists all. */
const WRITERS_MAX = 3;
/** Maximum number of corrections offered. */
const FIXES_MAX = 3;

type ErrorPanelProps = {
  consoleId: string;
  failure: ReadFailure;
  connection: Connection | null;
  content: string;
  onRun: () => void;
};

/** A failed query: explanation, position, suggested fix, and the database's own message. */
export function ErrorPanel({ consoleId, failure, connection, content, onRun }: ErrorPanelProps) {
  const { editors, agent } = useWorkspace();
  const engineName = useEngineName();
  const dialect = useDialect(connection?.type);
  const [isCopied, setIsCopied] = useState(false);
  const { title, message, place, suggestions, run, statement, code } = failure;
  const { setConnection } = useConsoleActions();
  const databases = useDatabases();
  const writers = databases.filter(
    ({ id, type, readOnly }) => !readOnly && type === connection?.type && id !== connection.id,
  );
  const isUntouched = content === run.content;
  const isOnSame = run.connectionId === connection?.id;
  const statementNumber = run.statements.indexOf(statement) + 1;

  const repair = ({ from, to, replacement }: QuerySuggestion) => {
    editors.active?.replace(from, to, replacement);
    announce(`Replaced with ${replacement}. Run the query again.`);
  };
  const askAgent = () => {
    agent.open({
      kind: "fix",
      consoleId,
      query: statement.statement.text,
      message,
      suggestions: suggestions.map(({ text }) => text),
    });
  };
  const copyDetails = async () => {
    const where = place ? `Line ${place.line}, column ${place.column}` : "";
    const text = [
      title,
      where,
      message,
      `Connection: ${connection?.name ?? ""}`,
      `Run: ${statement.executionId}`,
      "",
      statement.statement.text,
    ];
    if (await copyText(text.filter((line, i) => line !== "" || i > 3).join("\n"))) setIsCopied(true);
  };

  return (
    <div className="result-fill error-panel">
      <CircleX className="error-mark" />
      <div className="grow">
        <h2>{title}</h2>
        <p className="t2">
          {run.statements.length > 1 && `Statement ${statementNumber} of ${run.statements.length}. `}
          {code === "read_only" ? "" : place ? `Line ${place.line}, column ${place.column}. ` : ""}
          {code === "query_failed" || code === "read_only" ? "" : message}
          {code === "read_only" && connection && isOnSame && <WayToWrite connection={connection} />}
          {suggestions[0] && (
            <>
              Did you mean <span className="mono">{suggestions[0].text}</span>?
            </>
          )}
        </p>
        {place && <Excerpt content={run.content} place={place} dialect={dialect} />}
        <div className="error-acts">
          {isUntouched &&
            suggestions.slice(0, FIXES_MAX).map((suggestion, index) => (
              <button
                key={suggestion.replacement}
                type="button"
                className={index === 0 ? "btn primary" : "btn"}
                onClick={() => repair(suggestion)}
              >
                {index === 0 && <Check className="s" />}
                Use {suggestion.text}
              </button>
            ))}
          {code === "read_only" &&
            isOnSame &&
            writers.slice(0, WRITERS_MAX).map(({ id, name, tag }) => (
              <button key={id} type="button" className="btn" onClick={() => setConnection(consoleId, id)}>
                <Database className="s" />
                Switch to {name}
                {tag && <ColourTag tag={tag} />}
              </button>
            ))}
          {place && isUntouched && (
            <button type="button" className="btn" onClick={() => editors.active?.goTo(place.from)}>
              Go to line {place.line}
            </button>
          )}
          {(!place || !isUntouched || !isOnSame) && (
            <button type="button" className="btn" onClick={onRun}>
              <Play className="s" />
              Run again
            </button>
          )}
          {code === "query_failed" && (
            <button type="button" className="btn" onClick={askAgent}>
              <MessageSquare className="s" />
              Fix with agent
            </button>
          )}
          <span className="grow" />
          <button type="button" className="btn ghost" onClick={copyDetails}>
            {isCopied ? <Check className="s" /> : <Copy className="s" />}
            {isCopied ? "Details copied" : "Copy details"}
          </button>
        </div>
        <dl className="kv">
          {code === "query_failed" && (
            <>
              <dt>Database error</dt>
              <dd className="mono raw">{message}</dd>
            </>
          )}
          {connection && (
            <>
              <dt>Connection</dt>
              <dd>
                {connection.name}, {engineName(connection.type)}
                {connection.readOnly && code !== "read_only" ? ", read-only" : ""}
              </dd>
            </>
          )}
          <dt>Run ID</dt>
          <dd className="mono">{statement.executionId}</dd>
        </dl>
      </div>
    </div>
  );
}

/** Explains how to run a change; the buttons below list the connections that allow it. */
function WayToWrite({ connection }: { connection: Connection }) {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  if (!isAdmin) return "Use a writable connection, or ask an admin to allow writes.";
  return (
    <>
      Use a writable connection, or allow writes in{" "}
      <Link className="link" href={`/w/${workspace.slug}/connections/${connection.id}`}>
        {connection.name} settings
      </Link>
      .
    </>
  );
}

/** The failed line with the one above it, and the marked range. */
function Excerpt({ content, place, dialect }: { content: string; place: ErrorPlace; dialect: SqlDialect }) {
  const lines = content.split("\n");
  const shown = [place.line - 1, place.line].filter((number) => number > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    <div className="card code excerpt" role="img" aria-label={`Query line ${place.line}`} tabIndex={0}>
      {shown.map((number) => (
        <div key={number} className="ln">
          <i>{number}</i>
          <span>
            <SqlCode text={lines[number - 1] ?? ""} dialect={dialect} />
          </span>
        </div>
      ))}
      <div className="ln carets">
        <i />
        <span>{`${" ".repeat(place.column - 1)}${"^".repeat(Math.max(1, Math.min(place.to, endOfLine(content, place.from)) - place.from))}`}</span>
      </div>
    </div>
  );
}

/** Returns the end of the line: an error that spans several lines is marked only on its first. */
function endOfLine(content: string, from: number): number {
  const at = content.indexOf("\n", from);
  return at < 0 ? content.length : at;
}
