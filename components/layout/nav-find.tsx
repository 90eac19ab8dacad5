"use client";

import { Search } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTyped } from "@/components/ui/use-typed";
import "@/components/ui/page.css";

/**
 * Finds things of a list by a part of their name; what is looked for stands in the address.
 * @param root the list's own address
 */
export function NavFind({ label, root }: { label: string; root: string }) {
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();

  const find = (text: string) => {
    // The address is ahead of what is drawn: who has just pressed another part of the list looks there.
    const { pathname, search } = window.location;
    const next = new URLSearchParams(pathname === root ? search : undefined);
    if (text === "") next.delete("q");
    else next.set("q", text);
    const address = next.size === 0 ? root : `${root}?${next}`;
    // Each letter is not a step to go back through.
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
