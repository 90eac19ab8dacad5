import "server-only";
import { isInvited } from "@/lib/features/accounts/invites/service";
import { checkInvitationsBy } from "@/lib/features/accounts/sign-up";
import { findShownApp } from "@/lib/features/apps/share";
import { CONSOLE_FILES } from "@/lib/features/consoles/file-kind";
import { DASHBOARD_FILES } from "@/lib/features/dashboards/file-kind";
import { findShownDashboard } from "@/lib/features/dashboards/share";
import { landPush } from "@/lib/features/folders/land-push";
import { noticeLandingOfLinked } from "@/lib/features/linked-repositories/enqueue";
import { deleteRulesOf } from "@/lib/features/notifications/service";
import { deleteSnapshotsOf } from "@/lib/features/notifications/snapshots/service";
import { noticeLanding } from "@/lib/features/repository/git/base-pack";
import { type FileKind, handInFileKinds, landPushesBy } from "@/lib/features/repository/git/pushed-files";
import { MAX_FILE_BYTES } from "@/lib/features/repository/limits";
import { tellLandingsTo } from "@/lib/features/repository/service";
import { followDeletionBy } from "@/lib/features/runs/deletion";
import { handInShown } from "@/lib/features/shares/shown";

const APP_FILE = /^apps\/[a-z0-9][a-z0-9-]*\/./;
/** Files of apps: only their paths and sizes are checked. */
const APP_FILES: FileKind = {
  root: "apps",
  bytesMax: MAX_FILE_BYTES,
  judge: (path) =>
    APP_FILE.test(path) ? null : "is not in an app. Move it to apps/<name>/, with lower-case letters and dashes.",
};

/**
 * Registers the hooks through which domains reach those above them. Called once per process, before its first request.
 */
export function handIn(): void {
  checkInvitationsBy(isInvited);
  followDeletionBy(async (resource) => {
    await deleteRulesOf(resource);
    await deleteSnapshotsOf(resource);
  });
  handInFileKinds([CONSOLE_FILES, DASHBOARD_FILES, APP_FILES]);
  landPushesBy(landPush);
  handInShown({ dashboard: findShownDashboard, app: findShownApp });
  tellLandingsTo(noticeLanding);
  tellLandingsTo(noticeLandingOfLinked);
}
