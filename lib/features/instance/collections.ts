import "server-only";
import { collections as auth } from "@/lib/features/accounts/collections";
import { collections as connectedApps } from "@/lib/features/accounts/connected-apps/collections";
import { collections as invites } from "@/lib/features/accounts/invites/collections";
import { collections as preferences } from "@/lib/features/accounts/preferences/collections";
import { collections as agent } from "@/lib/features/agent/collections";
import { collections as apps } from "@/lib/features/apps/collections";
import { collections as connections } from "@/lib/features/connections/collections";
import { collections as consoles } from "@/lib/features/consoles/collections";
import { collections as dashboards } from "@/lib/features/dashboards/collections";
import { collections as flows } from "@/lib/features/flows/collections";
import { collections as folders } from "@/lib/features/folders/collections";
import { collections as repohost } from "@/lib/features/linked-repositories/collections";
import { collections as metrics } from "@/lib/features/metrics/collections";
import { collections as notifications } from "@/lib/features/notifications/collections";
import { collections as query } from "@/lib/features/query/collections";
import { collections as repository } from "@/lib/features/repository/collections";
import { collections as git } from "@/lib/features/repository/git/collections";
import { collections as results } from "@/lib/features/results/collections";
import { collections as datasets } from "@/lib/features/results/datasets/collections";
import { collections as runs } from "@/lib/features/runs/collections";
import { collections as schedules } from "@/lib/features/runs/schedules/collections";
import { collections as shares } from "@/lib/features/shares/collections";
import { collections as users } from "@/lib/features/users/collections";
import { collections as workspaces } from "@/lib/features/workspaces/collections";
import { collections as access } from "@/lib/platform/access/collections";
import type { CollectionDeclaration } from "@/lib/platform/db/collection";
import { collections as db } from "@/lib/platform/db/collections";
import { collections as events } from "@/lib/platform/events/collections";
import { collections as jobs } from "@/lib/platform/jobs/collections";
import { collections as mail } from "@/lib/platform/mail/collections";

/** Collections of all domains. Only code for the whole store (indexes, deleting a workspace) uses them. */
export const collections = {
  ...db,
  ...users,
  ...access,
  ...workspaces,
  ...auth,
  ...connectedApps,
  ...preferences,
  ...mail,
  ...invites,
  ...connections,
  ...query,
  ...consoles,
  ...dashboards,
  ...metrics,
  ...apps,
  ...folders,
  ...repository,
  ...git,
  ...repohost,
  ...events,
  ...runs,
  ...datasets,
  ...results,
  ...schedules,
  ...shares,
  ...jobs,
  ...notifications,
  ...flows,
  ...agent,
};

/** Collections that the domains declare, in the order in which a workspace's documents are deleted. */
export const declarations: readonly CollectionDeclaration[] = Object.values(collections);
