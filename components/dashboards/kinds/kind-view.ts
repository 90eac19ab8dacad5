import type { ComponentType } from "react";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import type { Widget, WidgetData } from "@/lib/features/dashboards/schema";

export type ShownWidget = Pick<Widget, "id" | "kind" | "title" | "spec">;

export type KindBodyProps = {
  title: string;
  /** Specification with the page's time grain. */
  spec: Record<string, unknown>;
  /** Has at least one row. */
  data: WidgetData;
  rows: ResultRow[];
  look: CellLook;
  period: Period;
  /** Omitted where nothing is clickable. */
  press?: WidgetPress | undefined;
};

export type KindLargeProps = { title: string; widget: ShownWidget; data: WidgetData; period: Period };

/** The components of a widget kind that a page needs to show it. */
export type KindView =
  /** A kind without data. */
  | {
      Static: ComponentType<{ spec: Record<string, unknown> }>;
      Body?: never;
      Large?: never;
      toCsv?: never;
      toPictureSpec?: never;
      isPictured?: never;
    }
  | {
      Static?: never;
      Body: ComponentType<KindBodyProps>;
      /** Shows it in full screen; default: the body. */
      Large?: ComponentType<KindLargeProps>;
      /** Returns the CSV file of its data; null for the rows, as of a kind without this function. */
      toCsv?: (spec: Record<string, unknown>, data: WidgetData) => string | null;
      /** Returns the specification of its picture file; omitted for a kind without one. */
      toPictureSpec?: (spec: Record<string, unknown>) => Record<string, unknown>;
      /** Whether its picture file is its card on the page. */
      isPictured?: true;
    };
