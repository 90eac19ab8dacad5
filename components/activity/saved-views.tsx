"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, Plus, X } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { readFilter, toFilterWords } from "@/components/activity/filters";
import { usePersonWords } from "@/components/activity/use-person-words";
import { NavList } from "@/components/layout/nav-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnectionName } from "@/components/schema/use-schema";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { accountApi } from "@/lib/features/accounts/browser/account";

/** Maximum number of saved views that a user can keep track of. */
const VIEWS_MAX = 20;

/** Queries of addresses that a user returns to, stored with their account. */
export function SavedViews() {
  const { workspace, user } = useWorkspace();
  const client = useQueryClient();
  const path = usePathname();
  const root = `/w/${workspace.slug}/activity`;
  const place = `activity:${workspace.id}`;
  const queryKey = ["activity-views", workspace.id];
  const views = useQuery({
    queryKey,
    queryFn: async ({ signal }) => readViews((await accountApi.readPreferences(signal)).panels[place]),
  });
  const save = useMutation({
    mutationFn: (next: string[]) => accountApi.updatePreferences({ panels: { [place]: { views: next } } }),
    onMutate: (next) => client.setQueryData(queryKey, next),
    onError: (error) => {
      showFailure(`Couldn't save the view. ${toMessage(error)}`);
      void client.invalidateQueries({ queryKey });
    },
  });
  const query = new URLSearchParams(useSearchParams());
  query.delete("open");
  const shown = path === root ? query.toString() : "";
  const all = views.data ?? [];
  const mayAdd = views.isSuccess && shown !== "" && !all.includes(shown) && all.length < VIEWS_MAX;
  const connectionName = useConnectionName();
  const personWords = usePersonWords();
  const nameOf = (view: string) =>
    toFilterWords(readFilter(new URLSearchParams(view), user.id), connectionName, personWords);
  return (
    <>
      <div className="row between saved-views-head">
        <h2 className="nav-head">Saved views</h2>
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label={shown === "" ? "Save view (add a filter first)" : "Save view"}
          disabled={!mayAdd}
          onClick={() => save.mutate([...all, shown])}
        >
          <Plus />
        </button>
      </div>
      {all.length === 0 ? (
        <p className="sec-note">Add filters, then save the view.</p>
      ) : (
        <NavList
          label="Saved views"
          items={all.map((view) => ({
            name: nameOf(view),
            icon: <Bookmark />,
            href: `${root}?${view}`,
            isOn: shown === view,
            action: (
              <button
                type="button"
                className="btn ghost icon sm nav-action"
                aria-label={`Remove view ${nameOf(view)}`}
                onClick={() => save.mutate(all.filter((each) => each !== view))}
              >
                <X />
              </button>
            ),
          }))}
        />
      )}
    </>
  );
}

/** Parses the stored views. The value may come from this version, an older one, or be missing. */
function readViews(kept: unknown): string[] {
  const views = typeof kept === "object" && kept !== null && "views" in kept ? kept.views : [];
  return Array.isArray(views) ? views.filter((view) => typeof view === "string").slice(0, VIEWS_MAX) : [];
}
