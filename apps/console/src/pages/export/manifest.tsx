import { useMutation } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import { describeError } from '../../api/describe-error.ts'
import { bytes } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { saveManifest } from './save-manifest.ts'

export function Manifest() {
  const t = text.value.export
  const [read, setRead] = useState(0)
  const abort = useRef<AbortController | null>(null)
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn({ signal }: AbortController) {
      setRead(0)
      return saveManifest(signal, setRead)
    },
    meta: { toldByForm: true },
  })
  useEffect(() => () => abort.current?.abort(), [])
  const start = () => {
    abort.current = new AbortController()
    mutate(abort.current)
  }
  const failure = error === null || abort.current?.signal.aborted ? '' : describeError(error)
  return (
    <section class="card">
      <h2>{t.manifest}</h2>
      <p>{t.manifestText}</p>
      <div class="row-actions">
        <Button look="main" busy={isPending} onClick={start}>
          {t.manifestGet}
        </Button>
        {isPending && <Button onClick={() => abort.current?.abort()}>{text.value.app.cancel}</Button>}
      </div>
      {isPending && <progress aria-label={t.manifest} />}
      {isPending && <p class="hint">{t.soFar(bytes(read))}</p>}
      <p class="hint" role="status">
        {isPending ? t.manifestReading : isSuccess ? t.manifestSaved : ''}
      </p>
      <p class="form-error" role="alert">
        {failure}
      </p>
    </section>
  )
}
