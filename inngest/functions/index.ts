import type { InngestFunction } from "inngest";
import { deliverNotification } from "./deliver-notification";
import { extendBasePack } from "./extend-base-pack";
import { fanOutNotifications } from "./fan-out-notifications";
import { refreshBinding } from "./refresh-binding";
import { refreshDashboard } from "./refresh-dashboard";
import { runConsole } from "./run-console";
import { runFlow } from "./run-flow";
import { runSchedules } from "./run-schedules";
import { sweepUndone } from "./sweep";
import { lookAtLinkedRepositories, syncLinkedRepository } from "./sync-linked-repository";
import { takeDashboardSnapshot } from "./take-snapshot";

/**
 * Every function of the product, one per line. They are thin: triggers, retries and names of steps; a domain's service
 * does the work (docs/develop/jobs.md).
 */
export const functions: InngestFunction.Any[] = [
  runSchedules,
  runConsole,
  runFlow,
  refreshDashboard,
  refreshBinding,
  fanOutNotifications,
  deliverNotification,
  extendBasePack,
  takeDashboardSnapshot,
  syncLinkedRepository,
  lookAtLinkedRepositories,
  sweepUndone,
];
