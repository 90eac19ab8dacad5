"use client";

import { useState } from "react";
import { AppFrame } from "@/components/apps/view/app-frame";
import { useFrame } from "@/components/layout/use-frame";
import { isLockedOut, SharedPage } from "@/components/shares/shared-page";
import { UnlockShare } from "@/components/shares/unlock-share";
import { shareApi } from "@/lib/features/shares/browser/client";
import "@/components/ui/page.css";
import "./app-view.css";

type SharedAppProps = { token: string; title: string; description: string };

/** Page of an app shared by link, which needs no account. */
export function SharedApp({ token, title, description }: SharedAppProps) {
  useFrame();
  const [isLocked, setIsLocked] = useState(false);
  const unlocked = async () => {
    try {
      await shareApi.mintViewToken(token);
    } catch (error) {
      if (isLockedOut(error)) return false;
    }
    setIsLocked(false);
    return true;
  };
  return (
    <SharedPage className="shared-app">
      {isLocked ? (
        <UnlockShare token={token} title={title} description={description} onUnlocked={unlocked} />
      ) : (
        <main className="page app-view" aria-labelledby="page-title">
          <div className="app-bar">
            <h1 id="page-title" className="trunc">
              {title}
            </h1>
          </div>
          <div className="app-host">
            <AppFrame
              title={title}
              mint={() => shareApi.mintViewToken(token)}
              onFailure={(error) => isLockedOut(error) && setIsLocked(true)}
            />
          </div>
        </main>
      )}
    </SharedPage>
  );
}
