import { type AccountEvent, type FileEvent, listAccountEvents, listFileEvents } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { usePages } from '../../api/use-pages.ts'
import { text } from '../../text/text.ts'
import { Field, SelectField } from '../../ui/field.tsx'
import { MoreButton } from '../../ui/more.tsx'
import { keysQuery } from '../keys/keys-query.ts'
import { readList } from '../resource/read-list.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { EventRow } from './event-row.tsx'
import { auditTabs, KindFilter, TimeFilter } from './filters.tsx'
import { accountKinds, fileKinds } from './kinds.ts'

type AccountFilter = NonNullable<Parameters<typeof listAccountEvents>[1]>
type FileFilter = NonNullable<Parameters<typeof listFileEvents>[1]>

export default function AuditPage() {
  const [location] = useLocation()
  return location.startsWith('/audit/files') ? <FileEvents /> : <AccountEvents />
}

function AccountEvents() {
  const t = text.value.audit
  const [filter, setFilter] = useState<AccountFilter>({})
  const narrow = (more: AccountFilter) => setFilter((before) => ({ ...before, ...more }))
  return (
    <ResourcePage<AccountEvent>
      name="audit"
      text={{ ...t, lead: t.accountLead }}
      tabs={auditTabs()}
      query={{ queryKey: ['audit', 'account', filter], read: readList('events', listAccountEvents, filter) }}
      filters={
        <>
          <KindFilter kinds={accountKinds} value={filter.kind} onChange={(kind) => narrow({ kind })} />
          <TimeFilter onChange={narrow} />
        </>
      }
    >
      {(event) => <EventRow key={event.id} event={event} />}
    </ResourcePage>
  )
}

function FileEvents() {
  const t = text.value.audit
  const [filter, setFilter] = useState<FileFilter>({})
  const narrow = (more: FileFilter) => setFilter((before) => ({ ...before, ...more }))
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
