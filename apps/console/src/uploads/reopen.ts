import { type KeptUpload, readHandle } from './journal.ts'
import type { PickedFile } from './picked-files.ts'

type Askable = FileSystemHandle & { requestPermission?(options: { mode: 'read' }): Promise<PermissionState> }

/**
 * Reads again what was picked before a reload, as far as the browser knows where it is and a person agrees, who is asked
 * once for each folder or file that they picked. To be called when they press a button. Files that are gone are left out.
 */
export async function reopen(kept: readonly KeptUpload[]): Promise<PickedFile[]> {
  const agreed = new Map<string, boolean>()
  const found: PickedFile[] = []
  for (const { key, path, hasHandle } of kept) {
    const known = hasHandle ? await readHandle(key) : undefined
    if (known === undefined) continue
    const { handle, root } = known
    if (!agreed.has(root.id)) agreed.set(root.id, await mayRead(root.handle))
    if (agreed.get(root.id) !== true) continue
    const file = await handle.getFile().catch(() => null)
    if (file !== null) found.push({ path, file, handle, root })
  }
  return found
}

async function mayRead(handle: Askable): Promise<boolean> {
  // Some browsers have handles without questions.
  const state = await handle.requestPermission?.({ mode: 'read' }).catch(() => 'denied')
  return state === undefined || state === 'granted'
}
