import type { ReactNode } from "react";
import "@/components/ui/page.css";

type Column = {
  name: string;
  /** Its values are numbers, and stand at the right. */
  isNumber?: boolean;
  /** It is left out where there is little room. */
  isOptional?: boolean;
  /** What stands in it says so itself: its name is only read out. */
  isUnnamed?: boolean;
};
type ListTableProps = {
  label: string;
  className?: string;
  /** Its rows have two lines. */
  isTall?: boolean;
  columns: readonly (string | Column)[];
  /** Its bodies. */
  children: ReactNode;
};

/** The list of a page, of which each row becomes a block on a phone (docs/develop/design.md, Phones). */
export function ListTable({ label, className = "", isTall = false, columns, children }: ListTableProps) {
  return (
    <table className={`list fold ${isTall ? "tall" : ""} ${className}`} aria-label={label}>
      <thead>
        <tr>
          {columns
            .map((column) => (typeof column === "string" ? { name: column } : column))
            .map(({ name, isNumber, isOptional, isUnnamed }: Column) => (
              <th key={name} className={isNumber ? "r" : isOptional ? "opt" : undefined}>
                {isUnnamed ? <span className="sr-only">{name}</span> : name}
              </th>
            ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}

/** The last column of a list whose rows can be acted on. */
export const ACTIONS: Column = { name: "Actions", isUnnamed: true };
