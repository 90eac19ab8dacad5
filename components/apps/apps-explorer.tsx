"use client";

import { House, Star, User } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { ExplorerPlace } from "@/components/apps/explorer-place";
import { NavFind } from "@/components/workspace/nav-find";
import { NavList } from "@/components/workspace/nav-list";
import { useWorkspace } from "@/components/workspace/workspace-context";

/** The parts of the list of apps; beside an app that is edited, its files. */
export function AppsExplorer() {
  const { workspace } = useWorkspace();
  const pathname = usePathname();
  const show = useSearchParams().get("show");
  const root = `/w/${workspace.slug}/apps`;
  if (/^\/w\/[^/]+\/apps\/[^/]+\/edit\/?$/.test(pathname)) return <ExplorerPlace />;
  const isHome = pathname === root;
  return (
    <>
      <NavFind label="Find an app" root={root} />
      <nav className="nav-box" aria-label="Apps">
        <NavList
          label="Apps"
          items={[
            { name: "Home", icon: <House />, href: root, isOn: isHome && show === null },
            { name: "Mine", icon: <User />, href: `${root}?show=mine`, isOn: isHome && show === "mine" },
            {
              name: "Favourites",
              icon: <Star />,
              href: `${root}?show=favorites`,
              isOn: isHome && show === "favorites",
            },
          ]}
        />
      </nav>
    </>
  );
}
