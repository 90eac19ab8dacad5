"use client";

import { CircleX, Database, SquareTerminal, Workflow } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { ConnectionSearch } from "@/components/connections/connection-search";
import { isShown, type Show, toShow } from "@/components/connections/show";
import { TypeIcon } from "@/components/connections/type-icon";
import { NavList } from "@/components/layout/nav-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections } from "@/components/schema/use-schema";
import { ColourTag } from "@/components/ui/colour-tag";
import { LoadMore } from "@/components/ui/load-more";

const PARTS: { show: Show; name: string; icon: React.ReactNode }[] = [
  { show: "all", name: "All connections", icon: <Database /> },
  { show: "databases", name: "Databases", icon: <SquareTerminal /> },
  { show: "sources", name: "Sources", icon: <Workflow /> },
  { show: "failing", name: "Failing", icon: <CircleX /> },
];

/** Searches connections and selects a section of the list. The address holds both. */
export function ConnectionsExplorer() {
  const { workspace } = useWorkspace();
  const path = usePathname();
  const query = useSearchParams();
  const pages = useConnections();
  const { data } = pages;
  const root = `/w/${workspace.slug}/connections`;
  const show = toShow(query.get("show"));
  const countOf = (part: Show) =>
    pages.hasNextPage ? undefined : data?.filter((each) => isShown(each, part, "")).length;
  // Without connections that only flows use, there is no choice to offer.
  const parts = PARTS.filter(
    (part) => part.show !== "sources" || show === "sources" || data?.some((each) => isShown(each, "sources", "")),
  );

  return (
    <nav className="nav-box" aria-label="Connections">
      <ConnectionSearch />
      <NavList
        label="Connection filter"
        items={parts.map((part) => ({
          name: part.name,
          icon: part.icon,
          href: part.show === "all" ? root : `${root}?show=${part.show}`,
          isOn: path === root && show === part.show,
          count: countOf(part.show),
        }))}
      />
      {data && data.length > 0 && (
        <section className="sec-box" aria-label="Connections">
          <div className="sec">
            <span className="sec-name">
              <h2>Connections</h2>
            </span>
          </div>
          <NavList
            label="All connections"
            items={data.map(({ id, name, type, tag }) => ({
              name,
              icon: <TypeIcon type={type} />,
              href: `${root}/${id}`,
              isOn: path === `${root}/${id}`,
              end: tag && <ColourTag tag={tag} className="meta" />,
            }))}
          />
          <LoadMore pages={pages} label="Show more" className="link xs" />
        </section>
      )}
    </nav>
  );
}
