"use client";

import { Search } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTyped } from "@/components/ui/use-typed";
import "@/components/ui/page.css";

/**
 * Filters a list by part of a name. The address holds the search text.
 * @param root the list's address
 */
export function NavFind({ label, root }: { label: string; root: string }) {
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();

  const find = (text: string) => {
    // The address is ahead of the rendered state: after a click on another section, the search runs there.
    const { pathname, search } = window.location;
    const next = new URLSearchParams(pathname === root ? search : undefined);
    if (text === "") next.delete("q");
    else next.set("q", text);
    const address = next.size === 0 ? root : `${root}?${next}`;
    // Typing does not add history entries.
    if (pathname === root) window.history.replaceState(null, "", address);
    else router.push(address);
  };
  const [typed, type] = useTyped(path === root ? (query.get("q") ?? "") : "", find);

  return (
    <div className="input quiet sm nav-find">
      <Search className="s t3" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
    </div>
  );
}
