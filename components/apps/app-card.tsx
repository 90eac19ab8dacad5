"use client";

import { AppWindow, Lock, Star } from "lucide-react";
import Link from "next/link";
import { useFavorite } from "@/components/apps/use-apps";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Mark } from "@/components/ui/person";
import { useNow } from "@/components/ui/use-browser";
import type { Card } from "@/lib/features/apps/feed/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";

const AGE_EVERY_MS = 60_000;

type AppCardProps = {
  card: Card;
  /** Detail beside the owner: the number of views, or the time since the last publish. */
  tells: "views" | "age";
};

/** Card of an app: picture, title, owner. An app that was never published opens in its workbench. */
export function AppCard({ card, tells }: AppCardProps) {
  const { workspace, user } = useWorkspace();
  const { slug, title, description, access, owner, thumbnailUrl, publishedAt, updatedAt, views, favorite } = card;
  const keep = useFavorite(card);
  const now = useNow(tells === "age", AGE_EVERY_MS);
  const at = new Date(publishedAt ?? updatedAt);
  const isMine = owner.id === user.id;
  const root = `/w/${workspace.slug}/apps/${slug}`;
  return (
    <li className="app-card">
      <Link href={publishedAt === null ? `${root}/edit` : root} className="app-open">
        <span className="app-thumb" aria-hidden="true">
          {thumbnailUrl === null ? (
            <AppWindow />
          ) : (
            // biome-ignore lint/performance/noImgElement: the server sends it in its final size
            <img src={thumbnailUrl} alt="" loading="lazy" decoding="async" />
          )}
        </span>
        <span className="app-words">
          <Mark id={owner.id} name={owner.name} />
          <span className="app-text">
            <span className="b6 trunc app-title">{title}</span>
            {description !== "" && <span className="xs t2 trunc">{description}</span>}
            <span className="xs t3 trunc" title={formatStamp(at)}>
              {publishedAt === null
                ? `${isMine ? "You" : owner.name}, not published`
                : `${owner.name.split(/[\s@]/)[0]}, ${
                    tells === "views"
                      ? formatCountOf(views, "view")
                      : now === null
                        ? formatStamp(at)
                        : formatAgo(at, new Date(now))
                  }`}
            </span>
          </span>
          {access === "private" && (
            <span className="app-sign" title="Only you">
              <Lock className="s" aria-hidden="true" />
              <span className="sr-only">Only you</span>
            </span>
          )}
        </span>
      </Link>
      <span className="app-keep">
        <button
          type="button"
          className={favorite ? "app-star on" : "app-star"}
          aria-pressed={favorite}
          aria-label={`Favourite ${title}`}
          title={favorite ? "Remove from favourites" : "Add to favourites"}
          onClick={() => keep.mutate(!favorite)}
        >
          <Star className="s" aria-hidden="true" />
        </button>
      </span>
    </li>
  );
}
