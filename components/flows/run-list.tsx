"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useFlowRuns } from "@/components/flows/use-flows";
import { ExplorerBars } from "@/components/layout/explorer-section";
import { useWorkspace } from "@/components/layout/workspace-context";
import { StatusIcon, toStatusWord } from "@/components/runs/status-word";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { useNow } from "@/components/ui/use-browser";
import { toRunState } from "@/lib/features/flows/browser/flow-words";
import { formatCountOf } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import "./flows.css";

const AGE_EVERY_MS = 30_000;

/** List of a flow's runs, newest first. */
export function RunList({ flowId }: { flowId: string }) {
  const { workspace } = useWorkspace();
  const path = usePathname();
  const runs = useFlowRuns(flowId);
  const now = useNow(true, AGE_EVERY_MS);
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const root = `/w/${workspace.slug}/flows/${flowId}`;
  return (
    <section className="flow-runs" aria-label="Runs">
      <h2 className="nav-head">Runs</h2>
      {runs.isPending && <ExplorerBars label="Loading runs" widths={[70, 62, 74]} />}
      {runs.isError && items.length === 0 && <LoadFailure error={runs.error} onRetry={() => runs.refetch()} />}
      {runs.isSuccess && items.length === 0 && <p className="sec-note xs t3">No runs yet.</p>}
      {items.length > 0 && (
        <ul className="navlist">
          {items.map((run, index) => {
            const at = new Date(run.startedAt ?? run.createdAt);
            const href = `${root}/runs/${run.id}`;
            const isOn = path === href || (index === 0 && path === root);
            const state = toRunState(run);
            return (
              <li key={run.id}>
                <Link href={href} className={isOn ? "on" : undefined} aria-current={isOn ? "page" : undefined}>
                  <StatusIcon status={state} />
                  <time className="trunc grow" dateTime={at.toISOString()} title={now ? formatStamp(at) : undefined}>
                    {now === null ? "" : formatAgo(at, new Date(now))}
                  </time>
                  <span className="meta num">
                    {state === "success" ? formatCountOf(run.rowCount ?? 0, "row") : toStatusWord(state)}
                  </span>
                </Link>
              </li>
            );
          })}
        </ul>
      )}
      <LoadMore pages={runs} label="Older runs" busyLabel="Loading older runs" className="btn sm flow-runs-more" />
    </section>
  );
}
