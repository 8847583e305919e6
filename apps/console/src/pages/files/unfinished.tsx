import { useEffect, useState } from 'preact/hooks'
import { toastError } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { forgetUploads, type KeptUpload, readUnfinished } from '../../uploads/journal.ts'
import { reopen } from '../../uploads/reopen.ts'
import { uploads } from '../../uploads/upload-list.ts'
import type { Target } from '../../uploads/uploads.ts'
import { addPicked } from './drop-zone.tsx'

const namesMax = 5

/** Uploads to this vault that a reload or a crash cut off. Some browsers find the files again; others have them picked. */
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
  // Their paths are whole: they are of no folder that is open now.
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
        <Button onClick={() => void forget()}>{t.forgetUnfinished}</Button>
        {mayGoOn && (
          <Button look="main" onClick={() => void goOn().catch(toastError)}>
            {t.goOn}
          </Button>
        )}
      </div>
    </section>
  )
}
