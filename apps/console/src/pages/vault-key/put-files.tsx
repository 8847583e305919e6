import { useSignal } from '@preact/signals'
import type { Vault } from '@tideport/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { describeError } from '../../api/describe-error.ts'
import { queryClient } from '../../api/query-client.ts'
import { uploadPrivate } from '../../private/upload-private.ts'
import { text } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'

interface Row {
  key: number
  name: string
  share: number
  fileId?: string
  error?: string
}

let lastKey = 0

/** Puts files into the vault, one after the other, encrypted on their way. */
export function PutFiles({ vault }: { vault: Vault }) {
  const t = text.value.privacy
  const rows = useSignal<readonly Row[]>([])
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const change = (key: number, change: Partial<Row>) => {
    rows.value = rows.value.map((row) => (row.key === key ? { ...row, ...change } : row))
  }
  const put = async (files: readonly File[]) => {
    const added = files.map((file) => ({ key: ++lastKey, name: file.name, share: 0, file }))
    rows.value = [...rows.value, ...added]
    for (const { key, file } of added) {
      try {
        const { id } = await uploadPrivate(file, {
          vaultId: vault.id,
          path: file.name,
          signal: leaving.current.signal,
          onProgress: ({ sentBytes, totalBytes }) => change(key, { share: totalBytes ? sentBytes / totalBytes : 0 }),
        })
        change(key, { share: 1, fileId: id })
      } catch (error) {
        change(key, { error: describeError(error) })
      }
    }
    void queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'file' })
  }
  return (
    <section class="card form" aria-label={t.putTitle}>
      <h2>{t.putTitle}</h2>
      <p>{t.putText}</p>
      <Field
        label={t.files}
        input={{
          type: 'file',
          multiple: true,
          onChange: (event) => {
            void put([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          },
        }}
      />
      <ul class="vault-key-files" aria-live="polite">
        {rows.value.map((row) => (
          <PutRow key={row.key} row={row} />
        ))}
      </ul>
    </section>
  )
}

function PutRow({ row: { name, share, fileId, error } }: { row: Row }) {
  const t = text.value.privacy
  if (fileId !== undefined) {
    return (
      <li>
        <Link href={`/files/${fileId}`}>{name}</Link> <span class="hint">{t.encrypted}</span>
      </li>
    )
  }
  return (
    <li>
      <bdi>{name}</bdi>
      {error === undefined ? <progress value={share} aria-label={name} /> : <span class="form-error">{error}</span>}
    </li>
  )
}
