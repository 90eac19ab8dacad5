import type { Dataset } from "@/lib/features/results/datasets/service";
import type { BindingDoc } from "../model";
import type { Build } from "./schema";
import { BROKE_OFF } from "./words";

export type { Build } from "./schema";

/** Returns the state of a binding's rows. Existing rows are included in any state: they are what is served. */
export function toBuild(
  dataset: Dataset | undefined,
  doc: Pick<BindingDoc, "queuedAt" | "failure"> | null,
  sha: string | null,
): Build {
  const { kept = null, isRefreshing = false } = dataset ?? {};
  const error = errorOf(dataset, doc);
  return {
    state: isRefreshing ? "building" : doc?.queuedAt ? "queued" : error ? "error" : kept ? "ready" : "missing",
    builtAt: kept?.at.toISOString() ?? null,
    rowCount: kept?.rowCount ?? null,
    bytes: kept?.bytes ?? null,
    truncated: kept?.truncated ?? false,
    sha,
    error: isRefreshing ? null : error,
  };
}

/** Returns the build with an error: its file cannot be read, or its connection is gone. */
export function withError(build: Build, error: string): Build {
  return { ...build, state: "error", error };
}

/** Returns the most recent error; null if rows were read after it. */
function errorOf(dataset: Dataset | undefined, doc: Pick<BindingDoc, "failure"> | null): string | null {
  const failures = [
    dataset?.failure,
    dataset?.brokeOffAt && { message: BROKE_OFF, at: dataset.brokeOffAt },
    doc?.failure && { ...doc.failure },
  ].filter((failure) => !!failure);
  const last = failures.sort((a, b) => a.at.getTime() - b.at.getTime()).at(-1);
  return last && (!dataset?.kept || last.at >= dataset.kept.at) ? last.message : null;
}
