import type { TimelineEntry } from '@tideport/sdk'
import { actorName, dateTime, shownDetail } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { MoreButton } from '../../ui/more.tsx'
import { type FileView, useTimeline } from './file-queries.ts'
import { Section } from './values.tsx'

export function Timeline({ view }: { view: FileView }) {
  const t = text.value.file
  const list = useTimeline(view)
  const { data } = list
  if (data === undefined) return null
  return (
    <Section title={t.timeline}>
      <ol class="file-timeline">
        {data.pages
          .flatMap((page) => page.timeline)
          .map((entry) => (
            <li key={entry.id} data-outcome={outcomeOf(entry)}>
              <Entry entry={entry} />
            </li>
          ))}
      </ol>
      <MoreButton list={list} />
    </Section>
  )
}

function Entry({ entry: { type, at, details, actor } }: { entry: TimelineEntry }) {
  const t = text.value.file
  const facts = Object.entries(details).filter(([, value]) => value !== null && value !== '')
  const name = Object.hasOwn(t.events, type) ? t.events[type as keyof typeof t.events] : type
  return (
    <>
      <p>
        <strong>{name}</strong>
      </p>
      <p class="hint">
        <time dateTime={at}>{dateTime(at)}</time>
        {actor !== null && (
          <>
            {' · '}
            <bdi>{actorName(actor)}</bdi>
          </>
        )}
      </p>
      {facts.length > 0 && (
        <p class="hint file-timeline-details">
          {facts.map(([key, value]) => (
            <span key={key}>
              {key}: <bdi>{shownDetail(value)}</bdi>
            </span>
          ))}
        </p>
      )}
    </>
  )
}

function outcomeOf({ type, status }: TimelineEntry): 'bad' | 'status' | 'step' {
  if (/failed|lost|gave_up/.test(type) || status === 'error') return 'bad'
  return status === null ? 'step' : 'status'
}
