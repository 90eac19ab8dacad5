/** One visible row of a tree, from the top down. `isExpanded` undefined marks a leaf; `parentId` null a root. */
export type TreeNode = {
  id: string;
  parentId: string | null;
  level: number;
  label: string;
  isExpanded?: boolean;
  isSmall?: boolean;
  positionInSet: number;
  setSize: number;
};
