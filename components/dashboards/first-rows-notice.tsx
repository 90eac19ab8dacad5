import { TriangleAlert } from "lucide-react";
import { firstRowsNotice } from "@/lib/base/values/cut-rows";
import "./widgets.css";

/** Says that what is shown is of the first rows alone, where the dataset was cut. */
export function FirstRowsNotice({ firstRows }: { firstRows: number | undefined }) {
  if (firstRows === undefined) return null;
  return (
    <p className="widget-first xs" role="note">
      <TriangleAlert className="xs" aria-hidden />
      {firstRowsNotice(firstRows)}
    </p>
  );
}
