/** A file that is to be uploaded, and its path from what was dropped or picked: `holiday/beach.jpg`. */
export interface PickedFile {
  path: string
  file: File
}

/** More files at once are refused: a browser that reads so many names is busy for minutes. */
export const pickedMax = 50_000

/** Of an `<input type="file">`, also one for folders. */
export function filesOfInput(list: FileList): PickedFile[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
}

/** All files that were dropped, those in folders too, with their paths. To be called at once: later the list is empty. */
export async function filesOfDrop(transfer: DataTransfer): Promise<PickedFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const found: PickedFile[] = []
  for (const entry of entries) await collect(entry, found)
  return found
}

async function collect(entry: FileSystemEntry, found: PickedFile[]): Promise<void> {
  if (found.length > pickedMax) return
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ path: entry.fullPath.replace(/^\//, ''), file })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  // It tells so many at a time, and none when there are no more.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return
    for (const one of some) await collect(one, found)
  }
}
