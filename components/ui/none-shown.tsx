import Link from "next/link";
import "@/components/ui/page.css";

type NoneShownProps = {
  /** Singular noun of an item: "flow". */
  noun: string;
  /** The search text; "" if a section of the list is empty. */
  search: string;
  /** Further field that the search covers: "kind". */
  alsoBy?: string;
  /** Address that shows all items. */
  href: string;
};

/** Says that no line of a list matches. */
export function NoneShown({ noun, search, alsoBy, href }: NoneShownProps) {
  return (
    <div className="empty blank">
      <h2>{search === "" ? "No results" : `No results for "${search}"`}</h2>
      <p>
        {search === ""
          ? `No ${noun} matches this filter.`
          : `Search by name${alsoBy === undefined ? "" : ` or ${alsoBy}`}.`}
      </p>
      <div className="row">
        <Link className="btn" href={href}>
          Show all {noun}s
        </Link>
      </div>
    </div>
  );
}
