import { toInitials } from "@/lib/platform/browser/format";
import { toPersonColour } from "@/lib/platform/browser/person-colour";
import "@/components/ui/page.css";

/** Avatar of a person: initials on a stable colour. The name is shown beside it. */
export function Mark({ id, name, isSmall = false }: { id: string; name: string; isSmall?: boolean }) {
  return (
    <span
      className={isSmall ? "ava s" : "ava"}
      style={{ background: toPersonColour(id) }}
      data-initials={toInitials(name)}
      aria-hidden="true"
    />
  );
}

/** A person in a column of a list: the avatar and the first name; the full name on hover. */
export function PersonCell({ id, name }: { id: string; name: string }) {
  return (
    <span className="row person-cell" title={name}>
      <Mark id={id} name={name} isSmall />
      <span className="t2 trunc">{name.split(/[\s@]/)[0]}</span>
    </span>
  );
}
