import { createStore } from "zustand/vanilla";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { type ExecuteTarget, toRereadRequest } from "@/lib/features/query/browser/execute";
import { ObjectTable } from "@/lib/features/results/browser/row-table";
import { LoadedRows } from "@/lib/features/results/browser/rows-source";
import { WorkerClient } from "@/lib/features/results/browser/worker-client";
import type { LoadEnd, LoadProgress } from "@/lib/features/results/browser/worker-messages";
import { newId } from "@/lib/platform/browser/new-id";

/** State of loading all rows of a result. Times are epoch milliseconds. */
export type LoadState =
  | { status: "loading"; progress: LoadProgress; startedAt: number }
  | { status: "loaded"; source: LoadedRows; end: LoadEnd }
  | { status: "failed"; message: string };

export type LoadRequest = {
  target: ExecuteTarget;
  query: string;
  /** Index of the result, for a statement with several, from 0. */
  result: number;
  /** Columns, and the rows loaded already, which determine column widths. */
  fields: ResultField[];
  rows: ResultRow[];
};

/** Returns the id of one result of an execution, by its number from 0. */
export function toResultId(executionId: string, number: number): string {
  return number === 0 ? executionId : `${executionId}.${number}`;
}

/** Each may be as large as the browser allows; more would crash the tab. */
const LOADED_MAX = 2;

type Entry = { state: LoadState; worker: WorkerClient };

/**
 * Fully loaded results, by the execution whose first rows were shown. They outlive the views: loading continues while
 * another tab is open, and coming back does not load again.
 */
class LoadedResults {
  #entries = new Map<string, Entry>();
  readonly #changes = createStore(() => 0);

  readonly subscribe = this.#changes.subscribe;

  read(executionId: string): LoadState | null {
    return this.#entries.get(executionId)?.state ?? null;
  }

  start(executionId: string, { target, query, result, fields, rows }: LoadRequest): void {
    this.drop(executionId);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < LOADED_MAX) break;
      this.drop(oldest);
    }
    const worker = new WorkerClient();
    const entry: Entry = {
      worker,
      state: { status: "loading", progress: { rows: 0, bytes: 0 }, startedAt: Date.now() },
    };
    this.#entries.set(executionId, entry);
    this.#notify();
    const update = (state: LoadState) => {
      if (this.#entries.get(executionId) !== entry) return;
      entry.state = state;
      this.#notify();
    };
    // An absolute URL, since a worker may have no base URL.
    const request = toRereadRequest(target, query, {
      executionId: newId(),
      ...(result > 0 && { result }),
    });
    const absolute = { ...request, url: new URL(request.url, location.origin).href };
    const onProgress = (progress: LoadProgress) => {
      if (entry.state.status === "loading") update({ ...entry.state, progress });
    };
    worker.ask("load", { request: absolute, fields }, onProgress).then(
      (end) => {
        const source = new LoadedRows(fields, end.rows, new ObjectTable(fields, rows), worker);
        update({ status: "loaded", source, end });
      },
      (error: unknown) => {
        worker.close();
        update({ status: "failed", message: error instanceof Error ? error.message : "Couldn't load the rows." });
      },
    );
  }

  /** Aborts loading and releases the rows. The database stops its query when the reader leaves. */
  drop(executionId: string): void {
    const entry = this.#entries.get(executionId);
    if (entry === undefined) return;
    this.#entries.delete(executionId);
    entry.worker.close();
    this.#notify();
  }

  #notify(): void {
    this.#changes.setState((count) => count + 1);
  }
}

export const loadedResults = new LoadedResults();
