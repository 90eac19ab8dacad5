import {
  AppWindow,
  Bell,
  Database,
  LayoutDashboard,
  type LucideIcon,
  Settings2,
  Sigma,
  SquareTerminal,
  Workflow,
} from "lucide-react";
// biome-ignore lint/style/noRestrictedImports: the server draws these, too
import dynamic from "next/dynamic";
import type { ComponentType } from "react";
import { ConsoleExplorer } from "@/components/consoles/console-explorer";
import { loadAgain } from "@/lib/platform/browser/load-again";

// Each area has a separate script; the page of one area does not load the others.
const ConnectionsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/connections/connections-explorer")).then((module) => module.ConnectionsExplorer),
);
const FlowsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/flows/flows-explorer")).then((module) => module.FlowsExplorer),
);
const MetricsExplorer = dynamic(() =>
  loadAgain(() => import("@/components/metrics/metrics-explorer")).then((module) => module.MetricsExplorer),
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
 * Areas of a workspace: rail, bottom bar and explorer are rendered from this list, in this order. A new area needs an
 * entry here and its pages under /w/{slug}/.
 */
export type Area = {
  name: string;
  icon: LucideIcon;
  /** Path of its first page, below /w/{slug}. */
  path: string;
  /** Returns whether a path below /w/{slug} belongs to it. */
  owns: (path: string) => boolean;
  /** Its shortcut, written as key labels; undefined without one. */
  keys: string | undefined;
  /** Whether it is at the bottom of the rail, apart from the work areas. */
  isAtFoot: boolean;
  /** Whether the area is in the bottom bar on a phone; the others are under More. */
  isOnPhoneBar: boolean;
  /** Content of the explorer in this area. */
  Explorer: ComponentType;
  /** Command for "new here"; null for an area without one, where it creates a console. */
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
    name: "Metrics",
    icon: Sigma,
    path: "/metrics",
    owns: isBelow("/metrics"),
    keys: undefined,
    isAtFoot: false,
    isOnPhoneBar: false,
    Explorer: MetricsExplorer,
    newCommand: "new-metric",
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
    icon: AppWindow,
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
    owns: (path) => isBelow("/activity")(path) || isBelow("/reviews")(path),
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

/** Returns the area of a path below /w/{slug}; the first area for any other path. */
export function findArea(path: string): Area {
  const area = AREAS.find(({ owns }) => owns(path)) ?? AREAS[0];
  if (!area) throw new Error("Unknown area");
  return area;
}
