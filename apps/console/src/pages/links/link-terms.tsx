import { text } from '../../text/text.ts'
import { Choices, Field } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'

const count = { type: 'number', min: 1, step: 1, inputMode: 'numeric' } as const

export function DownloadFields() {
  const t = text.value.links
  return <Field label={t.maxDownloads} hint={t.maxDownloadsHint} input={{ ...count, name: 'maxDownloads', max: 1e9 }} />
}

/** What an upload link takes: it has to have bounds. */
export function UploadFields() {
  const t = text.value.links
  const bound = { ...count, required: true } as const
  return (
    <>
      <Field label={t.maxFiles} input={{ ...bound, name: 'maxFiles', max: 10_000, defaultValue: 100 }} />
      <Field label={t.maxFileMegabytes} input={{ ...bound, name: 'maxFileBytes', defaultValue: 100 }} />
      <Field label={t.maxMegabytes} input={{ ...bound, name: 'maxBytes', defaultValue: 1000 }} />
      <Choices
        label={t.received}
        name="received"
        choices={[
          { value: 'review', label: t.receivedKinds.review, hint: t.reviewHint },
          { value: 'publish', label: t.receivedKinds.publish, hint: t.publishHint },
        ]}
      />
      <TextField label={t.types} hint={t.typesHint} input={{ name: 'mimeTypes', placeholder: 'image/*' }} />
    </>
  )
}
