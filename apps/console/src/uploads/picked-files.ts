/** A file that is to be uploaded, and its path from what was dropped or picked: `holiday/beach.jpg`. */
export interface PickedFile {
  path: string
  file: File
  /** Where a browser finds it again after a reload, if it can. */
  handle?: FileSystemFileHandle | undefined
  /** What was picked or dropped, of which it is a part: for this a person is asked again. */
  root?: PickedRoot | undefined
}

export interface PickedRoot {
  id: string
  handle: FileSystemHandle
}

/** More files at once are refused: a browser that reads so many names is busy for minutes. */
export const pickedMax = 50_000

/** What some browsers have beside `<input type="file">`: what is picked so can be read again after a reload. */
interface Pickers {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>
  showDirectoryPicker?(): Promise<FileSystemDirectoryHandle>
}

const pickers = globalThis as Pickers

/** Has files picked in the browser's own dialog. Null: it has none that gives handles, so an `<input>` has to do. */
export async function pickFiles(): Promise<PickedFile[] | null> {
  if (pickers.showOpenFilePicker === undefined) return null
  const found: PickedFile[] = []
  for (const handle of await unlessLeft(pickers.showOpenFilePicker({ multiple: true }), []))
    await collect(handle, found)
  return found
}

/** The same for a folder with all that is in it. */
export async function pickFolder(): Promise<PickedFile[] | null> {
  if (pickers.showDirectoryPicker === undefined) return null
  const folder = await unlessLeft(pickers.showDirectoryPicker(), null)
  const found: PickedFile[] = []
  if (folder !== null) await collect(folder, found)
  return found
}

/** Of an `<input type="file">`, also one for folders. */
export function filesOfInput(list: FileList): PickedFile[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
}

type Dropped = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }

/** All files that were dropped, those in folders too, with their paths. To be called at once: later the list is empty. */
export async function filesOfDrop(transfer: DataTransfer): Promise<PickedFile[]> {
  const items = [...transfer.items] as Dropped[]
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry(), handle: item.getAsFileSystemHandle?.() }))
  const found: PickedFile[] = []
  for (const { entry, handle } of dropped) {
    const known = (await handle?.catch(() => null)) ?? null
    if (known !== null) await collect(known, found)
    else if (entry !== null) await collectEntry(entry, found)
  }
  return found
}

async function collect(handle: FileSystemHandle, found: PickedFile[]): Promise<void> {
  await collectHandle(handle, handle.name, { id: crypto.randomUUID(), handle }, found)
}

async function collectHandle(
  handle: FileSystemHandle,
  path: string,
  root: PickedRoot,
  found: PickedFile[],
): Promise<void> {
  if (found.length > pickedMax) return
  if (isFile(handle)) {
    found.push({ path, file: await handle.getFile(), handle, root })
    return
  }
  for await (const [name, one] of (handle as FileSystemDirectoryHandle).entries()) {
    await collectHandle(one, `${path}/${name}`, root, found)
  }
}

const isFile = (handle: FileSystemHandle): handle is FileSystemFileHandle => handle.kind === 'file'

async function collectEntry(entry: FileSystemEntry, found: PickedFile[]): Promise<void> {
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
    for (const one of some) await collectEntry(one, found)
  }
}

/** Whoever leaves the dialog has picked nothing. */
async function unlessLeft<T>(picked: Promise<T>, nothing: T): Promise<T> {
  try {
    return await picked
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return nothing
    throw error
  }
}
