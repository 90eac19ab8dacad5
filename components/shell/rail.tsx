"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { AgentToggle } from "@/components/agent/agent-toggle";
import { useWorkspace } from "@/components/layout/workspace-context";
import { AccountMenu } from "@/components/shell/account-menu";
import { AREAS, type Area } from "@/components/shell/areas";
import { Tip } from "@/components/ui/tip";
import { useIsSettled } from "@/components/ui/use-browser";
import { Wheel } from "@/components/ui/wheel";

/** The rail: the areas of the workspace, and the account. */
export function Rail({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const { workspace } = useWorkspace();
  const root = `/w/${workspace.slug}`;
  const path = usePathname().slice(root.length);
  return (
    <nav className="rail" aria-label="Workspace" data-region tabIndex={-1}>
      <Wheel className="wheel" />
      {AREAS.filter(({ isAtFoot }) => !isAtFoot).map((area) => (
        <RailLink key={area.name} area={area} root={root} path={path} />
      ))}
      <span className="sp" />
      <AgentToggle />
      {AREAS.filter(({ isAtFoot }) => isAtFoot).map((area) => (
        <RailLink key={area.name} area={area} root={root} path={path} />
      ))}
      <AccountMenu onShowShortcuts={onShowShortcuts} />
    </nav>
  );
}

function RailLink({ area, root, path }: { area: Area; root: string; path: string }) {
  const { name, icon: Icon, path: start, owns, keys } = area;
  const isSettled = useIsSettled();
  return (
    <Tip label={name} keys={keys} side="right">
      <Link
        href={`${root}${start}`}
        prefetch={isSettled ? null : false}
        aria-label={name}
        className={owns(path) ? "on" : undefined}
        aria-current={owns(path) ? "true" : undefined}
      >
        <Icon />
      </Link>
    </Tip>
  );
}
