"use client";

import { ImageDown } from "lucide-react";
import { savePicture } from "@/components/chart/save-picture";
import { useChartTheme } from "@/components/chart/use-chart-theme";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuItem } from "@/components/ui/menu";
import { showFailure } from "@/components/ui/toast";

type PictureMenuProps = Omit<Parameters<typeof savePicture>[0], "theme" | "data"> & {
  data: Parameters<typeof savePicture>[0]["data"] | null;
};

/** Menu that saves the chart as a picture, in the colours of the page. */
export function PictureMenu({ data, ...ask }: PictureMenuProps) {
  const theme = useChartTheme();
  const save = async (format: "png" | "svg") => {
    if (data === null) return;
    try {
      await savePicture({ ...ask, data, theme }, format);
      announce("The picture is saved.");
    } catch {
      showFailure("The picture could not be made. Try the other format, or another kind of chart.");
    }
  };
  return (
    <Menu
      trigger={
        <button type="button" className="btn sm" disabled={data === null}>
          <ImageDown className="s" />
          Save picture
        </button>
      }
    >
      <MenuItem onSelect={() => void save("png")}>PNG, for documents and chats</MenuItem>
      <MenuItem onSelect={() => void save("svg")}>SVG, sharp at any size</MenuItem>
    </Menu>
  );
}
