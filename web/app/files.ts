import type { Purpose } from '../page/opening.ts';
import type { FileHandle, Recent } from '../page/recent.ts';
import type { Workbench } from '../page/workbench.ts';
import { prepareTraceView } from './load.ts';

/** The part of the File System Access API that is used. The DOM types lack it, as do some browsers. */
interface Picker {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileHandle[]>;
}

/** Id of the field for files, for browsers without pickers. */
export const FILE_INPUT = 'file-input';

/** Prepares for a file that is likely to come. */
export function warm(workbench: Workbench): void {
  workbench.warm();
  void prepareTraceView();
}

let purpose: Purpose = 'open';

/** What the files are for that the user has chosen in the browser's file dialog. */
export function purposeOfChoice(): Purpose {
  return purpose;
}

/** Opens the browser's file dialog, and then the files. */
export async function chooseFile(workbench: Workbench, recent: Recent, wanted: Purpose): Promise<void> {
  warm(workbench);
  purpose = wanted;
  const files = canPick() ? await pickFiles(recent) : null;
  if (!files) document.getElementById(FILE_INPUT)?.click();
  else if (files.length > 0) void workbench.openFiles(files, wanted);
}

/** Whether the user can choose files that the browser can open again later. */
function canPick(): boolean {
  return (globalThis as Picker).showOpenFilePicker !== undefined;
}

/** Lets the user choose files, and notes their handles. Null if the browser does not allow it here, as in a frame of another origin. */
async function pickFiles(recent: Recent): Promise<readonly File[] | null> {
  let handles: FileHandle[];
  try {
    handles = (await (globalThis as Picker).showOpenFilePicker?.({ multiple: true })) ?? [];
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? [] : null;
  }
  return Promise.all(
    handles.map(async (handle) => {
      const file = await handle.getFile();
      recent.know(file, handle);
      return file;
    }),
  );
}

/** The files of a drop. Their handles are noted where the browser has them, which is a moment later. */
export function droppedFiles(data: DataTransfer, recent: Recent): readonly File[] {
  const files = [...data.files];
  for (const item of data.items) {
    const asked = item as DataTransferItem & { getAsFileSystemHandle?(): Promise<FileHandle | null> };
    if (item.kind !== 'file' || !asked.getAsFileSystemHandle) continue;
    // Only within the event.
    const file = item.getAsFile();
    const known = file && files.find(({ name, size }) => name === file.name && size === file.size);
    if (!known) continue;
    asked.getAsFileSystemHandle().then(
      (handle) => handle?.kind === 'file' && recent.know(known, handle),
      () => undefined,
    );
  }
  return files;
}
