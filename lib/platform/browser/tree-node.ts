/** A visible row of a tree, from the top down. `isExpanded` is undefined for a leaf; `parentId` is null for a root. */
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
