/** `path` is relative to the parent of the picked folder or file: `holiday/beach.jpg`. */
export interface PickedFile {
  path: string
  file: File
  /** For opening the file again after a reload. */
  handle?: FileSystemFileHandle | undefined
  /** The picked folder or file, for which the browser asks permission. */
  root?: PickedRoot | undefined
}

export interface PickedRoot {
  id: string
  handle: FileSystemHandle
}

/** Reading more names would block the browser for minutes. */
export const pickedMax = 50_000

/** Some browsers return handles, which stay valid after a reload. */
interface Pickers {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>
  showDirectoryPicker?(): Promise<FileSystemDirectoryHandle>
}

const pickers = globalThis as Pickers

/** Null: the browser has no such dialog; use an `<input>`. */
export async function pickFiles(): Promise<PickedFile[] | null> {
  if (pickers.showOpenFilePicker === undefined) return null
  const found: PickedFile[] = []
  for (const handle of await unlessLeft(pickers.showOpenFilePicker({ multiple: true }), []))
    await collect(handle, found)
  return found
}

export async function pickFolder(): Promise<PickedFile[] | null> {
  if (pickers.showDirectoryPicker === undefined) return null
  const folder = await unlessLeft(pickers.showDirectoryPicker(), null)
  const found: PickedFile[] = []
  if (folder !== null) await collect(folder, found)
  return found
}

export function filesOfInput(list: FileList): PickedFile[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
}

type Dropped = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }

/** Call this in the event handler: the list is empty later. */
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
  // Returns entries in batches; an empty batch is the end of the list.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return
    for (const one of some) await collectEntry(one, found)
  }
}

/** Closing the dialog picks nothing. */
async function unlessLeft<T>(picked: Promise<T>, nothing: T): Promise<T> {
  try {
    return await picked
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return nothing
    throw error
  }
}
