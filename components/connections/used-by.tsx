"use client";

import { useQuery } from "@tanstack/react-query";
import { FileClock, Workflow } from "lucide-react";
import Link from "next/link";
import { toMessage } from "@/components/ui/load-failure";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { connectionsApi, type Usage } from "@/lib/client/connections";
import { formatCount } from "@/lib/ui/format";

const KINDS: Record<string, { one: string; many: string; path: string; icon: React.ReactNode }> = {
  scheduled_console: { one: "console", many: "consoles", path: "consoles", icon: <FileClock className="s" /> },
  flow: { one: "flow", many: "flows", path: "flows", icon: <Workflow className="s" /> },
};

/** What would stop working without the connection. */
export function UsedBy({ connectionId }: { connectionId: string }) {
  const { workspace } = useWorkspace();
  const uses = useQuery({
    // Below the connection's key, so that whatever renews it renews this too.
    queryKey: ["connections", workspace.id, connectionId, "uses"],
    queryFn: ({ signal }) => connectionsApi.listUses(workspace.id, connectionId, signal),
  });
  const all = uses.data ?? [];
  return (
    <section className="used" aria-labelledby="used-by">
      <div className="used-head">
        <h2 id="used-by">Used by</h2>
        <span className="xs t3 num">{toCounts(all)}</span>
      </div>
      {uses.isPending && <p className="xs t3">Looking</p>}
      {uses.isError && (
        <p className="xs t2">
          {toMessage(uses.error)}{" "}
          <button type="button" className="link" onClick={() => uses.refetch()}>
            Retry
          </button>
        </p>
      )}
      {uses.isSuccess && all.length === 0 && (
        <p className="xs t2">No flow and no scheduled console. Open consoles may still run on it.</p>
      )}
      {all.length > 0 && (
        <ul>
          {all.map((use) => (
            <li key={`${use.kind}:${use.id}`}>
              {KINDS[use.kind]?.icon}
              <Target use={use} root={`/w/${workspace.slug}`} />
              <span className="t3">{use.kind === "scheduled_console" ? "scheduled" : "flow"}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Somebody's own console counts, and is nobody else's to open. */
function Target({ use, root }: { use: Usage; root: string }) {
  const path = KINDS[use.kind]?.path;
  const isHidden = use.kind === "scheduled_console" && use.name === "A private console";
  if (path === undefined || isHidden) return <span className="trunc">{use.name}</span>;
  return (
    <Link className="trunc" href={`${root}/${path}/${use.id}`}>
      {use.name}
    </Link>
  );
}

function toCounts(uses: Usage[]): string {
  return Object.entries(KINDS)
    .map(([kind, { one, many }]) => {
      const count = uses.filter((use) => use.kind === kind).length;
      return count === 0 ? "" : `${formatCount(count)} ${count === 1 ? one : many}`;
    })
    .filter((words) => words !== "")
    .join(", ");
}
