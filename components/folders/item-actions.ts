import { showToast } from "@/components/ui/toast";
import { type FolderChoice, toFreeFolderName } from "@/lib/features/folders/browser/item-tree";
import type { Access, CreateFolderBody, Folder, UpdateFolderBody } from "@/lib/features/folders/schema";

/** Changes items and their folders. Reports failures itself; the functions then resolve to null. */
export type ItemKind = {
  change: (id: string, to: Partial<FolderChoice>) => Promise<unknown>;
  createFolder: (body: Required<CreateFolderBody> & Pick<Folder, "parentId" | "access">) => Promise<Folder | null>;
  changeFolder: (id: string, to: UpdateFolderBody) => Promise<Folder | null>;
};
type Item = FolderChoice & { id: string; name: string };

/** Creates the actions of trees and menus: moving, sharing and folders. Each move can be undone. */
export function makeFiling(itemKind: ItemKind) {
  const change = async (each: Item, to: Partial<FolderChoice>, said: string) => {
    const { folderId, access } = each;
    if ((await itemKind.change(each.id, to)) === null) return;
    const undo = () => void itemKind.change(each.id, { folderId, access });
    showToast(said, { id: `move-${each.id}`, action: { label: "Undo", onClick: undo } });
  };
  const changeFolder = async (folder: Folder, to: UpdateFolderBody, said: string) => {
    if ((await itemKind.changeFolder(folder.id, to)) === null) return;
    const { parentId, access } = folder;
    const undo = () => void itemKind.changeFolder(folder.id, { parentId, access });
    showToast(said, { id: `move-${folder.id}`, action: { label: "Undo", onClick: undo } });
  };
  return {
    move: (each: Item, to: FolderChoice, placeName: string) => {
      const isShared = each.access !== to.access && to.access === "workspace";
      const said = `${each.name} moved to ${placeName}.${isShared ? " Everyone in the workspace can see it." : ""}`;
      return change(each, to, said);
    },
    setAccess: (each: Item, access: Access) => {
      const said =
        access === "workspace"
          ? `${each.name} shared with the workspace`
          : `${each.name} is now private. Only you can see it.`;
      return change(each, { access, folderId: null }, said);
    },
    moveFolder: (folder: Folder, { folderId, access }: FolderChoice, placeName: string) =>
      changeFolder(folder, { parentId: folderId, access }, `${folder.name} moved to ${placeName}`),
    setFolderAccess: (folder: Folder, access: Access) =>
      changeFolder(
        folder,
        { access, parentId: null },
        access === "workspace"
          ? `${folder.name} and its contents are shared with the workspace.`
          : `${folder.name} and its contents are now private.`,
      ),
    /**
     * Creates a folder under a free name. @returns its id, for the rename that follows; null if it could not be created
     */
    createFolder: async ({ folderId, access }: FolderChoice, taken: readonly string[]): Promise<string | null> => {
      const folder = await itemKind.createFolder({ name: toFreeFolderName(taken), parentId: folderId, access });
      return folder?.id ?? null;
    },
  };
}
export type Filing = ReturnType<typeof makeFiling>;
