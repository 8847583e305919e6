import { useEffect, useState } from 'preact/hooks'
import { toastError } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { forgetUploads, type KeptUpload, readHandle, readUnfinished } from '../../uploads/journal.ts'
import type { PickedFile } from '../../uploads/picked-files.ts'
import { uploads } from '../../uploads/upload-list.ts'
import type { Target } from '../../uploads/uploads.ts'
import { addPicked } from './drop-zone.tsx'

const namesMax = 5

/** Uploads that a reload or a crash interrupted. Some browsers find the files again; in others the user picks them. */
export function Unfinished({ target: { vaultId }, mayUpload }: { target: Target; mayUpload: boolean }) {
  const t = text.value.files
  const [kept, setKept] = useState<readonly KeptUpload[]>([])
  useEffect(() => {
    void readUnfinished(vaultId).then(setKept)
  }, [vaultId])
  const taken = new Set(uploads.value.map(({ key }) => key))
  const left = kept.filter(({ key }) => !taken.has(key))
  if (left.length === 0) return null
  const forget = async () => {
    setKept([])
    await forgetUploads(left.map(({ key }) => key))
  }
  // Paths of kept uploads are complete.
  const goOn = async () => addPicked({ vaultId, folder: '' }, await reopen(left))
  const mayGoOn = mayUpload && left.some(({ hasHandle }) => hasHandle)
  return (
    <section class="card">
      <h2>{t.unfinished(left.length)}</h2>
      <p class="hint">{mayGoOn ? t.unfinishedHere : t.unfinishedText}</p>
      <ul class="names">
        {left.slice(0, namesMax).map(({ key, path }) => (
          <li key={key}>{path}</li>
        ))}
      </ul>
      <div class="form-end">
        <Button onClick={() => void forget()} text={t.forgetUnfinished} />
        {mayGoOn && <Button look="main" onClick={() => void goOn().catch(toastError)} text={t.goOn} />}
      </div>
    </section>
  )
}

type Askable = FileSystemHandle & { requestPermission?(options: { mode: 'read' }): Promise<PermissionState> }

/**
 * Reopens the files for which the browser has handles. The browser prompts for permission once per picked folder or
 * file, so call this in a click handler. Omits missing files.
 */
async function reopen(kept: readonly KeptUpload[]): Promise<PickedFile[]> {
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
  // Some browsers have handles without permissions.
  const state = await handle.requestPermission?.({ mode: 'read' }).catch(() => 'denied')
  return state === undefined || state === 'granted'
}
