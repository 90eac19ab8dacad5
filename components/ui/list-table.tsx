import type { ReactNode } from "react";
import "@/components/ui/page.css";

type Column = {
  name: string;
  /** Its values are numbers, aligned right. */
  isNumber?: boolean;
  /** Hidden if there is little room. */
  isOptional?: boolean;
  /** The column's content explains itself: its name is only read out. */
  isUnnamed?: boolean;
};
type ListTableProps = {
  label: string;
  className?: string;
  /** Whether its rows have two lines. */
  isTall?: boolean;
  columns: readonly (string | Column)[];
  /** Its table bodies. */
  children: ReactNode;
};

/** A page's list, whose rows become blocks on a phone (docs/develop/design.md, Phones). */
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

/** Last column of a list whose rows have actions. */
export const ACTIONS: Column = { name: "Actions", isUnnamed: true };
