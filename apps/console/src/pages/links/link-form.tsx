import { createFileLink, createFolderLink, type FileRecord } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { text } from '../../text/text.ts'
import { choicesOf } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type FormField, folderIn, linesIn, numberIn, typedIn } from '../../ui/form-fields.tsx'
import { showSecret } from '../../ui/shown-secrets.ts'
import { VaultField } from '../vaults/vault-field.tsx'

const hour = 3600
const megabyte = 1_000_000

/** How long the link is valid, in seconds; null: until the link is revoked. */
const lives = {
  hour,
  day: 24 * hour,
  week: 7 * 24 * hour,
  month: 30 * 24 * hour,
  year: 365 * 24 * hour,
  ever: null,
} as const
type Life = keyof typeof lives

/** Creates a link to a file, or without `file` to a folder, and shows it once. */
export function LinkForm({ file, onClose }: { file?: FileRecord; onClose: () => void }) {
  const t = text.value
  const [kind, setKind] = useState('folder')
  const isUpload = file === undefined && kind === 'upload'
  return (
    <FormDialog
      title={file === undefined ? t.links.createTitle : t.links.create}
      submit={file === undefined ? t.links.create : t.file.makeLink}
      fields={[
        ...(file === undefined ? placeFields(setKind) : []),
        ...(isUpload ? uploadFields() : [downloadField()]),
        ...accessFields(),
      ]}
      run={(fields) => {
        const terms = termsIn(fields)
        return file === undefined
          ? createFolderLink(client(), { ...placeIn(fields), ...terms, upload: isUpload ? uploadIn(fields) : null })
          : createFileLink(client(), { fileId: file.id, ...terms })
      }}
      changes={['links']}
      onAnswer={({ url }) => {
        const { createdTitle, createdText, url: label } = text.value.links
        showSecret({ title: createdTitle, label, secret: url, paragraphs: [createdText] })
      }}
      onClose={onClose}
    >
      {file?.wrappedKey != null && <p class="hint">{t.file.linkEncrypted}</p>}
    </FormDialog>
  )
}

const count = { type: 'number', min: 1, step: 1, inputMode: 'numeric' } as const

function placeFields(onKind: (kind: string) => void): FormField[] {
  const { app, links: t } = text.value
  const choices = [
    { value: 'folder', label: t.kinds.folder, hint: t.folderHint },
    { value: 'upload', label: t.kinds.upload, hint: t.uploadHint },
  ]
  return [
    { kind: 'own', name: 'vaultId', shown: <VaultField /> },
    { name: 'prefix', label: app.folder, hint: t.prefixHint, placeholder: '2026/photos' },
    { kind: 'choices', name: 'kind', label: t.kind, choices, onChange: onKind },
  ]
}

function downloadField(): FormField {
  const t = text.value.links
  return { name: 'maxDownloads', label: t.maxDownloads, hint: t.maxDownloadsHint, ...count, max: 1e9 }
}

function uploadFields(): FormField[] {
  const t = text.value.links
  const bound = { ...count, required: true }
  const choices = [
    { value: 'review', label: t.receivedKinds.review, hint: t.reviewHint },
    { value: 'publish', label: t.receivedKinds.publish, hint: t.publishHint },
  ]
  return [
    { name: 'maxFiles', label: t.maxFiles, ...bound, max: 10_000, defaultValue: 100 },
    { name: 'maxFileBytes', label: t.maxFileMegabytes, ...bound, defaultValue: 100 },
    { name: 'maxBytes', label: t.maxMegabytes, ...bound, defaultValue: 1000 },
    { kind: 'choices', name: 'received', label: t.received, choices },
    { kind: 'lines', name: 'mimeTypes', label: t.types, hint: t.typesHint, placeholder: 'image/*' },
  ]
}

function accessFields(): FormField[] {
  const t = text.value.links
  const password = { type: 'password', autocomplete: 'new-password', minLength: 8, maxLength: 256 } as const
  const choices = choicesOf(Object.keys(lives) as Life[], t.lives)
  return [
    { kind: 'select', name: 'expiresInSeconds', label: t.life, choices, value: 'week' },
    { name: 'password', label: t.password, hint: t.passwordHint, ...password },
  ]
}

const placeIn = (fields: FormData) => ({
  vaultId: typedIn(fields, 'vaultId'),
  prefix: folderIn(typedIn(fields, 'prefix')),
})

const termsIn = (fields: FormData) => ({
  expiresInSeconds: lives[fields.get('expiresInSeconds') as Life],
  password: String(fields.get('password')) || null,
  maxDownloads: numberIn(fields, 'maxDownloads'),
})

const uploadIn = (fields: FormData) => ({
  maxFiles: Number(fields.get('maxFiles')),
  maxFileBytes: Number(fields.get('maxFileBytes')) * megabyte,
  maxBytes: Number(fields.get('maxBytes')) * megabyte,
  mimeTypes: linesIn(fields, 'mimeTypes'),
  received: fields.get('received') === 'publish' ? ('publish' as const) : ('review' as const),
})
