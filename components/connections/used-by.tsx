"use client";

import { useQuery } from "@tanstack/react-query";
import { AppWindow, FileClock, FileCode2, LayoutDashboard, Workflow } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { NO_USES, toUseWords, useConnectionUses } from "@/components/connections/use-connection-uses";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMessage } from "@/components/ui/to-message";
import { connectionsApi, type Usage } from "@/lib/features/connections/browser/client";

type Item = { key: string; name: string; path: string | null; icon: ReactNode; word: string };

/** Consoles that query the connection, and flows that read it or write to it. */
export function UsedBy({ connectionId }: { connectionId: string }) {
  const { workspace } = useWorkspace();
  const held = useQuery({
    // Below the connection's key, so that invalidating the connection invalidates this too.
    queryKey: ["connections", workspace.id, connectionId, "uses"],
    queryFn: ({ signal }) => connectionsApi.listUses(workspace.id, connectionId, signal),
  });
  const seen = useConnectionUses();
  const { consoles } = seen?.get(connectionId) ?? NO_USES;
  const holders = held.data ?? [];
  const holderIds = new Set(holders.map(({ id }) => id));
  const asking = consoles.filter(({ id }) => !holderIds.has(id));
  const flowCount = holders.filter(({ kind }) => kind === "flow").length;
  const items: Item[] = [
    ...holders.map(toHolder),
    ...asking.map(({ id, name }) => ({
      key: id,
      name,
      path: `consoles/${id}`,
      icon: <FileCode2 className="s" />,
      word: "console",
    })),
  ];
  return (
    <section className="used" aria-labelledby="used-by">
      <div className="used-head">
        <h2 id="used-by">Used by</h2>
        <span className="xs t3 num">{toUseWords(items.length - flowCount, flowCount)}</span>
      </div>
      {(held.isPending || seen === null) && !held.isError && <p className="xs t3">Loading</p>}
      {held.isError && (
        <p className="xs t2">
          {toMessage(held.error)}{" "}
          <button type="button" className="link" onClick={() => held.refetch()}>
            Retry
          </button>
        </p>
      )}
      {held.isSuccess && seen !== null && items.length === 0 && <p className="xs t2">Not used yet</p>}
      {items.length > 0 && (
        <ul>
          {items.map(({ key, name, path, icon, word }) => (
            <li key={key}>
              {icon}
              {path === null ? (
                <span className="trunc">{name}</span>
              ) : (
                <Link className="trunc" href={`/w/${workspace.slug}/${path}`}>
                  {name}
                </Link>
              )}
              <span className="t3">{word}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/**
 * Describes an object that would stop working without the connection. A private console counts, but others cannot open
 * it.
 */
function toHolder({ kind, id, name }: Usage): Item {
  const key = `${kind}:${id}`;
  if (kind === "flow") return { key, name, path: `flows/${id}`, icon: <Workflow className="s" />, word: "flow" };
  const isHidden = name.startsWith("A private ");
  if (kind === "dashboard") {
    const icon = <LayoutDashboard className="s" />;
    return { key, name, path: isHidden ? null : `dashboards/${id}`, icon, word: "dashboard" };
  }
  if (kind === "app") {
    return { key, name, path: isHidden ? null : `apps/${id}`, icon: <AppWindow className="s" />, word: "app" };
  }
  const path = isHidden ? null : `consoles/${id}`;
  return { key, name, path, icon: <FileClock className="s" />, word: "scheduled console" };
}
