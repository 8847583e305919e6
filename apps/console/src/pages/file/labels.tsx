import { type FileRecord, updateFile, type WrittenFile } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { WrongField } from '../../ui/form-dialog.tsx'
import { type FormField, linesIn } from '../../ui/form-fields.tsx'
import { type Asked, useDialog } from '../../ui/use-dialog.tsx'
import { noteSaved } from './file-changes.ts'
import { Section, Values } from './values.tsx'

export function Labels({ file }: { file: FileRecord }) {
  const { app, file: t } = text.value
  const { dialog, ask } = useDialog()
  const edit = <Button label={`${app.edit}: ${t.details}`} onClick={() => ask(labelsForm(file))} text={app.edit} />
  return (
    <Section title={t.details} action={file.deletedAt === null && edit}>
      <Values
        values={[
          [t.path, file.path],
          [t.expires, file.expiresAt === null ? t.never : dateTime(file.expiresAt)],
          ...Object.entries(file.metadata),
        ]}
      />
      {file.tags.length > 0 && (
        <ul class="file-tags" aria-label={t.tags}>
          {file.tags.map((tag) => (
            <li key={tag} class="badge">
              <bdi>{tag}</bdi>
            </li>
          ))}
        </ul>
      )}
      {file.sealedMetadata !== null && <p class="hint">{t.sealed}</p>}
      {dialog}
    </Section>
  )
}

function labelsForm(file: FileRecord): Asked<WrittenFile> {
  const t = text.value.file
  const isSealed = file.sealedMetadata !== null
  const expiry = { type: 'datetime-local', defaultValue: localTime(file.expiresAt) } as const
  return {
    title: t.details,
    submit: text.value.app.save,
    fields: [
      ...(isSealed ? [] : labelFields(file)),
      { name: 'expiresAt', label: t.expires, hint: t.expiresHint, ...expiry },
    ],
    run: async (fields) => {
      const expires = String(fields.get('expiresAt'))
      const expiresAt = expires === '' ? null : new Date(expires).toISOString()
      return await updateFile(client(), { fileId: file.id, ...(!isSealed && labelsIn(fields, file)), expiresAt })
    },
    onAnswer: noteSaved,
  }
}

function labelFields({ metadata, tags }: FileRecord): FormField[] {
  const t = text.value.file
  const pairs = { label: t.metadata, hint: t.metadataHint, rows: 4, defaultValue: writePairs(metadata) }
  return [
    { kind: 'lines', name: 'metadata', ...pairs },
    { kind: 'lines', name: 'tags', label: t.tags, hint: t.tagsHint, defaultValue: tags.join('\n') },
  ]
}

function labelsIn(fields: FormData, { metadata }: FileRecord) {
  const pairs = readPairs(String(fields.get('metadata') ?? ''))
  if (pairs === null) throw new WrongField('metadata', text.value.file.pairsWrong)
  return { metadata: patchOf(metadata, pairs), tags: linesIn(fields, 'tags') ?? [] }
}

/** For the `datetime-local` field: local time without a zone. */
function localTime(iso: string | null): string {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function writePairs(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n')
}

/** Null when a line is not a pair. */
function readPairs(lines: string): Record<string, string> | null {
  const pairs: [string, string][] = []
  for (const line of lines.split(/\r?\n/).filter((one) => one.trim() !== '')) {
    const [, key, value] = /^\s*([^:\s]+)\s*: ?(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) return null
    pairs.push([key, value])
  }
  return Object.fromEntries(pairs)
}

/** A patch for the API: null removes a pair. */
function patchOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value)
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed])
}
