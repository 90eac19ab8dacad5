"use client";

import { CircleCheck, CircleDashed, CircleX, Lock, Pencil, SquareTerminal, Trash2, Waves } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { DeleteConnection } from "@/components/connections/delete-connection";
import { TypeIcon } from "@/components/connections/type-icon";
import { toUseWords, type UseCounts } from "@/components/connections/use-connection-uses";
import { useMayChange } from "@/components/connections/use-may-change";
import { useTest } from "@/components/connections/use-test";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ColourTag } from "@/components/ui/colour-tag";
import { ListRow } from "@/components/ui/list-row";
import { MenuItem } from "@/components/ui/menu";
import { PersonCell } from "@/components/ui/person";
import { toMessage } from "@/components/ui/to-message";
import { useConnectivity, useNow } from "@/components/ui/use-browser";
import { toAddress } from "@/lib/features/connections/browser/connection-address";
import type { Connection, ConnectionType } from "@/lib/features/connections/schema";
import { formatDuration } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";

const AGE_EVERY_MS = 30_000;
const COLUMNS = 8;

type ConnectionRowProps = {
  connection: Connection;
  /** Null until the kinds are known, and for a kind that this server no longer has. */
  type: ConnectionType | null;
  /** Null until the members are known, and for a member who left. */
  addedBy: string | null;
  /** Null until they are loaded. */
  uses: UseCounts | null;
  testRound: number;
};

/** A connection, and below it the reason if it fails, with a fix. */
export function ConnectionRow({ connection, type, addedBy, uses, testRound }: ConnectionRowProps) {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const { create } = useConsoleActions();
  const { isOnline } = useConnectivity();
  const now = useNow(true, AGE_EVERY_MS);
  const [isDeleting, setIsDeleting] = useState(false);
  const mayChange = useMayChange(connection);
  const { id, name } = connection;
  const test = useTest(id, name);
  const href = `/w/${workspace.slug}/connections/${id}`;
  const testedAt = connection.lastTestedAt === null ? null : new Date(connection.lastTestedAt);
  const problem = test.isError ? toMessage(test.error) : toProblem(connection);

  const runTest = useEffectEvent(() => !test.isPending && test.mutate());
  const seenRound = useRef(testRound);
  useEffect(() => {
    if (seenRound.current === testRound) return;
    seenRound.current = testRound;
    runTest();
  }, [testRound]);

  return (
    <>
      <ListRow
        name={name}
        renamePath={mayChange ? href : null}
        columns={COLUMNS}
        problem={
          problem === null ? null : { text: problem, action: mayChange && <Link href={href}>Edit connection</Link> }
        }
        action={
          <button
            type="button"
            className="btn sm"
            aria-label={`Test ${name}`}
            disabled={!isOnline || test.isPending}
            onClick={() => test.mutate()}
          >
            Test
          </button>
        }
        menu={
          <>
            {connection.category === "database" && (
              <MenuItem icon={<SquareTerminal />} onSelect={() => create(id)}>
                New console
              </MenuItem>
            )}
            <MenuItem icon={<Pencil />} onSelect={() => router.push(href)}>
              {mayChange ? "Edit" : "View"}
            </MenuItem>
            {mayChange && (
              <MenuItem icon={<Trash2 />} onSelect={() => setIsDeleting(true)}>
                Delete
              </MenuItem>
            )}
          </>
        }
      >
        <td>
          <div className="who">
            <span className="type-mark">
              <TypeIcon type={connection.type} />
            </span>
            <div className="grow">
              <Link className="b5 trunc" href={href}>
                {name}
              </Link>
              <div className="xs t3 row who-facts">
                {connection.tag && <ColourTag tag={connection.tag} />}
                <span className="trunc">{connection.serverVersion ?? type?.name ?? connection.type}</span>
              </div>
            </div>
          </div>
        </td>
        <td className="mono t2 cut address" data-label="Address" title={toAddress(connection.config)}>
          {toAddress(connection.config)}
        </td>
        <td data-label="Access">
          {connection.readOnly || connection.category === "source" ? (
            <span className="row xs t2 access">
              <Lock className="xs" />
              Read-only
            </span>
          ) : (
            <span className="row xs access may-write">
              <Pencil className="xs" />
              Read and write
            </span>
          )}
        </td>
        <td data-label="Status">
          <ConnectionState connection={connection} isTesting={test.isPending} />
        </td>
        <td className="opt t2" data-label="Used by">
          {uses && (toUseWords(uses) || <span className="t3">Unused</span>)}
        </td>
        <td className="opt" data-label="Added by">
          {addedBy !== null && <PersonCell id={connection.createdBy} name={addedBy} />}
        </td>
        <td className="t3" data-label="Last tested" title={now && testedAt ? formatStamp(testedAt) : undefined}>
          {now !== null && (testedAt === null ? "Never" : formatAgo(testedAt, new Date(now)))}
        </td>
      </ListRow>
      <DeleteConnection connection={connection} isOpen={isDeleting} onClose={() => setIsDeleting(false)} />
    </>
  );
}

type StateProps = { connection: Connection; isTesting: boolean };

/** Shows the result of the last test. */
export function ConnectionState({ connection, isTesting }: StateProps) {
  if (isTesting) {
    return (
      <span className="st run">
        <Waves className="s" />
        Testing
      </span>
    );
  }
  const { status, latencyMs } = connection;
  if (status === "ok") {
    return (
      <span className="st ok">
        <CircleCheck className="s" />
        Connected{latencyMs !== null && `, ${formatDuration(latencyMs)}`}
      </span>
    );
  }
  if (status === "failing") {
    return (
      <span className="st bad">
        <CircleX className="s" />
        Failing
      </span>
    );
  }
  return (
    <span className="st wait">
      <CircleDashed className="s" />
      Not tested
    </span>
  );
}

/** Returns why the last test failed; null if it passed. */
function toProblem(connection: Connection): string | null {
  return connection.status === "failing" ? (connection.lastError ?? "Last test failed. Test again.") : null;
}
