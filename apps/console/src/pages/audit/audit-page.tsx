import { useSignal } from '@preact/signals'
import { text } from '../../text/text.ts'
import { Listing } from '../../ui/listing.tsx'
import { AuditHead } from './audit-head.tsx'
import { useAccountEvents } from './audit-queries.ts'
import { EventRow } from './event-row.tsx'
import { accountKinds, KindFilter } from './kind-filter.tsx'
import { TimeFilter } from './time-filter.tsx'

type Filter = Parameters<typeof useAccountEvents>[0]

/** The log of keys, logins and webhooks. */
export default function AuditPage() {
  const t = text.value.audit
  const filter = useSignal<Filter>({})
  const narrow = (more: Filter) => {
    filter.value = { ...filter.value, ...more }
  }
  return (
    <>
      <AuditHead lead={t.accountLead} />
      <div class="filters">
        <KindFilter kinds={accountKinds} value={filter.value.kind} onChange={(kind) => narrow({ kind })} />
        <TimeFilter onChange={narrow} />
      </div>
      <Listing label={t.title} pages={useAccountEvents(filter.value)} empty={{ title: t.empty, text: t.emptyText }}>
        {(event) => <EventRow key={event.id} event={event} />}
      </Listing>
    </>
  )
}
