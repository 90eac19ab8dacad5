"use client";

import { Check, ChevronDown, Timer, Undo2 } from "lucide-react";
import { useCallback, useSyncExternalStore } from "react";
import { useFindType } from "@/components/connections/use-connection-types";
import { isOpen, type ManualConsole } from "@/components/consoles/transaction-store";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { Modal } from "@/components/ui/modal";
import { Segments } from "@/components/ui/segments";
import { useNow } from "@/components/ui/use-browser";
import type { Connection, IsolationLevel } from "@/lib/features/connections/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

const MODES = [
  { value: "auto", label: "Auto" },
  { value: "manual", label: "Manual" },
] as const;

const LEVELS: Readonly<Record<IsolationLevel, string>> = {
  read_uncommitted: "Read uncommitted",
  read_committed: "Read committed",
  repeatable_read: "Repeatable read",
  snapshot: "Snapshot",
  serializable: "Serializable",
};

const DEFAULT_LEVEL = "Default isolation";

/** Returns the manual transactions of a console; null if each statement is committed automatically. */
export function useManual(consoleId: string): ManualConsole | null {
  const { transactions } = useWorkspace();
  const read = useCallback(() => transactions.read(consoleId), [transactions, consoleId]);
  return useSyncExternalStore(transactions.subscribe, read, () => null);
}

type Props = { consoleId: string; name: string; connection: Connection | null };

/** Switches a console between automatic and manual transactions; nothing where the database has no sessions. */
export function TransactionSwitch({ consoleId, name, connection }: Props) {
  const { transactions } = useWorkspace();
  const manual = useManual(consoleId);
  const type = useFindType()(connection?.type);
  if (connection === null || !type?.isolationLevels || connection.config.sample === true) return null;
  const facts = { connectionId: connection.id, dialect: type.dialect ?? "standard", isolation: null };
  return (
    <Segments
      label="Transactions"
      value={manual ? "manual" : "auto"}
      options={MODES}
      onChange={(mode) => {
        if (mode === "auto") void transactions.stop(consoleId, name);
        else if (manual === null) void transactions.start(consoleId, facts);
      }}
    />
  );
}

/** State of a console's manual transaction, with the buttons that end it. */
export function TransactionBar({ consoleId, connection }: Omit<Props, "name">) {
  const { transactions } = useWorkspace();
  const manual = useManual(consoleId);
  const now = useNow(isOpen(manual), 1000);
  const levels = useFindType()(connection?.type)?.isolationLevels ?? [];
  if (manual === null) return null;
  const { session, isolation, isBusy } = manual;
  const isFailed = session?.state === "failed";
  const open = session && isOpen(manual) ? session : null;
  const since = open ? Math.max(0, (now ?? Date.parse(open.since)) - Date.parse(open.since)) : 0;
  return (
    <div className={open ? "tx-bar open" : "tx-bar"} role="status">
      <Timer className="s" />
      <b className="b6">{titleOf(manual)}</b>
      {open && (
        <span className="num t2" aria-live="off">
          {toClock(since)}, {formatCountOf(open.statements, "statement")}
        </span>
      )}
      {isFailed && <span className="t2">Roll back to continue.</span>}
      {open || levels.length < 2 ? (
        isolation && <span className="t2 tx-level">{LEVELS[isolation]}</span>
      ) : (
        <Menu
          trigger={
            <button type="button" className="chip" disabled={isBusy}>
              <span className="sr-only">Isolation level </span>
              {isolation ? LEVELS[isolation] : DEFAULT_LEVEL}
              <ChevronDown className="xs t3" />
            </button>
          }
        >
          <MenuChoice
            label="Isolation level"
            value={isolation ?? ""}
            onChange={(level) => void transactions.isolate(consoleId, level === "" ? null : level)}
            options={[
              { value: "" as const, label: DEFAULT_LEVEL },
              ...levels.map((level) => ({ value: level, label: LEVELS[level] })),
            ]}
          />
        </Menu>
      )}
      <span className="grow" />
      {open && (
        <>
          <button
            type="button"
            className="btn sm"
            disabled={isBusy}
            onClick={() => void transactions.end(consoleId, "rollback")}
          >
            <Undo2 className="s" />
            Rollback
          </button>
          <button
            type="button"
            className="btn primary sm"
            disabled={isBusy || isFailed}
            onClick={() => void transactions.end(consoleId, "commit")}
          >
            <Check className="s" />
            Commit
          </button>
        </>
      )}
    </div>
  );
}

/** Returns a time of milliseconds as minutes and seconds, "2:14". */
function toClock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function titleOf({ session, ended, isBusy }: ManualConsole): string {
  if (session?.state === "failed") return "Transaction failed";
  if (session?.state === "in_transaction") return "Transaction open";
  if (ended === "lost") return "Session ended, changes rolled back";
  if (ended === "idle") return "Session ended";
  return session === null && isBusy ? "Opening session" : "No open transaction";
}

/** Asks before an open transaction is rolled back. */
export function RollbackDialog() {
  const { transactions } = useWorkspace();
  const { questions } = transactions;
  const [question] = useSyncExternalStore(questions.subscribe, questions.getState, questions.getInitialState);
  if (!question) return null;
  return (
    <Modal
      title="Roll back the open transaction?"
      isOpen
      onClose={() => question.answer(false)}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={() => question.answer(false)}>
            Cancel
          </button>
          <button type="button" className="btn danger-solid" onClick={() => question.answer(true)}>
            Roll back
          </button>
        </>
      }
    >
      <p>{question.name} has uncommitted changes. They will be lost.</p>
    </Modal>
  );
}
