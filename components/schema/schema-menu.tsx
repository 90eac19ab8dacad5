"use client";

import {
  Code,
  Copy,
  FileCode2,
  MessageCircleQuestion,
  RefreshCw,
  Sigma,
  Table2,
  TextCursorInput,
  Trash2,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useFindType } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useRowCount } from "@/components/schema/use-row-count";
import { useFindConnection } from "@/components/schema/use-schema";
import { copyName } from "@/components/ui/copy-text";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import type { Entity } from "@/lib/base/values/fields";
import { isImportedTable } from "@/lib/features/connections/browser/imports";
import type { SchemaNode } from "@/lib/features/connections/browser/schema-rows";
import { toTableAddress } from "@/lib/features/connections/browser/table-links";
import { toQuestionAddress } from "@/lib/features/query/browser/question-address";

type SchemaMenuProps = {
  node: SchemaNode;
  /** Connection that the node belongs to. */
  connectionId: string;
  onRefresh: (connectionId: string) => void;
  onShowDdl: (connectionId: string, entity: Entity) => void;
  onDelete: (connectionId: string, entity: Entity) => void;
};

/** Returns the first line of a node's menu. */
export function toMenuTitle(node: SchemaNode): string {
  return node.kind === "column" ? `${node.label}, ${node.column.type.toLowerCase()}` : node.label;
}

/** Menu items of a node of the schema tree. */
export function SchemaMenu({ node, connectionId, onRefresh, onShowDdl, onDelete }: SchemaMenuProps) {
  const { create } = useConsoleActions();
  switch (node.kind) {
    case "schema":
      return <CopyName node={node} />;
    case "connection":
      return (
        <>
          <MenuItem icon={<FileCode2 />} onSelect={() => create(node.id)}>
            New console
          </MenuItem>
          <MenuItem icon={<RefreshCw />} onSelect={() => onRefresh(node.id)}>
            Refresh schema
          </MenuItem>
          <MenuLine />
          <CopyName node={node} />
        </>
      );
    case "column":
      return (
        <>
          <CopyName node={node} />
          <InsertName text={node.insertText} />
        </>
      );
    case "entity":
      return <EntityMenu node={node} connectionId={connectionId} onShowDdl={onShowDdl} onDelete={onDelete} />;
  }
}

type EntityMenuProps = Pick<SchemaMenuProps, "connectionId" | "onShowDdl" | "onDelete"> & {
  node: Extract<SchemaNode, { kind: "entity" }>;
};

function EntityMenu({ node, connectionId, onShowDdl, onDelete }: EntityMenuProps) {
  const { editors, workspace } = useWorkspace();
  const { create } = useConsoleActions();
  const router = useRouter();
  const count = useRowCount();
  const findType = useFindType();
  const find = useFindConnection();
  const { entity, selectText } = node;
  const connection = find(connectionId);
  const type = findType(connection?.type);
  const hasDdl = type?.hasDdl;
  const hasQuestions = type?.dialect !== undefined || type?.language === "mongodb";
  return (
    <>
      {selectText !== null && (
        <>
          <MenuItem
            icon={<Table2 />}
            onSelect={() => router.push(toTableAddress(workspace.slug, connectionId, entity))}
          >
            Preview rows
          </MenuItem>
          {hasQuestions && (
            <MenuItem
              icon={<MessageCircleQuestion />}
              onSelect={() => router.push(toQuestionAddress(workspace.slug, connectionId, entity))}
            >
              New question
            </MenuItem>
          )}
          <MenuItem icon={<Sigma />} onSelect={() => void count(connectionId, entity)}>
            Count rows
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<FileCode2 />} onSelect={() => create(connectionId, { content: selectText })}>
            {entity.kind === "collection" ? "New find query" : "New SELECT query"}
          </MenuItem>
          <MenuItem icon={<TextCursorInput />} onSelect={() => editors.active?.insert(selectText)}>
            {entity.kind === "collection" ? "Insert find query" : "Insert SELECT query"}
          </MenuItem>
        </>
      )}
      <InsertName text={node.insertText} />
      <MenuLine />
      {hasDdl && (
        <MenuItem icon={<Code />} onSelect={() => onShowDdl(connectionId, entity)}>
          Show DDL
        </MenuItem>
      )}
      <CopyName node={node} />
      {isImportedTable(connection, entity) && (
        <>
          <MenuLine />
          <MenuItem icon={<Trash2 />} onSelect={() => onDelete(connectionId, entity)}>
            Delete table…
          </MenuItem>
        </>
      )}
    </>
  );
}

function CopyName({ node }: { node: SchemaNode }) {
  return (
    <MenuItem icon={<Copy />} onSelect={() => void copyName(node.label)}>
      Copy name
    </MenuItem>
  );
}

function InsertName({ text }: { text: string }) {
  const { editors } = useWorkspace();
  return (
    <MenuItem icon={<TextCursorInput />} onSelect={() => editors.active?.insertName(text)}>
      Insert name
    </MenuItem>
  );
}
