"use client";

import {
  useConnectionTypes,
  useDialect,
  useFindType,
  useScriptLanguage,
} from "@/components/connections/use-connection-types";
import { pickStatements } from "@/components/editor/script";
import { useWorkspace } from "@/components/layout/workspace-context";
import { explainStore } from "@/components/results/explain-store";
import { usePlanKey } from "@/components/results/use-plan";
import { useConnections, useFindConnection } from "@/components/schema/use-schema";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import { readSqlTokens } from "@/lib/base/sql/lexer";
import { readSqlMarks } from "@/lib/base/sql/marks";
import type { Connection } from "@/lib/features/connections/schema";
import type { DraftConsole } from "@/lib/features/consoles/browser/workbench";
import type { Bound } from "@/lib/features/query/browser/execute";

type Explained = {
  draft: DraftConsole;
  connection: Connection | null;
  /** Saved console and the values of its variables; null for one that was never saved. */
  bound: Bound | null;
  isDisabled: boolean;
};

/** Such a statement requests a plan itself, and some of them execute the statement that they explain. */
const EXPLAINS_ITSELF = /^(?:explain|analy[sz]e|verbose|describe|desc)$/i;

type Explaining = {
  /** Requests the plan of the selected statement or the one at the cursor; null if the engine explains nothing. */
  explain: (() => void) | null;
  /** Whether the connections or their types are still loading. */
  isPending: boolean;
};

export function useExplain({ draft, connection, bound, isDisabled }: Explained): Explaining {
  const { workspace, editors } = useWorkspace();
  const findType = useFindType();
  const dialect = useDialect(connection?.type);
  const language = useScriptLanguage(connection?.type);
  const key = usePlanKey(draft.id);
  const areTypesPending = useConnectionTypes().isPending;
  const { isPending: areConnectionsPending } = useConnections();
  const isLookedUp = useFindConnection()(draft.connectionId) === undefined;
  const isPending = areTypesPending || (connection === null && (areConnectionsPending || isLookedUp));
  const explain = findType(connection?.type)?.explain;
  if (explain === undefined || connection === null) return { explain: null, isPending };

  const explainStatement = () => {
    if (isDisabled) return;
    const { content } = draft;
    const reading = editors.active?.read() ?? { content, position: content.length, selectionFrom: 0, selectionTo: 0 };
    const [statement, another] = pickStatements(reading, language);
    if (statement === undefined) {
      announce("No statement to explain. Write one first.", true);
      return;
    }
    if (another !== undefined) {
      showFailure("Select one statement to explain.");
      return;
    }
    if (EXPLAINS_ITSELF.test(readSqlTokens(statement.text, dialect)[0]?.text ?? "")) {
      showFailure("This is already an EXPLAIN statement. Run it instead.");
      return;
    }
    const missing = readSqlMarks(statement.text, dialect).find(
      ({ name, clause }) => !clause && !Object.hasOwn(bound?.variables ?? {}, name),
    );
    if (missing !== undefined) {
      showFailure(`Enter a value for ${missing.name}, then try again.`);
      document.getElementById(`variable-${missing.name}`)?.focus();
      return;
    }
    const measured =
      explain.measured?.find(({ version }) => version === undefined || connection.serverVersion?.includes(version)) ??
      null;
    void explainStore.start(key, {
      target: { workspaceId: workspace.id, connectionId: connection.id, bound },
      form: explain.form,
      words: { plan: explain.plan, measured: measured?.words ?? null, areBehind: explain.isBehind === true },
      statement: statement.text,
    });
  };
  return { explain: explainStatement, isPending };
}
