import "server-only";
import { collections as access } from "@/lib/access/collections";
import { collections as agent } from "@/lib/agent/collections";
import { collections as apps } from "@/lib/apps/collections";
import { collections as auth } from "@/lib/auth/collections";
import { collections as connections } from "@/lib/connections/collections";
import { collections as consoles } from "@/lib/consoles/collections";
import { collections as dashboards } from "@/lib/dashboards/collections";
import { collections as datasets } from "@/lib/datasets/collections";
import type { CollectionDeclaration } from "@/lib/db/collection";
import { collections as db } from "@/lib/db/collections";
import { collections as events } from "@/lib/events/collections";
import { collections as flows } from "@/lib/flows/collections";
import { collections as folders } from "@/lib/folders/collections";
import { collections as git } from "@/lib/git/collections";
import { collections as invites } from "@/lib/invites/collections";
import { collections as jobs } from "@/lib/jobs/collections";
import { collections as mail } from "@/lib/mail/collections";
import { collections as notifications } from "@/lib/notifications/collections";
import { collections as preferences } from "@/lib/preferences/collections";
import { collections as query } from "@/lib/query/collections";
import { collections as repohost } from "@/lib/repohost/collections";
import { collections as repository } from "@/lib/repository/collections";
import { collections as results } from "@/lib/results/collections";
import { collections as runs } from "@/lib/runs/collections";
import { collections as schedules } from "@/lib/schedules/collections";
import { collections as shares } from "@/lib/shares/collections";
import { collections as users } from "@/lib/users/collections";
import { collections as workspaces } from "@/lib/workspaces/collections";

/** The collections of all domains. Only what concerns the whole store (indexes, the end of a workspace) reads them. */
export const collections = {
  ...db,
  ...users,
  ...access,
  ...workspaces,
  ...auth,
  ...preferences,
  ...mail,
  ...invites,
  ...connections,
  ...query,
  ...consoles,
  ...dashboards,
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

/** What the domains say of their collections, in the order in which a workspace's documents are removed. */
export const declarations: readonly CollectionDeclaration[] = Object.values(collections);
