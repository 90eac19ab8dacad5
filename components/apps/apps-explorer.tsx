"use client";

import { AppWindow, House, Link2, Star, User } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { ExplorerPlace } from "@/components/apps/explorer-place";
import { RepositoryCard } from "@/components/apps/repository-card";
import { toOverviewKey, useAppsOverview } from "@/components/apps/use-apps";
import { ExplorerSection } from "@/components/layout/explorer-section";
import { NavFind } from "@/components/layout/nav-find";
import { NavList } from "@/components/layout/nav-list";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { formatCountOf } from "@/lib/platform/browser/format";
import "./apps.css";

/** An app that is edited in another tab is saved every few seconds; these events are batched. */
const GATHER_MS = 2000;

/** Apps sidebar: the sections of the list, or the files of the app that is being edited. */
export function AppsExplorer() {
  const isEditing = /^\/w\/[^/]+\/apps\/[^/]+\/edit\/?$/.test(usePathname());
  return isEditing ? <ExplorerPlace /> : <AppsParts />;
}

function AppsParts() {
  const { workspace } = useWorkspace();
  const isHome = usePathname() === `/w/${workspace.slug}/apps`;
  const show = useSearchParams().get("show");
  const { data } = useAppsOverview();
  useRefresh([toOverviewKey(workspace.id)], ({ kind }) => kind === "app", GATHER_MS);
  const root = `/w/${workspace.slug}/apps`;
  const part = (name: string, icon: React.ReactNode, shows: string, count: number | undefined) => ({
    name,
    icon,
    href: `${root}?show=${shows}`,
    isOn: isHome && show === shows,
    count,
  });
  const bench = data?.bench ?? [];
  return (
    <>
      <NavFind label="Search apps" root={root} />
      <nav className="nav-box" aria-label="Apps">
        <NavList
          label="Apps"
          items={[
            { name: "Home", icon: <House />, href: root, isOn: isHome && show === null },
            part("My apps", <User />, "mine", data?.mine),
            part("Favourites", <Star />, "favorites", data?.favorites),
            part("Shared by link", <Link2 />, "shared", data?.shared),
          ]}
        />
        {bench.length > 0 && (
          <ExplorerSection title="Recently edited" className="apps-bench" acts={[]}>
            <NavList
              label="Recently edited"
              items={bench.map(({ slug, title, changes }) => ({
                name: title,
                icon: <AppWindow />,
                href: `${root}/${slug}/edit`,
                isOn: false,
                end: changes > 0 && <span className="meta num">{formatCountOf(changes, "change")}</span>,
              }))}
            />
          </ExplorerSection>
        )}
      </nav>
      <RepositoryCard />
    </>
  );
}
