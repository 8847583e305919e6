import { useMutation } from '@tanstack/preact-query'
import { manifestLines } from '@tideport/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { describeError } from '../../api/describe-error.ts'
import { saveBlob } from '../../kept/save-blob.ts'
import { bytes } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'

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
        <Button look="main" busy={isPending} onClick={start} text={t.manifestGet} />
        {isPending && <Button onClick={() => abort.current?.abort()} text={text.value.app.cancel} />}
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

const PIECE = 1024 ** 2

/** Saves the manifest once it is complete. Browsers keep large blobs on disk. `onBytes` gets the size so far. */
async function saveManifest(signal: AbortSignal, onBytes: (bytes: number) => void): Promise<void> {
  const pieces: Blob[] = []
  let text = ''
  let bytes = 0
  const keep = () => {
    const piece = new Blob([text])
    pieces.push(piece)
    bytes += piece.size
    text = ''
    onBytes(bytes)
  }
  for await (const line of manifestLines(client(), { signal })) {
    text += `${JSON.stringify(line)}\n`
    if (text.length > PIECE) keep()
  }
  keep()
  saveBlob(`tideport-manifest-${new Date().toISOString().slice(0, 10)}.jsonl`, new Blob(pieces))
}
