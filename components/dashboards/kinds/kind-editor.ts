import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { Look } from "@/lib/features/dashboards/browser/edit/looks";

/** @param part groups quick changes of one input into one step of undo */
type OnSpec = (spec: Record<string, unknown>, words: string, part?: string) => void;

export type StaticFormProps = { spec: Readonly<Record<string, unknown>>; onChange: OnSpec };
export type DataFormProps = StaticFormProps & {
  look: Look | "own";
  /** Columns of the widget's source; empty while unknown. */
  fields: readonly ResultField[];
};

/** The components of a widget kind that only the editor needs. */
export type KindEditor = {
  /** Icons of its looks. */
  icons: Readonly<Record<string, LucideIcon>>;
} & (
  | { Static: ComponentType<StaticFormProps>; Shelves?: never; Settings?: never }
  | {
      Static?: never;
      /** Dimensions, measures, sort order and limit; shown once the columns are known. */
      Shelves: ComponentType<DataFormProps>;
      /** Settings of the drawing. */
      Settings?: ComponentType<DataFormProps>;
    }
);
