import { type FileEvent, listFileEvents } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { usePages } from '../../api/use-pages.ts'
import { text } from '../../text/text.ts'
import { Field, SelectField } from '../../ui/field.tsx'
import { MoreButton } from '../../ui/more.tsx'
import { keysQuery } from '../keys/keys-query.ts'
import { readList } from '../resource/read-list.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { EventRow } from './event-row.tsx'
import { auditTabs, fileKinds, KindFilter, TimeFilter } from './filters.tsx'

type Filter = NonNullable<Parameters<typeof listFileEvents>[1]>

export default function FileAuditPage() {
  const t = text.value.audit
  const [filter, setFilter] = useState<Filter>({})
  const narrow = (more: Filter) => setFilter((before) => ({ ...before, ...more }))
  return (
    <ResourcePage<FileEvent>
      name="audit"
      text={{ ...t, lead: t.filesLead }}
      tabs={auditTabs()}
      query={{ queryKey: ['audit', 'files', filter], read: readList('events', listFileEvents, filter) }}
      filters={
        <>
          <KindFilter kinds={fileKinds} value={filter.kind} onChange={(kind) => narrow({ kind })} />
          <TimeFilter onChange={narrow} />
          <KeyFilter value={filter.keyId} onChange={(keyId) => narrow({ keyId })} />
          <SubjectFilter onChange={(subjectId) => narrow({ subjectId })} />
        </>
      }
    >
      {(event) => <EventRow key={event.id} event={event} />}
    </ResourcePage>
  )
}

interface FilterProps {
  value?: string | undefined
  onChange: (value: string | undefined) => void
}

function KeyFilter({ value = '', onChange }: FilterProps) {
  const { app, audit: t } = text.value
  const { queryKey, read } = keysQuery(true)
  const { items: keys, list } = usePages(queryKey, read)
  return (
    <>
      <SelectField
        label={app.apiKey}
        value={value}
        choices={[
          { value: '', label: t.anyone },
          ...keys.map(({ id, name, keyPrefix }) => ({ value: id, label: `${name} (${keyPrefix}…)` })),
        ]}
        onChange={(keyId) => onChange(keyId || undefined)}
      />
      <MoreButton list={list} label={t.moreKeys} />
    </>
  )
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function SubjectFilter({ onChange }: FilterProps) {
  const t = text.value.audit
  const [isWrong, setWrong] = useState(false)
  return (
    <Field
      label={t.subject}
      error={isWrong ? t.noId : undefined}
      autocomplete="off"
      spellcheck={false}
      placeholder={t.subjectHint}
      onChange={(event) => {
        const typed = event.currentTarget.value.trim()
        const isId = typed === '' || uuid.test(typed)
        setWrong(!isId)
        if (isId) onChange(typed || undefined)
      }}
    />
  )
}
