"use client";

import { Rows3, ZoomIn } from "lucide-react";
import { useMemo } from "react";
import { type MarkColumn, toMarkColumns } from "@/components/questions/mark-columns";
import type { ChartMark } from "@/components/results/chart-view";
import type { MenuAction } from "@/components/ui/menu-actions";
import { drillInto } from "@/lib/base/questions/drill";
import { isSummarized, type Question } from "@/lib/base/questions/question";
import { columnFinder, instantsOf, type NamedTable, outputsOf } from "@/lib/base/questions/tables";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { CellValue, ResultRow } from "@/lib/base/values/json-rows";

type Drilled = {
  /** The question of the shown rows; null while they are those of another one. */
  question: Question | null;
  tables: readonly NamedTable[];
  language: SqlDialect | "mongodb";
  rows: readonly ResultRow[];
  onOpen: (question: Question) => void;
};

/** Actions at the marks and the rows of a summarized question; both undefined for other questions. */
export type DrillActions = {
  ofRow: ((cellOf: (column: string) => CellValue) => MenuAction[]) | undefined;
  ofMark: ((mark: ChartMark) => MenuAction[]) | undefined;
};

export function useDrill({ question, tables, language, rows, onOpen }: Drilled): DrillActions {
  return useMemo(() => {
    if (question === null || tables.length === 0 || !isSummarized(question)) {
      return { ofRow: undefined, ofMark: undefined };
    }
    const hasHours = language === "mongodb" || DIALECTS[language].metrics !== undefined;
    const find = columnFinder(question, tables, instantsOf(language));
    const groups = outputsOf(question, tables).filter(({ role }) => role === "group");
    const toActions = (columns: (name: string) => MarkColumn | undefined): MenuAction[] => {
      const marks = groups.flatMap(({ name, index }) => {
        const column = columns(name);
        return column ? [{ group: index, ...column }] : [];
      });
      const { rows: behind, finer } = drillInto(question, marks, find);
      return [
        ...(behind ? [{ label: "See these rows", icon: <Rows3 className="s" />, run: () => onOpen(behind) }] : []),
        // Other dialects have no hours.
        ...finer
          .filter(({ grain }) => hasHours || grain !== "hour")
          .map(({ grain, question: next }) => ({
            label: `Zoom in by ${grain}`,
            icon: <ZoomIn className="s" />,
            run: () => onOpen(next),
          })),
      ];
    };
    return {
      ofRow: (cellOf) => toActions((name) => ({ value: cellOf(name) })),
      ofMark: (mark) => {
        const columns = toMarkColumns(mark, rows);
        const isOfGroups = columns && [...columns.keys()].every((name) => groups.some((group) => group.name === name));
        return isOfGroups ? toActions((name) => columns.get(name)) : [];
      },
    };
  }, [question, tables, language, rows, onOpen]);
}
