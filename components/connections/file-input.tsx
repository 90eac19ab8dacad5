"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp, Trash2, X } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import type { ConnectionForm } from "@/components/connections/use-connection-form";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { LoadMore } from "@/components/ui/load-more";
import { toMessage } from "@/components/ui/to-message";
import { usePages } from "@/components/ui/use-pages";
import { connectionsApi, toUsages } from "@/lib/features/connections/browser/client";
import type { StoredFile } from "@/lib/features/connections/files/schema";
import type { ConfigField } from "@/lib/features/connections/schema";
import { toSize } from "@/lib/platform/browser/format";

type Upload = { name: string; sent: number; total: number; stop: AbortController };
type FileInputProps = {
  id: string;
  field: ConfigField;
  form: ConnectionForm;
  isDisabled: boolean;
  describedBy: string | undefined;
};

/** Selects a file of the workspace: an existing one, an upload, or a new name. */
export function FileInput({ id, field, form, isDisabled, describedBy }: FileInputProps) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const pickRef = useRef<HTMLInputElement>(null);
  const [upload, setUpload] = useState<Upload | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isOver, setIsOver] = useState(false);
  const key = ["files", workspace.id];
  const files = usePages(key, (cursor, signal) => connectionsApi.listFiles(workspace.id, cursor, signal));
  const value = String(form.values[field.name] ?? "");
  const isInvalid = form.problemOf(field.name) !== undefined;

  const send = async (file: File) => {
    const stop = new AbortController();
    setFailure(null);
    setUpload({ name: file.name, sent: 0, total: file.size, stop });
    try {
      const stored = await connectionsApi.uploadFile(workspace.id, file, {
        signal: stop.signal,
        onProgress: (sent) => setUpload((before) => before && { ...before, sent }),
      });
      form.set(field.name, stored.file);
      announce(`${stored.file} uploaded`);
    } catch (error) {
      if (!stop.signal.aborted) setFailure(toMessage(error));
    } finally {
      setUpload(null);
      // A first listing that is still loading was requested before this file existed.
      await queryClient.cancelQueries({ queryKey: key });
      await queryClient.invalidateQueries({ queryKey: key });
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file && !isDisabled && upload === null) void send(file);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is the shorter way; the button does the same
    <div
      className={isOver ? "file-box over" : "file-box"}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <div className="row file-line">
        <div className={`input mono-input grow${isInvalid ? " err" : ""}`}>
          <input
            id={id}
            value={value}
            placeholder="File name"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            disabled={isDisabled}
            aria-invalid={isInvalid ? true : undefined}
            aria-describedby={describedBy}
            onChange={(event) => form.set(field.name, event.target.value)}
            onBlur={() => form.check(field.name)}
          />
        </div>
        <button
          type="button"
          className="btn file-pick"
          disabled={isDisabled || upload !== null}
          onClick={() => pickRef.current?.click()}
        >
          <FileUp className="s" />
          Upload file
        </button>
        <input
          ref={pickRef}
          type="file"
          hidden
          aria-label="Upload file"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = "";
            if (file) void send(file);
          }}
        />
      </div>
      {upload && <UploadLine upload={upload} />}
      <FormFailure text={failure} />
      {files.isError && !files.data && <p className="xs t3">Couldn't load workspace files. {toMessage(files.error)}</p>}
      {(files.data?.length ?? 0) > 0 && (
        <ul className="file-list" aria-label="Workspace files">
          {files.data?.map((file) => (
            <FileLine
              key={file.file}
              file={file}
              isChosen={file.file === value}
              isDisabled={isDisabled}
              onChoose={() => form.set(field.name, file.file)}
            />
          ))}
        </ul>
      )}
      <LoadMore pages={files} label="Show more" className="link xs" />
    </div>
  );
}

function UploadLine({ upload: { name, sent, total, stop } }: { upload: Upload }) {
  const percent = total === 0 ? 100 : Math.floor((100 * sent) / total);
  const { value, unit } = toSize(total);
  return (
    <div className="row upload">
      <span className="trunc mono">{name}</span>
      <div
        className="upload-track"
        role="progressbar"
        aria-label={`Uploading ${name}`}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${percent}%` }} />
      </div>
      <span className="xs num t2">
        {percent}% of {value} {unit}
      </span>
      <button type="button" className="btn ghost icon sm" aria-label="Cancel upload" onClick={() => stop.abort()}>
        <X className="s" />
      </button>
    </div>
  );
}

type FileLineProps = { file: StoredFile; isChosen: boolean; isDisabled: boolean; onChoose: () => void };

function FileLine({ file, isChosen, isDisabled, onChoose }: FileLineProps) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const { value, unit } = toSize(file.bytes);
  const remove = useMutation({
    mutationFn: () => connectionsApi.removeFile(workspace.id, file.file),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["files", workspace.id] }),
  });
  const users = toUsages(remove.error);
  return (
    <li className={isChosen ? "row on" : "row"}>
      <button
        type="button"
        className="grow mono trunc file-name"
        aria-pressed={isChosen}
        disabled={isDisabled}
        onClick={onChoose}
      >
        {file.file}
      </button>
      <span className="xs t3 num">
        {value} {unit}
      </span>
      {!isDisabled && (
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label={`Delete ${file.file}`}
          onClick={() => setIsAsking(true)}
        >
          <Trash2 className="s" />
        </button>
      )}
      <Confirm
        title={`Delete ${file.file}?`}
        action="Delete file"
        isOpen={isAsking}
        isBusy={remove.isPending || remove.isSuccess}
        failure={
          remove.isError
            ? `${toMessage(remove.error)}${users === null ? "" : ` In use by ${users.map(({ name }) => name).join(", ")}.`}`
            : null
        }
        onConfirm={() => remove.mutate()}
        onClose={() => {
          setIsAsking(false);
          remove.reset();
        }}
      >
        <p>This deletes the file from the workspace. This can't be undone.</p>
      </Confirm>
    </li>
  );
}
