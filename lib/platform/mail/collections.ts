import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import type { MailDoc } from "./model";

/** Retention of mails (docs/develop/api.md, Workspaces). */
const MAIL_DAYS = 30;

export const collections = {
  mails: declareCollection<MailDoc>("mails", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, _id: -1 }, serves: "the outbox, newest first" },
      { key: { createdAt: 1 }, expireAfterSeconds: MAIL_DAYS * DAY_SECONDS, serves: "expiry of mails" },
    ],
  }),
};
