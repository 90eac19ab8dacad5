"use client";

import { ChevronDown, PanelLeft } from "lucide-react";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { PanelEdge } from "@/components/layout/panel-edge";
import { updateFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { findArea } from "@/components/shell/areas";
import { Menu, MenuLine, MenuLink } from "@/components/ui/menu";
import { Tip } from "@/components/ui/tip";
import { useIsPhone } from "@/components/ui/use-browser";

/** Lists what the area can open: for consoles, the consoles and the schema they query. */
export function Explorer() {
  const { workspace } = useWorkspace();
  const isPhone = useIsPhone();
  const { Explorer: Content } = findArea(usePathname().slice(`/w/${workspace.slug}`.length));
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a name; on a phone the list is a page
    <div
      className="side"
      id="explorer"
      role={isPhone ? "main" : "complementary"}
      aria-label="Explorer"
      data-region
      tabIndex={-1}
    >
      <div className="ws">
        <WorkspaceName />
        <span className="grow" />
        <Tip label="Hide explorer" keys="mod+b">
          <button
            type="button"
            className="btn ghost icon sm hide-side"
            aria-label="Hide explorer"
            onClick={() => updateFrame({ explorerOpen: false })}
          >
            <PanelLeft />
          </button>
        </Tip>
      </div>
      <Content />
      <PanelEdge panel="explorer" />
    </div>
  );
}

/** Heading of the page on a phone, where no console is beside it; plain text elsewhere. */
function WorkspaceHeading({ children }: { children: ReactNode }) {
  const isPhone = useIsPhone();
  return isPhone ? <h1 className="ws-name">{children}</h1> : <div className="ws-name">{children}</div>;
}

function WorkspaceName() {
  const { workspace, workspaces } = useWorkspace();
  const mark = (
    <>
      <span className="sq" data-initials={[...workspace.name][0]?.toUpperCase()} />
      <span className="trunc">{workspace.name}</span>
    </>
  );
  return (
    <WorkspaceHeading>
      <Menu
        trigger={
          <button type="button" className="ws-name" aria-label={`Switch workspace, ${workspace.name}`}>
            {mark}
            <ChevronDown className="s t3" />
          </button>
        }
      >
        {workspaces.map(({ id, name, slug, role }) => (
          <MenuLink key={id} href={`/w/${slug}`} end={role}>
            {name}
          </MenuLink>
        ))}
        <MenuLine />
        <MenuLink href="/new-workspace">New workspace</MenuLink>
      </Menu>
    </WorkspaceHeading>
  );
}
