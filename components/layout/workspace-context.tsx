"use client";

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { AgentStore } from "@/components/agent/agent-store";
import { ConsoleService } from "@/components/consoles/console-service";
import { EditorMemory } from "@/components/consoles/editor-memory";
import { RunMemory } from "@/components/consoles/run-memory";
import { type ConsoleRun, RunStore } from "@/components/consoles/run-store";
import { TransactionStore } from "@/components/consoles/transaction-store";
import { WorkbenchStore } from "@/components/consoles/workbench-store";
import { DraftStore, type PutDraft } from "@/components/layout/draft-store";
import { goToLogin } from "@/components/layout/sign-out";
import { CommandStore } from "@/components/palette/command-store";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import { SAMPLE_QUERY } from "@/lib/features/consoles/browser/sample-console";
import { completeStep, SAMPLE_CONSOLE_ID, type Workbench } from "@/lib/features/consoles/browser/workbench";
import { toOutcomeWords } from "@/lib/features/results/browser/result-words";
import type { User } from "@/lib/features/users/schema";
import type { WorkspaceSummary } from "@/lib/features/workspaces/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { LiveUpdates } from "@/lib/platform/browser/live";
import { ApiError } from "@/lib/platform/browser/request";

/** Schemas and lists of connections seldom change; returning to a view within this time loads nothing. */
const FRESH_MS = 60_000;

type Workspace = {
  user: User;
  workspaces: WorkspaceSummary[];
  workspace: WorkspaceSummary;
  workbench: WorkbenchStore;
  runs: RunStore;
  /** Sessions of consoles with manual transactions. */
  transactions: TransactionStore;
  editors: EditorMemory;
  /** Unsaved changes of saved consoles. */
  drafts: DraftStore;
  consoles: ConsoleService;
  /** Commands of the shown view, for the palette. */
  commands: CommandStore;
  /** State of the agent's panel, also used to ask it a question. */
  agent: AgentStore;
  /** Changes by others and by background work. */
  live: LiveUpdates;
};

const WorkspaceContext = createContext<Workspace | null>(null);

type ProviderProps = { user: User; workspaces: WorkspaceSummary[]; workspace: WorkspaceSummary; children: ReactNode };

/**
 * Shared state of a workspace's views: the user, the workbench, running queries, and the cache of the server's answers.
 */
export function WorkspaceProvider({ user, workspaces, workspace, children }: ProviderProps) {
  const [queryClient] = useState(makeQueryClient);
  const [shared] = useState(() => {
    const onFull = () => showFailure("Browser storage is full. Save your consoles; unsaved edits are lost on reload.");
    const workbench = new WorkbenchStore(user.id, workspace.id, onFull);
    const server = {
      put: (id: string, { content, version, updatedAt }: PutDraft) =>
        consoleApi.putDraft(workspace.id, id, { content, version, updatedAt }),
      remove: (id: string, updatedAt: string) => consoleApi.removeDraft(workspace.id, id, updatedAt),
    };
    const drafts = new DraftStore(user.id, workspace.id, server, onFull);
    const memory = new RunMemory(user.id, workspace.id, () => sessionStorage);
    const transactions = new TransactionStore(user.id, workspace.id, () => sessionStorage);
    const onEnd = (consoleId: string, run: ConsoleRun) => onRunEnd(workbench, consoleId, run);
    const runs = new RunStore(workspace.id, onEnd, memory, transactions);
    const editors = new EditorMemory();
    const consoles = new ConsoleService({
      userId: user.id,
      workspaceId: workspace.id,
      queryClient,
      workbench,
      drafts,
      editors,
      runs,
    });
    return {
      workbench,
      drafts,
      runs,
      transactions,
      editors,
      consoles,
      commands: new CommandStore(),
      agent: new AgentStore(user.id, workspace.id),
      live: new LiveUpdates(workspace.id),
    };
  });
  useEffect(() => shared.workbench.wake(), [shared.workbench]);
  useEffect(() => shared.runs.wake(), [shared.runs]);
  useEffect(() => shared.transactions.wake(), [shared.transactions]);
  useEffect(() => shared.drafts.wake(), [shared.drafts]);
  useEffect(() => shared.consoles.wake(), [shared.consoles]);
  return (
    <QueryClientProvider client={queryClient}>
      <WorkspaceContext value={{ user, workspaces, workspace, ...shared }}>{children}</WorkspaceContext>
    </QueryClientProvider>
  );
}

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error("useWorkspace must be used inside a WorkspaceProvider.");
  return workspace;
}

/** Returns the workbench's state; null until the page is hydrated and the first visit is handled. */
export function useWorkbench(): Workbench | null {
  const { workbench } = useWorkspace();
  return useSyncExternalStore(workbench.subscribe, workbench.read, () => null);
}

export function useConsoleRuns(consoleId: string) {
  const { runs } = useWorkspace();
  const read = useCallback(() => runs.read(consoleId), [runs, consoleId]);
  return useSyncExternalStore(runs.subscribe, read, read);
}

export function useRunningCount(): number {
  const { runs } = useWorkspace();
  return useSyncExternalStore(runs.subscribe, runs.countRunning, () => 0);
}

function makeQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    // A wrong password of a signed-in user is a 401 too.
    if (error instanceof ApiError && error.code === "unauthenticated") goToLogin();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // Asking again does not change the server's decision; only a missing response is worth a retry.
        retry: (count, error) =>
          count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 503),
      },
      // Offline it fails at once. By default it would wait in an open dialog, and delete when the network is back.
      mutations: { networkMode: "always" },
    },
  });
}

function onRunEnd(workbench: WorkbenchStore, consoleId: string, run: ConsoleRun): void {
  if (run.status === "success") {
    announce(`Query finished, ${toFigures(run)}`);
    workbench.change((each) => {
      const isOwn = run.content !== SAMPLE_QUERY;
      const ticked = consoleId === (each.sampleId ?? SAMPLE_CONSOLE_ID) ? completeStep(each, "sample") : each;
      return isOwn ? completeStep(ticked, "own") : ticked;
    });
    return;
  }
  if (run.status === "cancelled") {
    announce("Query cancelled");
    return;
  }
  const failed = run.statements.find(({ outcome }) => outcome.status === "failed")?.outcome;
  if (failed?.status !== "failed") return;
  if (failed.failure.code === "unauthenticated") goToLogin();
  announce(`Query failed. ${failed.failure.message.split("\n")[0]}`, true);
}

function toFigures(run: ConsoleRun): string {
  const answers = run.statements.flatMap(({ outcome }) => (outcome.status === "done" ? [outcome.answer] : []));
  const rows = answers.reduce((sum, answer) => sum + answer.rowCount, 0);
  const ms = answers.reduce((sum, answer) => sum + answer.durationMs, 0);
  const [only, ...others] = run.statements;
  const [answer] = answers;
  const words =
    only && answer && others.length === 0 ? toOutcomeWords(answer, only.statement.text) : formatCountOf(rows, "row");
  return `${words}, ${Math.round(ms)} milliseconds`;
}
