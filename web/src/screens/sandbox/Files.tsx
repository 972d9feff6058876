import { t } from "@lingui/core/macro";
import { UnstyledButton } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { DeletedFile, SlackFile } from "../../data/slack";
import { size } from "../../parts/bytes";
import { tellProblem } from "../../tell";
import { useActing } from "./acting";
import classes from "./Message.module.css";

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The files of a message: pictures are shown, all can be saved. */
export function Files({ files }: { files: (SlackFile | DeletedFile)[] }) {
  return (
    <div className={classes.files}>
      {files.map((f) =>
        f.mode === "tombstone" ? (
          <span key={f.id} className={classes.faint}>
            {t`This file was deleted.`}
          </span>
        ) : (
          <OneFile key={f.id} file={f} />
        ),
      )}
    </div>
  );
}

function OneFile({ file }: { file: SlackFile }) {
  const slack = useActing();
  const save = async () => {
    try {
      const url = URL.createObjectURL(await slack.download(file));
      const link = document.createElement("a");
      link.href = url;
      link.download = file.name;
      link.click();
      URL.revokeObjectURL(url);
    } catch (e) {
      tellProblem(e);
    }
  };
  return (
    <UnstyledButton className={classes.file} onClick={() => void save()}>
      <span className="visually-hidden">{t({ message: "Download", context: "command" })} </span>
      {pictures.has(file.mimetype) ? <Picture file={file} /> : <IconFile size={18} stroke={1.5} aria-hidden />}
      <span className={classes.fileName} dir="auto">
        {file.name}
      </span>
      <span className={classes.faint}>{size(file.size)}</span>
    </UnstyledButton>
  );
}

function Picture({ file }: { file: SlackFile }) {
  const slack = useActing();
  const bytes = useQuery({ queryKey: ["slack-file", slack.me, file.id], queryFn: () => slack.download(file), staleTime: Number.POSITIVE_INFINITY }).data;
  const url = useMemo(() => bytes && URL.createObjectURL(bytes), [bytes]);
  useEffect(() => {
    if (url) return () => URL.revokeObjectURL(url);
    return undefined;
  }, [url]);
  return url ? <img src={url} alt="" className={classes.picture} /> : <IconFile size={18} stroke={1.5} aria-hidden />;
}
