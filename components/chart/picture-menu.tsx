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
      announce("Image exported");
    } catch {
      showFailure("Couldn't export the image. Try another format.");
    }
  };
  return (
    <Menu
      trigger={
        <button type="button" className="btn sm" disabled={data === null}>
          <ImageDown className="s" />
          Export image
        </button>
      }
    >
      <MenuItem onSelect={() => void save("png")}>Export PNG</MenuItem>
      <MenuItem onSelect={() => void save("svg")}>Export SVG</MenuItem>
    </Menu>
  );
}
