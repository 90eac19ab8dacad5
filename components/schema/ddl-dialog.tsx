"use client";

import { useQuery } from "@tanstack/react-query";
import { FileCode2 } from "lucide-react";
import { useFindType } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { layOut } from "@/components/editor/lay-out";
import { SqlCode } from "@/components/editor/sql-code";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import type { Connection, EntityName } from "@/lib/features/connections/schema";
import { api } from "@/lib/features/query/browser/api";
import "./ddl-dialog.css";

/**
 * Line length above which a DDL text is formatted: a database that returns a table as one long line has no deliberate
 * layout.
 */
const READ_LINE_CHARS = 120;

type DdlDialogProps = {
  connection: Pick<Connection, "id" | "type">;
  table: EntityName;
  isOpen: boolean;
  onClose: () => void;
};

/** Dialog with the DDL of a table, view or collection, to read, copy or open in a console. */
export function DdlDialog({ connection, table, isOpen, onClose }: DdlDialogProps) {
  const { workspace } = useWorkspace();
  const { create } = useConsoleActions();
  const { name, schema } = table;
  const type = useFindType()(connection.type);
  const dialect = type?.dialect ?? "standard";
  const ddl = useQuery({
    queryKey: ["ddl", workspace.id, connection.id, schema, name, dialect],
    queryFn: async ({ signal }) => {
      const { text } = await api.readDdl(workspace.id, connection.id, { name, ...(schema && { schema }) }, signal);
      const isLong = text.split("\n").some((line) => line.length > READ_LINE_CHARS);
      return (isLong && type?.dialect ? await layOut(text, type.dialect) : null) ?? text;
    },
    // A recent change must show.
    staleTime: 0,
    retry: false,
    enabled: isOpen && type !== null,
  });
  const text = ddl.data;
  return (
    <Modal
      title={`DDL of ${name}`}
      isOpen={isOpen}
      onClose={onClose}
      foot={
        text !== undefined && (
          <>
            {type?.language === "sql" && (
              <button
                type="button"
                className="btn"
                onClick={() => {
                  onClose();
                  create(connection.id, { name: `${name}.sql`, content: text });
                }}
              >
                <FileCode2 className="s" />
                Open in console
              </button>
            )}
            <CopyButton text={text} className="btn primary" />
          </>
        )
      }
    >
      {ddl.isError ? (
        <LoadFailure error={ddl.error} onRetry={() => void ddl.refetch()} />
      ) : text === undefined ? (
        <ListSkeleton label="Loading DDL" rowPx={20} />
      ) : (
        <CodeBox label={`DDL of ${name}`} className="ddl">
          <span className="code">
            <SqlCode text={text} dialect={dialect} />
          </span>
        </CodeBox>
      )}
    </Modal>
  );
}
