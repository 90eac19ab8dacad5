import { Lock } from "lucide-react";
import Link from "next/link";
import "@/components/ui/page.css";

type CannotOpenProps = {
  /** Noun of the missing object: "connection", "flow". */
  what: string;
  back: { href: string; label: string };
};

/** Shown for no access and for not found alike (docs/develop/design.md, States). */
export function CannotOpen({ what, back }: CannotOpenProps) {
  return (
    <main className="page" aria-labelledby="page-title">
      <div className="page-in">
        <div className="empty blank">
          <span className="empty-mark">
            <Lock />
          </span>
          <h1 id="page-title">You can't open this {what}</h1>
          <p>It doesn't exist, or you don't have access. Ask the person who sent the link.</p>
          <div className="row">
            <Link className="btn" href={back.href}>
              {back.label}
            </Link>
          </div>
        </div>
      </div>
    </main>
  );
}
