import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/**
 * A dialog that is not there before it is opened for the first time: a screen has many, and each would be drawn again
 * with it. It starts closed, so that it knows what had the focus before it opens.
 */
export function Dialog({ opened, ...props }: ModalProps) {
  const [there, setThere] = useState(false);
  useEffect(() => {
    if (opened) setThere(true);
  }, [opened]);
  return opened || there ? <Modal {...props} opened={opened && there} /> : null;
}
