import "server-only";
import { isInvited } from "@/lib/features/accounts/invites/service";
import { checkInvitationsBy } from "@/lib/features/accounts/sign-up";
import { findShownApp } from "@/lib/features/apps/share";
import { findShownDashboard } from "@/lib/features/dashboards/share";
import { judgePush, landPush } from "@/lib/features/folders/land-push";
import { publishComparison, wakeLinkedRepositories } from "@/lib/features/linked-repositories/enqueue";
import { deleteRulesOf } from "@/lib/features/notifications/service";
import { deleteSnapshotsOf } from "@/lib/features/notifications/snapshots/service";
import { wakeForCommits } from "@/lib/features/repository/git/base-pack";
import { APP_FILES, DOC_FILES, SETTING_FILES } from "@/lib/features/repository/git/file-kinds";
import { handInFileKinds, landPushesBy } from "@/lib/features/repository/git/pushed-files";
import { onCommit } from "@/lib/features/repository/service";
import { publishComparisonsBy } from "@/lib/features/reviews/compare";
import { followDeletionBy } from "@/lib/features/runs/deletion";
import { handInShown } from "@/lib/features/shares/shown";
import { ITEM_KINDS } from "./item-kinds";

/**
 * Registers the hooks through which domains reach those above them. Called once per process, before its first request.
 */
export function handIn(): void {
  checkInvitationsBy(isInvited);
  followDeletionBy(async (resource) => {
    await deleteRulesOf(resource);
    await deleteSnapshotsOf(resource);
  });
  handInFileKinds([...ITEM_KINDS.map(({ files }) => files), APP_FILES, DOC_FILES, SETTING_FILES]);
  landPushesBy({ judge: judgePush, land: landPush });
  handInShown({ dashboard: findShownDashboard, app: findShownApp });
  onCommit(wakeForCommits);
  onCommit(wakeLinkedRepositories);
  publishComparisonsBy(publishComparison);
}
