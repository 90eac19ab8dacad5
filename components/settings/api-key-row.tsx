"use client";

import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useChange, useMemberNames } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { PersonCell } from "@/components/ui/person";
import { toMessage } from "@/components/ui/to-message";
import { useNow } from "@/components/ui/use-browser";
import type { ApiKey } from "@/lib/features/accounts/api-key-schema";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { formatAgo, formatDay, formatStamp } from "@/lib/platform/browser/format-time";

const AGE_EVERY_MS = 30_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Age from which an unused key is probably forgotten, and should be deleted. */
const FORGOTTEN_MS = 90 * DAY_MS;
/** Notice period before a key expires: its users need time to create the next one. */
const ENDS_SOON_MS = 7 * DAY_MS;

export function ApiKeyRow({ apiKey, isNew }: { apiKey: ApiKey; isNew: boolean }) {
  const { workspace } = useWorkspace();
  const names = useMemberNames();
  const now = useNow(true, AGE_EVERY_MS);
  const [isAsking, setIsAsking] = useState(false);
  const remove = useChange(["api-keys"], () => workspaceApi.removeApiKey(workspace.id, apiKey.id));
  const { name } = apiKey;
  const made = new Date(apiKey.createdAt);
  const used = apiKey.lastUsedAt === null ? null : new Date(apiKey.lastUsedAt);
  const ends = apiKey.expiresAt === null ? null : new Date(apiKey.expiresAt);
  const rested = (now ?? 0) - (used ?? made).getTime();
  const left = ends === null || now === null ? null : ends.getTime() - now;
  return (
    <tr>
      <td className="b5">
        {name}
        {isNew && <span className="tag brass">New</span>}
      </td>
      <td className="mono t2" data-label="Prefix">
        {apiKey.prefix}
      </td>
      <td data-label="Created by">
        <PersonCell id={apiKey.createdBy} name={names.get(apiKey.createdBy) ?? "Former member"} />
      </td>
      <td className="t2 opt" data-label="Created" title={now === null ? undefined : formatStamp(made)}>
        {now !== null && formatDay(made)}
      </td>
      <td
        className={now !== null && rested > FORGOTTEN_MS ? "t-warn" : "t2"}
        data-label="Last used"
        title={now === null || used === null ? undefined : formatStamp(used)}
      >
        {now !== null && (used === null ? "Never used" : formatAgo(used, new Date(now)))}
      </td>
      <td
        className={left !== null && left < ENDS_SOON_MS ? "t-warn" : "t2"}
        data-label="Expires"
        title={now === null || ends === null ? undefined : formatStamp(ends)}
      >
        {now !== null && (ends === null ? "never" : left !== null && left <= 0 ? "ended" : formatDay(ends))}
      </td>
      <td className="r">
        <button
          type="button"
          className="btn ghost sm danger"
          aria-label={`Revoke ${name}`}
          onClick={() => setIsAsking(true)}
        >
          Revoke
        </button>
        <Confirm
          title={`Revoke ${name}?`}
          action="Revoke key"
          isOpen={isAsking}
          isBusy={remove.isPending || remove.isSuccess}
          failure={remove.isError ? toMessage(remove.error) : null}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => {
            setIsAsking(false);
            remove.reset();
          }}
        >
          <p>
            Requests with <b>{apiKey.prefix}…</b> fail from now on. This can't be undone.
          </p>
        </Confirm>
      </td>
    </tr>
  );
}
