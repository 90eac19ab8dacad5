"use client";

import { GitBranch, LayoutGrid, Plus } from "lucide-react";
import Link from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import { AppCard } from "@/components/apps/app-card";
import { toFeedKey, useFeed, useRepositoryLink } from "@/components/apps/use-apps";
import { NavFind } from "@/components/layout/nav-find";
import { Page } from "@/components/layout/page";
import { useOwnSteps } from "@/components/layout/use-address";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { NoneShown } from "@/components/ui/none-shown";
import { type Segment, Segments } from "@/components/ui/segments";
import { useIsPhone } from "@/components/ui/use-browser";
import type { Card } from "@/lib/features/apps/feed/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";
import "./apps.css";

const loadNewApp = later(() => import("@/components/apps/new-app"));
const NewApp = lazyComponent(loadNewApp, (module) => module.NewApp);

/**
 * Number of pages that load automatically while scrolling; further ones need a button (docs/develop/design.md, States).
 */
const PAGES_BY_THEMSELVES = 5;
/** The feed is more expensive for the server than a list, and events of many users arrive together. */
const GATHER_MS = 2000;
/** Distance below the viewport at which the next page is requested. */
const AHEAD = "600px";

/** Filter of the apps page, as in its address. */
type Show = "all" | "mine" | "favorites" | "shared";
const HEADINGS: Record<Exclude<Show, "all">, string> = {
  mine: "My apps",
  favorites: "Favourites",
  shared: "Shared by link",
};

/** Sections of the sidebar, for phones, which have none. */
const PHONE_PARTS: readonly Segment<Show>[] = [
  { value: "all", label: "All" },
  { value: "mine", label: "My apps" },
  { value: "favorites", label: "Favourites" },
  { value: "shared", label: "Shared" },
];

/** Lists all apps that the user may see: popular ones, new ones, then the rest in an order personal to the user. */
export function AppsHome() {
  const { workspace, user } = useWorkspace();
  const feed = useFeed();
  useRefresh([toFeedKey(workspace.id)], ({ kind, data }) => kind === "app" && data.resourceType === "app", GATHER_MS);
  const isLinked = Boolean(useRepositoryLink().data?.repo);
  const query = useSearchParams();
  useOwnSteps();
  const router = useRouter();
  const pathname = usePathname();
  const isPhone = useIsPhone();
  const root = `/w/${workspace.slug}/apps`;
  const search = (query.get("q") ?? "").trim();
  const asked = query.get("show");
  const show: Show = asked === "mine" || asked === "favorites" || asked === "shared" ? asked : "all";
  const isNew = query.get("new") !== null;

  const pages = feed.data?.pages ?? [];
  const popular = pages[0]?.popular ?? [];
  const fresh = pages[0]?.fresh ?? [];
  const apps = pages.flatMap((page) => page.apps);
  const all = [...popular, ...fresh, ...apps];
  const isNarrowed = search !== "" || show !== "all";
  const found = all.filter((card) => isOf(card, show, user.id) && holds(card, search.toLowerCase()));
  const closeNew = () => {
    const rest = new URLSearchParams(query);
    rest.delete("new");
    router.replace(rest.size === 0 ? pathname : `${pathname}?${rest}`);
  };
  const add = (
    <Link className="btn primary" href={`${root}?new=1`}>
      <Plus className="s" />
      New app
    </Link>
  );
  const link = (
    <Link className="btn" href={`${root}/link`}>
      <GitBranch className="s" />
      {isLinked ? "Linked repository" : "Link repository"}
    </Link>
  );
  return (
    <Page
      title="Apps"
      actions={
        all.length > 0 && (
          <>
            {link}
            {add}
          </>
        )
      }
      isWide
    >
      {isPhone && all.length > 0 && (
        <div className="apps-phone-find">
          <NavFind label="Search apps" root={root} />
          <Segments
            label="App filter"
            value={show}
            options={PHONE_PARTS}
            onChange={(next) => window.history.replaceState(null, "", next === "all" ? root : `${root}?show=${next}`)}
          />
        </div>
      )}
      {feed.isPending && <CardBones />}
      {feed.isError && !feed.data && <LoadFailure error={feed.error} onRetry={() => feed.refetch()} />}
      {feed.data && all.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <LayoutGrid />
          </span>
          <h2>No apps yet</h2>
          <p>Build small tools on your workspace's data. Start from a template.</p>
          <div className="row">
            {add}
            {link}
          </div>
        </div>
      )}
      {isNarrowed ? (
        <Shelf
          title={search === "" && show !== "all" ? HEADINGS[show] : "Results"}
          note=""
          cards={found}
          tells="views"
        />
      ) : (
        <>
          <Shelf title="Popular" note="Most viewed this week" cards={popular} tells="views" />
          <Shelf title="New" note="Recently created or published" cards={fresh} tells="age" />
          <Shelf title="Recommended for you" note="Based on what your team uses" cards={apps} tells="views" />
        </>
      )}
      {feed.data && all.length > 0 && isNarrowed && found.length === 0 && !feed.hasNextPage && (
        <NoneShown noun="app" search={search} alsoBy="description" href={root} />
      )}
      {feed.data && isNarrowed && found.length === 0 && feed.hasNextPage && (
        <p className="t2 apps-so-far">No matches in the first {formatCountOf(all.length, "app")}.</p>
      )}
      {feed.data && <MorePages feed={feed} isByItself={pages.length < PAGES_BY_THEMSELVES} isSearching={isNarrowed} />}
      {isNew && <NewApp onClose={closeNew} />}
    </Page>
  );
}

function isOf({ owner, favorite, shared }: Card, show: Show, userId: string): boolean {
  switch (show) {
    case "all":
      return true;
    case "mine":
      return owner.id === userId;
    case "favorites":
      return favorite;
    case "shared":
      return shared;
  }
}

function holds({ title, description, slug, owner }: Card, search: string): boolean {
  return `${title} ${description} ${slug} ${owner.name}`.toLowerCase().includes(search);
}

type ShelfProps = { title: string; note: ReactNode; cards: Card[]; tells: "views" | "age" };

function Shelf({ title, note, cards, tells }: ShelfProps) {
  if (cards.length === 0) return null;
  return (
    <section className="app-shelf" aria-label={title}>
      <div className="row app-shelf-head">
        <h2>{title}</h2>
        {note !== "" && <span className="xs t2">{note}</span>}
      </div>
      <ul className="app-grid">
        {cards.map((card) => (
          <AppCard key={card.id} card={card} tells={tells} />
        ))}
      </ul>
    </section>
  );
}

type MorePagesProps = { feed: ReturnType<typeof useFeed>; isByItself: boolean; isSearching: boolean };

/** Loads further pages: automatically near the end of the list at first, then by a button. */
function MorePages({ feed, isByItself, isSearching }: MorePagesProps) {
  const markRef = useRef<HTMLDivElement>(null);
  const isOn = isByItself && !isSearching && feed.hasNextPage && !feed.isFetchNextPageError;
  const read = useEffectEvent(() => {
    if (!feed.isFetching) void feed.fetchNextPage();
  });
  const shown = feed.data?.pages.length ?? 0;
  useEffect(() => {
    const mark = markRef.current;
    // Created again with each page: the mark may still be near, and the observer would not report that.
    if (!isOn || !mark || shown === 0) return;
    const watcher = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && read(), {
      root: mark.closest(".page"),
      rootMargin: AHEAD,
    });
    watcher.observe(mark);
    return () => watcher.disconnect();
  }, [isOn, shown]);
  return (
    <div ref={markRef} className="apps-more">
      {isOn ? (
        feed.isFetchingNextPage && <CardBones />
      ) : (
        <LoadMore pages={feed} label={isSearching ? "Search more apps" : "Load more"} className="btn" />
      )}
    </div>
  );
}

/** Placeholder cards while the feed loads. */
function CardBones() {
  return (
    <div className="app-grid app-bones" role="status" aria-label="Loading apps">
      {Array.from({ length: 8 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones have no names and never move
        <div key={i} className="app-card">
          <i className="bone app-thumb" />
          <i className="bone" style={{ width: "62%" }} />
          <i className="bone" style={{ width: "40%" }} />
        </div>
      ))}
    </div>
  );
}
