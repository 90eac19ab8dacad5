"use client";

import { usePathname } from "next/navigation";
import { NavList } from "@/components/layout/nav-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { SECTION_GROUPS } from "@/components/settings/sections";
import { useIsPhone } from "@/components/ui/use-browser";

/** Pages of the settings. The address without a page shows the first one; on a phone it is this list. */
export function SettingsExplorer() {
  const { workspace } = useWorkspace();
  const root = `/w/${workspace.slug}/settings`;
  const path = usePathname();
  const isPhone = useIsPhone();
  const first = SECTION_GROUPS[0]?.sections[0]?.path;
  const isOn = (section: string) => path === `${root}/${section}` || (path === root && section === first && !isPhone);
  return (
    <nav className="nav-box" aria-label="Settings">
      {SECTION_GROUPS.map(({ name, sections }) => (
        <div key={name}>
          <h2 className="nav-head">{name}</h2>
          <NavList
            label={name}
            items={sections.map(({ name: label, icon: Icon, path: section }) => ({
              name: label,
              icon: <Icon />,
              href: `${root}/${section}`,
              isOn: isOn(section),
            }))}
          />
        </div>
      ))}
    </nav>
  );
}
