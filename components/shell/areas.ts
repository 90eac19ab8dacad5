import {
  Bell,
  Database,
  LayoutDashboard,
  LayoutGrid,
  type LucideIcon,
  Settings2,
  SquareTerminal,
  Workflow,
} from "lucide-react";
// biome-ignore lint/style/noRestrictedImports: the server draws these, too
import dynamic from "next/dynamic";
import type { ComponentType } from "react";
import { ConsoleExplorer } from "@/components/consoles/console-explorer";
import { loadAgain } from "@/lib/platform/browser/load-again";

// Each area brings its own script; the page of one area does not load the others.
const ConnectionsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/connections/connections-explorer")).then((module) => module.ConnectionsExplorer),
);
const FlowsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/flows/flows-explorer")).then((module) => module.FlowsExplorer),
);
const DashboardsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/dashboards/dashboards-explorer")).then((module) => module.DashboardsExplorer),
);
const AppsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/apps/apps-explorer")).then((module) => module.AppsExplorer),
);
const SettingsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/settings/settings-explorer")).then((module) => module.SettingsExplorer),
);

const ActivityExplorer = dynamic(() =>
  loadAgain(() => import("@/components/activity/activity-explorer")).then((module) => module.ActivityExplorer),
);

/**
 * The areas of a workspace: rail, bottom bar and explorer are drawn from this list, in this order. An area that is
 * built gets its line here and its pages under /w/{slug}/.
 */
export type Area = {
  name: string;
  icon: LucideIcon;
  /** Where it begins, behind /w/{slug}. */
  path: string;
  /** Which addresses belong to it, behind /w/{slug}. */
  owns: (path: string) => boolean;
  /** Its shortcut, as written in key labels; undefined where it has none. */
  keys: string | undefined;
  /** At the foot of the rail rather than among the areas of work. */
  isAtFoot: boolean;
  /** On a phone it has a place of its own in the bar at the bottom; the others stand under More. */
  isOnPhoneBar: boolean;
  /** What the explorer shows while one is in the area. */
  Explorer: ComponentType;
  /** The command behind "new here"; null where nothing is made, which makes a console. */
  newCommand: string | null;
};

const isBelow = (start: string) => (path: string) => path === start || path.startsWith(`${start}/`);

export const AREAS: Area[] = [
  {
    name: "Consoles",
    icon: SquareTerminal,
    path: "",
    owns: (path) => path === "" || path === "/" || path.startsWith("/consoles") || path.startsWith("/tables"),
    keys: "g c",
    isAtFoot: false,
    isOnPhoneBar: true,
    Explorer: ConsoleExplorer,
    newCommand: null,
  },
  {
    name: "Connections",
    icon: Database,
    path: "/connections",
    owns: isBelow("/connections"),
    keys: "g n",
    isAtFoot: false,
    isOnPhoneBar: false,
    Explorer: ConnectionsExplorer,
    newCommand: "new-connection",
  },
  {
    name: "Flows",
    icon: Workflow,
    path: "/flows",
    owns: isBelow("/flows"),
    keys: "g f",
    isAtFoot: false,
    isOnPhoneBar: true,
    Explorer: FlowsExplorer,
    newCommand: "new-flow",
  },
  {
    name: "Dashboards",
    icon: LayoutDashboard,
    path: "/dashboards",
    owns: isBelow("/dashboards"),
    keys: "g d",
    isAtFoot: false,
    isOnPhoneBar: true,
    Explorer: DashboardsExplorer,
    newCommand: "new-dashboard",
  },
  {
    name: "Apps",
    icon: LayoutGrid,
    path: "/apps",
    owns: isBelow("/apps"),
    keys: "g a",
    isAtFoot: false,
    isOnPhoneBar: true,
    Explorer: AppsExplorer,
    newCommand: "new-app",
  },
  {
    name: "Activity",
    icon: Bell,
    path: "/activity",
    owns: isBelow("/activity"),
    keys: undefined,
    isAtFoot: true,
    isOnPhoneBar: false,
    Explorer: ActivityExplorer,
    newCommand: null,
  },
  {
    name: "Settings",
    icon: Settings2,
    path: "/settings",
    owns: isBelow("/settings"),
    keys: "g s",
    isAtFoot: true,
    isOnPhoneBar: false,
    Explorer: SettingsExplorer,
    newCommand: null,
  },
];

/** The area that an address behind /w/{slug} belongs to; the first for addresses of none. */
export function findArea(path: string): Area {
  const area = AREAS.find(({ owns }) => owns(path)) ?? AREAS[0];
  if (!area) throw new Error("There is no area.");
  return area;
}
