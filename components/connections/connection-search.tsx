"use client";

import { Search } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useWorkspace } from "@/components/workspace/workspace-context";

/** Finds connections by a part of their name or kind; what is looked for stands in the address. */
export function ConnectionSearch() {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();
  const root = `/w/${workspace.slug}/connections`;

  const find = (text: string) => {
    const next = new URLSearchParams(path === root ? query : undefined);
    if (text === "") next.delete("q");
    else next.set("q", text);
    const address = next.size === 0 ? root : `${root}?${next}`;
    // Each letter is not a step to go back through.
    if (path === root) window.history.replaceState(null, "", address);
    else router.push(address);
  };

  return (
    <div className="input quiet sm nav-find">
      <Search className="s t3" />
      <input
        type="search"
        aria-label="Find a connection"
        placeholder="Find a connection"
        value={path === root ? (query.get("q") ?? "") : ""}
        onChange={(event) => find(event.target.value)}
      />
    </div>
  );
}
