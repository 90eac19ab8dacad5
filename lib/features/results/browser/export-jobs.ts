import { createStore } from "zustand/vanilla";
import type { ExportFile } from "@/lib/features/results/browser/export-file";
import { type ExportProgress, type ExportRequest, exportRows } from "@/lib/features/results/browser/export-rows";
import { newId } from "@/lib/platform/browser/new-id";

export type ExportWork =
  | { status: "running"; progress: ExportProgress }
  | { status: "done"; progress: ExportProgress }
  | { status: "failed"; message: string }
  | { status: "cancelled" };
/** An export of this page. `isWatched` while its dialog is open, which then reports the end. */
export type ExportJob = { id: string; name: string; work: ExportWork; isWatched: boolean };

type Runner = typeof exportRows;

/** Exports of this page. They outlive their dialogs: an export continues while the user works elsewhere. */
export class ExportJobs {
  #stops = new Map<string, AbortController>();
  readonly #jobs = createStore<readonly ExportJob[]>(() => []);

  constructor(private readonly run: Runner = exportRows) {}

  readonly subscribe = this.#jobs.subscribe;
  /** Returns the jobs that run, and those whose end was not reported yet; oldest first. */
  readonly list = this.#jobs.getState;

  find(id: string | null): ExportJob | null {
    return this.list().find((job) => job.id === id) ?? null;
  }

  /** Starts an export into a file. @returns its id */
  start(name: string, request: ExportRequest, file: ExportFile): string {
    const id = newId();
    const stop = new AbortController();
    this.#stops.set(id, stop);
    const work: ExportWork = { status: "running", progress: { rows: null, bytes: 0 } };
    this.#jobs.setState((jobs) => [...jobs, { id, name, work, isWatched: true }], true);
    if (this.#stops.size === 1) addEventListener("beforeunload", warn);
    const onProgress = (progress: ExportProgress) => this.#change(id, { work: { status: "running", progress } });
    this.run(request, file, stop.signal, onProgress).then(
      (progress) => this.#end(id, { status: "done", progress }),
      async (error: unknown) => {
        await file.abort().catch(() => {});
        const message = error instanceof Error ? error.message : "Couldn't write the file.";
        this.#end(id, stop.signal.aborted ? { status: "cancelled" } : { status: "failed", message });
      },
    );
    return id;
  }

  cancel(id: string): void {
    this.#stops.get(id)?.abort();
  }

  /** Lets a running export continue without its dialog. The end of any other was shown. */
  leave(id: string): void {
    if (this.#stops.has(id)) this.#change(id, { isWatched: false });
    else this.remove(id);
  }

  remove(id: string): void {
    this.#jobs.setState((jobs) => jobs.filter((job) => job.id !== id), true);
  }

  #end(id: string, work: ExportWork): void {
    this.#stops.delete(id);
    if (this.#stops.size === 0) removeEventListener("beforeunload", warn);
    this.#change(id, { work });
  }

  #change(id: string, change: Partial<ExportJob>): void {
    this.#jobs.setState((jobs) => jobs.map((job) => (job.id === id ? { ...job, ...change } : job)), true);
  }
}

/** A closed page loses its exports. */
function warn(event: Event): void {
  event.preventDefault();
}

export const exportJobs = new ExportJobs();
