import { useSignal } from '@preact/signals'
import type { FileRecord } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { linesIn, TextField } from '../../ui/text-field.tsx'
import { useUpdateFile } from './file-mutations.ts'
import { patchOf, readPairs, writePairs } from './pairs.ts'

/** Metadata, tags and the end of a file, edited as text: quicker by keyboard than a field for each. */
export function LabelsDialog({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const t = text.value.file
  const wrong = useSignal<string | undefined>(undefined)
  const { mutate, isPending, error } = useUpdateFile(onClose)
  const submit = (fields: FormData) => {
    const pairs = readPairs(String(fields.get('metadata') ?? ''))
    wrong.value = pairs === null ? t.pairsWrong : undefined
    if (pairs === null) return
    const expires = String(fields.get('expiresAt'))
    mutate({
      fileId: file.id,
      ...(file.sealedMetadata === null && {
        metadata: patchOf(file.metadata, pairs),
        tags: linesIn(fields, 'tags') ?? [],
      }),
      expiresAt: expires === '' ? null : new Date(expires).toISOString(),
    })
  }
  return (
    <FormDialog
      title={t.details}
      submit={text.value.app.save}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={submit}
    >
      {file.sealedMetadata === null && (
        <>
          <TextField
            label={t.metadata}
            hint={t.metadataHint}
            error={wrong.value}
            input={{ name: 'metadata', rows: 4, defaultValue: writePairs(file.metadata) }}
          />
          <TextField label={t.tags} hint={t.tagsHint} input={{ name: 'tags', defaultValue: file.tags.join('\n') }} />
        </>
      )}
      <Field
        label={t.expires}
        hint={t.expiresHint}
        input={{ name: 'expiresAt', type: 'datetime-local', defaultValue: localTime(file.expiresAt) }}
      />
    </FormDialog>
  )
}

/** As the field takes it: the reader's own time, without a zone. */
function localTime(iso: string | null): string {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
