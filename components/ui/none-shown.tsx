import Link from "next/link";
import "@/components/ui/page.css";

type NoneShownProps = {
  /** What the list holds, in one word: "flow". */
  noun: string;
  /** What was searched for; "" where a part of the list is empty. */
  search: string;
  /** Of what else than the name a part is looked for: "kind". */
  alsoBy?: string;
  /** Shows all of them. */
  href: string;
};

/** A list that has lines, of which none is shown. */
export function NoneShown({ noun, search, alsoBy, href }: NoneShownProps) {
  return (
    <div className="empty blank">
      <h2>{search === "" ? "None here" : `Nothing is called "${search}"`}</h2>
      <p>
        {search === ""
          ? `No ${noun} of this workspace belongs to this part of the list.`
          : `Look for a part of the name${alsoBy === undefined ? "" : `, or of the ${alsoBy}`}.`}
      </p>
      <div className="row">
        <Link className="btn" href={href}>
          Show all {noun}s
        </Link>
      </div>
    </div>
  );
}
