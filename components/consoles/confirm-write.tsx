"use client";

import { useRef, useState, useSyncExternalStore } from "react";
import { useDialect, useFindType } from "@/components/connections/use-connection-types";
import type { WriteQuestion } from "@/components/consoles/run-store";
import { SqlCode } from "@/components/editor/sql-code";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { ColourTag } from "@/components/ui/colour-tag";
import { TypedName } from "@/components/ui/confirm";
import { Modal } from "@/components/ui/modal";
import type { ConfirmationDetails } from "@/lib/features/query/schema";
import { formatCount } from "@/lib/platform/browser/format";

/** Maximum length of the statement in the dialog. */
const SHOWN_CHARS_MAX = 2_000;

/** Asks before a write that needs a confirmation; the oldest of several first. */
export function ConfirmWrite() {
  const { runs } = useWorkspace();
  const [question] = useSyncExternalStore(
    runs.questions.subscribe,
    runs.questions.getState,
    runs.questions.getInitialState,
  );
  return question ? <Question question={question} /> : null;
}

function Question({ question: { connectionId, statement, details, isManual, ...asked } }: { question: WriteQuestion }) {
  const cancel = useRef<HTMLButtonElement>(null);
  const connection = useFindConnection()(connectionId) ?? null;
  const dialect = useDialect(connection?.type);
  const findType = useFindType();
  const [typed, setTyped] = useState("");
  const answer = (isConfirmed: boolean) => {
    // The next question may be the same.
    setTyped("");
    asked.answer(isConfirmed);
  };
  const { title, action } = wordsOf(details);
  const { estimatedRows, reason, table } = details;
  const isDdl = reason === "drop" || reason === "truncate";
  const canRollBack = isManual && !(isDdl && findType(connection?.type)?.ddlCommits);
  const typedName = isDdl && !canRollBack && table ? table.name : undefined;
  const isNamed = typedName === undefined || typed.trim() === typedName;
  const shown = statement.slice(0, SHOWN_CHARS_MAX);
  return (
    <Modal
      title={title}
      isOpen
      initialFocus={cancel}
      onClose={() => answer(false)}
      foot={
        <>
          <button ref={cancel} type="button" className="btn ghost" onClick={() => answer(false)}>
            Cancel
          </button>
          <button type="button" className="btn danger-solid" disabled={!isNamed} onClick={() => answer(true)}>
            {action}
          </button>
        </>
      }
    >
      <div className="confirm-write">
        <dl className="kv">
          <dt>Connection</dt>
          <dd className="row">
            {connection?.name ?? details.connection}
            {connection?.tag && <ColourTag tag={connection.tag} />}
          </dd>
          {(estimatedRows !== null || reason !== "write") && (
            <>
              <dt>Estimated rows</dt>
              <dd>{estimatedRows === null ? "Unknown" : `About ${formatCount(estimatedRows)}`}</dd>
            </>
          )}
        </dl>
        <pre className="card code">
          <SqlCode text={shown} dialect={dialect} />
          {shown.length < statement.length && "..."}
        </pre>
        <p className="t2">
          {canRollBack
            ? "It runs in your open transaction. You can roll it back until you commit."
            : isManual
              ? "It commits your open transaction and can't be rolled back."
              : "The statement commits immediately and can't be rolled back."}
        </p>
        {typedName !== undefined && (
          <TypedName name={typedName} typed={typed} onChange={setTyped} onEnter={() => isNamed && answer(true)} />
        )}
      </div>
    </Modal>
  );
}

function wordsOf({ reason, table }: ConfirmationDetails): { title: string; action: string } {
  const name = table ? (table.schema === undefined ? table.name : `${table.schema}.${table.name}`) : null;
  switch (reason) {
    case "update_without_where":
      return { title: `Update all rows of ${name ?? "the table"}?`, action: "Update all rows" };
    case "delete_without_where":
      return { title: `Delete all rows of ${name ?? "the table"}?`, action: "Delete all rows" };
    case "truncate":
      return { title: `Truncate ${name ?? "the table"}?`, action: "Truncate table" };
    case "drop":
      return { title: name === null ? "Run this DROP?" : `Drop ${name}?`, action: "Run DROP" };
    case "write":
      return { title: name === null ? "Run this write?" : `Write to ${name}?`, action: "Run write" };
  }
}
