import { TriangleAlert } from "lucide-react";
import { firstRowsNotice } from "@/lib/base/values/cut-rows";
import "./widgets.css";

/** Notice that only the first rows of a truncated dataset are shown. */
export function FirstRowsNotice({ firstRows }: { firstRows: number | undefined }) {
  if (firstRows === undefined) return null;
  return (
    <p className="widget-first xs" role="note">
      <TriangleAlert className="xs" aria-hidden />
      {firstRowsNotice(firstRows)}
    </p>
  );
}
