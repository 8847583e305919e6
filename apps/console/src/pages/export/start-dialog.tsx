import { type ExportAccountInput, type ExportTarget, exportAccount } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { choicesOf } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type FormField, typedIn } from '../../ui/form-fields.tsx'

const day = 86_400
/** In seconds; null: until the user deletes the files. */
const lives = { week: 7 * day, month: 30 * day, ever: null } as const
type Life = keyof typeof lives

export function StartDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.export
  const [where, setWhere] = useState('vault')
  const isToBucket = where === 'bucket'
  const choices = [
    { value: 'vault', label: t.toVault, hint: t.startText },
    { value: 'bucket', label: t.toBucket, hint: t.toBucketText },
  ]
  const wantedIn = (fields: FormData): ExportAccountInput =>
    isToBucket
      ? { target: bucketIn(fields) }
      : { filesExpireAfterSeconds: lives[fields.get('filesExpireAfterSeconds') as Life] }
  return (
    <FormDialog
      title={t.start}
      submit={t.start}
      fields={[
        { kind: 'choices', name: 'where', label: t.where, choices, onChange: setWhere },
        ...(isToBucket ? bucketFields() : [lifeField()]),
      ]}
      run={(fields) => exportAccount(client(), wantedIn(fields))}
      changes={['jobs']}
      onDone={() => toast(t.started)}
      onClose={onClose}
    />
  )
}

function lifeField(): FormField {
  const t = text.value.export
  const choices = choicesOf(Object.keys(lives) as Life[], t.lives)
  return { kind: 'select', name: 'filesExpireAfterSeconds', label: t.life, choices, value: 'month' }
}

function bucketFields(): FormField[] {
  const t = text.value.export
  const plain = { autocapitalize: 'off', spellcheck: false } as const
  const needed = { ...plain, required: true }
  return [
    { name: 'endpoint', label: t.endpoint, hint: t.endpointHint, type: 'url', ...plain },
    { name: 'region', label: t.region, defaultValue: 'us-east-1', ...needed },
    { name: 'bucket', label: t.bucket, ...needed },
    { name: 'prefix', label: t.prefix, hint: t.prefixHint, ...plain },
    { name: 'accessKeyId', label: t.accessKeyId, ...needed },
    { name: 'secretAccessKey', label: t.secretAccessKey, hint: t.secretHint, type: 'password', ...needed },
  ]
}

function bucketIn(fields: FormData): ExportTarget {
  const endpoint = typedIn(fields, 'endpoint')
  return {
    type: 's3',
    ...(endpoint !== '' && { endpoint }),
    region: typedIn(fields, 'region'),
    bucket: typedIn(fields, 'bucket'),
    prefix: typedIn(fields, 'prefix'),
    accessKeyId: typedIn(fields, 'accessKeyId'),
    secretAccessKey: typedIn(fields, 'secretAccessKey'),
  }
}
