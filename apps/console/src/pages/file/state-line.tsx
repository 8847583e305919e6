import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import type { FileView } from './file-queries.ts'

const steps = ['uploading', 'hot', 'synced', 'cold'] as const

/** Where the file is on its way to the networks, as it goes; read out when it changes. */
export function StateLine({ view: { file } }: { view: FileView }) {
  const t = text.value.file
  const at =
    file.status === 'error' ? steps.indexOf(file.syncedAt === null ? 'hot' : 'synced') : steps.indexOf(file.status)
  const sentence = sentenceOf(file)
  return (
    <section class={`card file-state file-state-${file.status}`} aria-label={t.state}>
      <ol class="file-state-steps" aria-hidden="true">
        {steps.map((step, index) => (
          <li key={step} data-step={index < at ? 'past' : index === at ? 'now' : 'to-come'}>
            {t.steps[step]}
          </li>
        ))}
      </ol>
      <p role="status">
        <strong>{file.deletedAt === null ? t.states[file.status] : t.inTrash}</strong> {sentence}
      </p>
      {file.error !== null && <p class="form-error">{file.error}</p>}
    </section>
  )
}

function sentenceOf(file: FileView['file'] & { purgeDueAt?: string | null }): string {
  const t = text.value.file
  if (file.deletedAt !== null) return file.purgeDueAt ? t.purgedAt(dateTime(file.purgeDueAt)) : ''
  if (file.rehydrating) return t.isRehydrating
  if (file.status === 'cold' && file.inHotCache) return t.isRehydrated
  return t.stateTexts[file.status]
}
