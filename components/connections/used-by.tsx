"use client";

import { useQuery } from "@tanstack/react-query";
import { AppWindow, FileClock, FileCode2, LayoutDashboard, Workflow } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { toUseWords } from "@/components/connections/use-connection-uses";
import { useConsolesOn } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";
import { LoadMore } from "@/components/ui/load-more";
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
  const seen = useConsolesOn(connectionId);
  const consoles = seen.data?.pages.flatMap(({ data }) => data) ?? [];
  const failed = [held, seen].find((each) => each.isError && each.data === undefined);
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
        <span className="xs t3 num">
          {toUseWords({ consoles: items.length - flowCount, flows: flowCount }, seen.hasNextPage)}
        </span>
      </div>
      {(held.isPending || seen.isPending) && !failed && <p className="xs t3">Loading</p>}
      {failed && (
        <p className="xs t2">
          {toMessage(failed.error)}{" "}
          <button type="button" className="link" onClick={() => failed.refetch()}>
            Retry
          </button>
        </p>
      )}
      {held.isSuccess && seen.isSuccess && items.length === 0 && <p className="xs t2">Not used yet</p>}
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
      <LoadMore pages={seen} className="link xs" />
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
