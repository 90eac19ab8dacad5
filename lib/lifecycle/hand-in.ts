import "server-only";
import { findShownApp } from "@/lib/apps/share";
import { checkInvitationsBy } from "@/lib/auth/sign-up";
import { CONSOLE_FILES } from "@/lib/consoles/file-kind";
import { DASHBOARD_FILES } from "@/lib/dashboards/file-kind";
import { findShownDashboard } from "@/lib/dashboards/share";
import { noticeLanding } from "@/lib/git/base-pack";
import { type FileKind, handInFileKinds } from "@/lib/git/pushed-files";
import { isInvited } from "@/lib/invites/service";
import { deleteRulesOf } from "@/lib/notifications/service";
import { deleteSnapshotsOf } from "@/lib/notifications/snapshots/service";
import { noticeLandingOfLinked } from "@/lib/repohost/wake";
import { MAX_FILE_BYTES } from "@/lib/repository/limits";
import { tellLandingsTo } from "@/lib/repository/service";
import { followDeletionBy } from "@/lib/runs/deletion";
import { handInShown } from "@/lib/shares/shown";

const APP_FILE = /^apps\/[a-z0-9][a-z0-9-]*\/./;
/** Files of apps are what their authors make them. */
const APP_FILES: FileKind = {
  root: "apps",
  bytesMax: MAX_FILE_BYTES,
  isKept: false,
  judge: (path) =>
    APP_FILE.test(path) ? null : "is in no app: put it into apps/<name>/, in small letters and dashes.",
};

/** Tells domains what they cannot know of those above them. Once a process, before its first request. */
export function handIn(): void {
  checkInvitationsBy(isInvited);
  followDeletionBy(async (resource) => {
    await deleteRulesOf(resource);
    await deleteSnapshotsOf(resource);
  });
  handInFileKinds([CONSOLE_FILES, DASHBOARD_FILES, APP_FILES]);
  handInShown({ dashboard: findShownDashboard, app: findShownApp });
  tellLandingsTo(noticeLanding);
  tellLandingsTo(noticeLandingOfLinked);
}
