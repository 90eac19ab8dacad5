"use client";

import { Check, ChevronRight } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { ConnectionEditor } from "@/components/connections/connection-editor";
import { ReaderAside } from "@/components/connections/reader-aside";
import { TypeIcon } from "@/components/connections/type-icon";
import { useConnectionTypes } from "@/components/connections/use-connection-types";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import type { TestOutcome } from "@/lib/features/connections/browser/client";
import type { ConnectionType } from "@/lib/features/connections/schema";
import "./connections.css";

const GROUPS: { category: ConnectionType["category"]; name: string }[] = [
  { category: "database", name: "Databases" },
  { category: "source", name: "Sources" },
];

/** Adds a connection: the kind on the left, the form of that kind next to it. The address holds the kind. */
export function NewConnection() {
  const { workspace } = useWorkspace();
  const types = useConnectionTypes();
  const asked = useSearchParams().get("type");
  const root = `/w/${workspace.slug}/connections`;
  const all = types.data ?? [];
  const type = all.find((each) => each.type === asked) ?? all[0];
  return (
    <Page title="Add connection" trail={<Trail root={root} name="New" />} isWide>
      {types.isPending && <ListSkeleton label="Loading connection types" rowPx={42} />}
      {types.isError && !types.data && <LoadFailure error={types.error} onRetry={() => types.refetch()} />}
      {types.isSuccess && !type && (
        <Notice kind="info">No connection types are available. Contact your administrator.</Notice>
      )}
      {type && (
        <div className="conn-new">
          <nav aria-label="Connection types">
            {GROUPS.map(({ category, name }) => {
              const group = all.filter((each) => each.category === category);
              if (group.length === 0) return null;
              return (
                <section key={category} className="kinds" aria-label={name}>
                  <h2 className="flabel">{name}</h2>
                  <ul>
                    {group.map((each) => (
                      <li key={each.type}>
                        <Link
                          replace
                          scroll={false}
                          href={`${root}/new?type=${each.type}`}
                          className={each === type ? "kind on" : "kind"}
                          aria-current={each === type ? "true" : undefined}
                        >
                          <TypeIcon type={each.type} />
                          <span className="grow trunc">{each.name}</span>
                          {each === type && <Check className="s" />}
                        </Link>
                      </li>
                    ))}
                  </ul>
                </section>
              );
            })}
          </nav>
          <NewEditor key={type.type} type={type} />
          <ReaderAside type={type} />
        </div>
      )}
    </Page>
  );
}

function NewEditor({ type }: { type: ConnectionType }) {
  const [outcome, setOutcome] = useState<TestOutcome | null>(null);
  return <ConnectionEditor type={type} connection={null} mayChange outcome={outcome} onOutcome={setOutcome} />;
}

/** Breadcrumbs of a connection's page. */
export function Trail({ root, name }: { root: string; name: string }) {
  return (
    <>
      <Link href={root}>Connections</Link>
      <ChevronRight className="xs" />
      <span className="trunc">{name}</span>
    </>
  );
}
