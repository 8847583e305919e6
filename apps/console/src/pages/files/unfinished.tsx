import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { forgetUpload, type KeptUpload, readUploads } from '../../uploads/journal.ts'
import { uploads } from '../../uploads/uploads.ts'

const namesMax = 5

/** Uploads to this vault that a reload or a crash cut off. A browser gives no file back by itself. */
export function Unfinished({ vaultId }: { vaultId: string }) {
  const t = text.value.files
  const kept = useSignal<readonly KeptUpload[]>([])
  useEffect(() => {
    void readUploads().then((all) => {
      kept.value = all.filter((upload) => upload.vaultId === vaultId)
    })
  }, [vaultId, kept])
  const taken = new Set(uploads.value.map(({ key }) => key))
  const left = kept.value.filter(({ key }) => !taken.has(key))
  if (left.length === 0) return null
  const forget = async () => {
    kept.value = []
    for (const { key } of left) await forgetUpload(key)
  }
  return (
    <section class="card">
      <h2>{t.unfinished(left.length)}</h2>
      <p class="hint">{t.unfinishedText}</p>
      <ul class="names">
        {left.slice(0, namesMax).map(({ key, path }) => (
          <li key={key}>{path}</li>
        ))}
      </ul>
      <div class="form-end">
        <Button onClick={() => void forget()}>{t.forgetUnfinished}</Button>
      </div>
    </section>
  )
}
