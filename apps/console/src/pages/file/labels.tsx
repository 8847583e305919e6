import { useSignal } from '@preact/signals'
import type { FileRecord } from '@tideport/sdk'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { Section } from './section.tsx'
import { Value } from './value.tsx'

/** What its owner says of the file, and when it ends. */
export function Labels({ file }: { file: FileRecord }) {
  const t = text.value.file
  const isOpen = useSignal(false)
  const pairs = Object.entries(file.metadata)
  const edit = (
    <Button
      label={`${t.edit}: ${t.details}`}
      onClick={() => {
        isOpen.value = true
      }}
    >
      {t.edit}
    </Button>
  )
  return (
    <Section title={t.details} action={file.deletedAt === null && edit}>
      <dl class="file-values">
        <Value label={t.path} value={file.path} />
        <Value label={t.expires} value={file.expiresAt === null ? t.never : dateTime(file.expiresAt)} />
        {pairs.map(([key, value]) => (
          <Value key={key} label={key} value={value} />
        ))}
      </dl>
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
      {isOpen.value && (
        <LabelsDialog
          file={file}
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </Section>
  )
}
