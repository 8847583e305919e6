import type { ExportTarget } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'

const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const

/** Where a bucket is, and what lets the service in. */
export function BucketFields() {
  const t = text.value.export
  return (
    <>
      <Field label={t.endpoint} hint={t.endpointHint} input={{ ...plain, name: 'endpoint', type: 'url' }} />
      <Field label={t.region} input={{ ...plain, name: 'region', defaultValue: 'us-east-1', required: true }} />
      <Field label={t.bucket} input={{ ...plain, name: 'bucket', required: true }} />
      <Field label={t.prefix} hint={t.prefixHint} input={{ ...plain, name: 'prefix' }} />
      <Field label={t.accessKeyId} input={{ ...plain, name: 'accessKeyId', required: true }} />
      <Field
        label={t.secretAccessKey}
        hint={t.secretHint}
        input={{ ...plain, name: 'secretAccessKey', type: 'password', required: true }}
      />
    </>
  )
}

/** What was typed there. */
export function bucketOf(fields: FormData): ExportTarget {
  const typed = (name: string) => String(fields.get(name) ?? '').trim()
  const endpoint = typed('endpoint')
  return {
    type: 's3',
    ...(endpoint !== '' && { endpoint }),
    region: typed('region'),
    bucket: typed('bucket'),
    prefix: typed('prefix'),
    accessKeyId: typed('accessKeyId'),
    secretAccessKey: typed('secretAccessKey'),
  }
}
