import type { InngestFunction } from "inngest";
import { deliverNotification } from "./deliver-notification";
import { fanOutNotifications } from "./fan-out-notifications";
import { runConsole } from "./run-console";
import { runFlow } from "./run-flow";
import { runSchedules } from "./run-schedules";
import { sweepUndone } from "./sweep";

/**
 * Every function of the product, a line each. Thin: triggers, retries and the names of steps; the work is done by a
 * domain's service (docs/jobs.md).
 */
export const functions: InngestFunction.Any[] = [
  runSchedules,
  runConsole,
  runFlow,
  fanOutNotifications,
  deliverNotification,
  sweepUndone,
];
