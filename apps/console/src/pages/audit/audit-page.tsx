import { type AccountEvent, listAccountEvents } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { readList } from '../resource/read-list.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { EventRow } from './event-row.tsx'
import { accountKinds, auditTabs, KindFilter, TimeFilter } from './filters.tsx'

type Filter = NonNullable<Parameters<typeof listAccountEvents>[1]>

export default function AuditPage() {
  const t = text.value.audit
  const [filter, setFilter] = useState<Filter>({})
  const narrow = (more: Filter) => setFilter((before) => ({ ...before, ...more }))
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
