"use client";

import { Play } from "lucide-react";
import Link from "next/link";
import { useFlowActions } from "@/components/flows/use-flow-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { CopyButton } from "@/components/ui/copy-button";
import { Notice } from "@/components/ui/notice";
import { useConnectivity } from "@/components/ui/use-browser";
import { isGoing } from "@/lib/features/flows/browser/flow-words";
import type { FlowDetail, FlowRun } from "@/lib/features/flows/schema";

/** Effect of a failed run, and of the next one (docs/develop/flows.md, How rows move). */
const WHAT_STAYS = {
  replaced: "The table was not replaced; its previous rows are intact. ",
  kept: "Rows already written stay and are not duplicated. ",
  doubled: "Rows already written stay. This flow appends, so tables that finished will be duplicated. ",
};

/** Notice with the error of a failed run, in the words of its origin, and the next actions. */
export function RunFailure({ flow, run }: { flow: FlowDetail; run: FlowRun }) {
  const { workspace } = useWorkspace();
  const find = useFindConnection();
  const { isOnline } = useConnectivity();
  const { run: again } = useFlowActions(flow);
  const failed = run.entities.find(({ status }) => status === "failed")?.name;
  const ids = new Set([flow.source?.connectionId, flow.destination.connectionId]);
  const used = [...ids].flatMap((id) => find(id) ?? []);
  const isBusy = flow.lastRun !== null && isGoing(flow.lastRun);
  return (
    <Notice kind="bad" role="status">
      <p>
        <b className="b6">{failed === undefined ? "The run failed." : `The run failed on ${failed}.`}</b>{" "}
        {run.error ?? "See the log for details."}
      </p>
      <p className="xs t2 run-next">
        Fix the cause, then retry. {flow.type === "sync" && WHAT_STAYS[toStaying(flow)]}
        {flow.type === "webhook" && "Queued events are retried automatically. "}
      </p>
      <div className="row run-ways">
        {flow.type !== "webhook" && (
          <button
            type="button"
            className="btn sm"
            disabled={!isOnline || isBusy || again.isPending}
            onClick={() => again.mutate()}
          >
            <Play className="s" />
            Run again
          </button>
        )}
        {used.map(({ id, name }) => (
          <Link key={id} className="btn sm" href={`/w/${workspace.slug}/connections/${id}`}>
            <span className="trunc">Open {name}</span>
          </Link>
        ))}
        <Link className="btn sm" href={`/w/${workspace.slug}/flows/${flow.id}/edit`}>
          Edit flow
        </Link>
        {run.error !== null && <CopyButton text={run.error} label="Copy error" className="btn ghost sm" />}
      </div>
    </Notice>
  );
}

function toStaying({ mode, destination: { write } }: FlowDetail): keyof typeof WHAT_STAYS {
  if (write === "replace") return "replaced";
  return write === "append" && mode === "full" ? "doubled" : "kept";
}
